"""A command line or more of each command that asks brokers, in pko's form and in Kafka's."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pykafka_ops.backup.manifest import FOLDER, KeptTopic, RunEntry
from pykafka_ops.backup.runs import keep_run
from pykafka_ops.backup.store.directory import BackupDirectory

TOPIC, GROUP, OWNER = "orders", "billing", "PLAIN-user"
DELETED = "deleted.json"
"""A file in the working directory: what is deleted of ``TOPIC``, which is nothing."""
TO_DELETE = f'{{"partitions": [{{"topic": "{TOPIC}", "partition": 0, "offset": 0}}], "version": 1}}'
BACKUP = "older"
"""A backup in the working directory, of a topic without records."""
AT = "@"
"""Where a tool wants to hear of the brokers, if that is not the end of the line."""


class Line(NamedTuple):
    """``wanted`` is in what it answers. ``right``: what is said of a login that may nothing, ""
    where that gets the answer, too; ``right_code`` is its exit code then. ``options`` name the
    brokers and the file of settings ("": PKO_COMMAND_CONFIG does). ``code`` is the exit code where
    nobody lets us in; ``one_line``: what is said then is one line on stderr."""

    words: str
    wanted: str
    right: str = ""
    options: tuple[str, str] = ("-b", "--command-config")
    code: int = 3
    right_code: int = 3
    one_line: bool = True

    @property
    def command(self) -> str:
        return self.words.split()[0]

    def argv(self, *reach: str) -> list[str]:
        """With how to reach the brokers."""
        words = self.words.split()
        if AT not in words:
            return [*words, *reach]
        at = words.index(AT)
        return [*words[:at], *reach, *words[at + 1 :]]

    def reach(self, where: str, file: object) -> list[str]:
        """The words with brokers and a file of settings."""
        brokers, settings = self.options
        return self.argv(brokers, where, *((settings, str(file)) if settings else ()))

    def env(self, file: object) -> dict[str, str]:
        """What names the file where no option does."""
        return {} if self.options[1] else {"PKO_COMMAND_CONFIG": str(file)}


def kafkas(
    words: str, wanted: str, right: str = "", *, code: int = 1, settings: str = "--command-config"
) -> Line:
    """A line of one of Kafka's tools."""
    return Line(words, wanted, right, ("--bootstrap-server", settings), code, code, False)


ON_TOPIC, ON_GROUP, ON_CLUSTER = (f"on the {what}" for what in ("topic", "group", "cluster"))
NEEDS = "not allowed: this login needs"
JAVA = "org.apache.kafka.common.errors."
LINES = (
    Line(f"topics describe {TOPIC}", TOPIC, f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line(f"groups describe {GROUP}", GROUP, f"{GROUP}: {NEEDS} describe {ON_GROUP}"),
    Line(f"groups lag {GROUP}", GROUP, f"{GROUP}: {NEEDS} describe {ON_GROUP}"),
    Line(f"groups history {GROUP}", "COMMITS", f"__consumer_offsets: {NEEDS} describe {ON_TOPIC}"),
    Line(f"transactions describe-producers {TOPIC} 0", "PRODUCER-ID",
         f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line(f"get-offsets {TOPIC}", TOPIC, f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line("log-dirs describe", "BYTES", f"broker 0: {NEEDS} describe {ON_CLUSTER}"),
    Line("reassign-partitions list", "no reassignments", f"{NEEDS} describe {ON_CLUSTER}"),
    Line(f"leader-election preferred {TOPIC}", "lead already",
         f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line(f"delete-records {TOPIC} --before 0 --yes", TOPIC,
         f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line("api-versions --diff", "Kafka about 3.9", options=("-b", "")),
    Line(f"configs describe topics {TOPIC} --all", "retention.ms",
         f"topics {TOPIC}: {NEEDS} describe-configs {ON_TOPIC}"),
    Line("acls list", "SCRAM-SHA-256-user", f"{NEEDS} describe {ON_CLUSTER}"),
    Line("users list", "SCRAM-SHA-512-user", f"{NEEDS} describe-configs {ON_CLUSTER}"),
    Line(f"tokens create --owner {OWNER} -o json", OWNER, f"{NEEDS} create-tokens on the owner"),
    Line("certs expiry", "CN=broker", code=1),
    Line(f"produce {TOPIC}", "1 record", f"{TOPIC}: {NEEDS} write {ON_TOPIC}"),
    Line(f"consume {TOPIC} --from-beginning -n 1", "a record", f"{TOPIC}: {NEEDS} read {ON_TOPIC}"),
    Line(f"consume {TOPIC} --from-beginning -n 1 --group {GROUP}", "a record",
         f"{TOPIC}: {NEEDS} read {ON_TOPIC}"),
    Line("cluster status", "BROKER", f"log directories of broker 0: {NEEDS} describe {ON_CLUSTER}",
         right_code=1),
    Line(f"audit collect one --topic {TOPIC} --book :memory: -o csv", TOPIC,
         f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line(f"backup run kept --topic {TOPIC}", "of kept", f"{TOPIC}: {NEEDS} describe {ON_TOPIC}"),
    Line(f"restore {BACKUP} --dry-run --prefix copy.", f"copy.{TOPIC}",
         f"pko-mirror.backup-elsewhere-restore: {NEEDS} describe {ON_GROUP}"),
    Line("smoke", "metadata", f"{NEEDS} create {ON_TOPIC}", code=4, right_code=4, one_line=False),
)  # fmt: skip
TOOLS = (
    kafkas(f"kafka-topics --describe --topic {TOPIC}", TOPIC, "does not exist as expected"),
    kafkas(f"kafka-consumer-groups --describe --group {GROUP}", GROUP,
           f"{JAVA}GroupAuthorizationException", code=0),
    kafkas(f"kafka-transactions {AT} describe-producers --topic {TOPIC} --partition 0",
           "ProducerId", "Topic authorization failed"),
    kafkas(f"kafka-get-offsets --topic {TOPIC}", f"{TOPIC}:0:", "Could not match any"),
    kafkas("kafka-log-dirs --describe", "logDir", f"{JAVA}ClusterAuthorizationException"),
    kafkas("kafka-reassign-partitions --list", "No partition reassignments",
           f"{JAVA}ClusterAuthorizationException"),
    kafkas(f"kafka-leader-election --election-type preferred --topic {TOPIC} --partition 0",
           "Valid replica", "Not authorized to perform", settings="--admin.config"),
    kafkas(f"kafka-delete-records --offset-json-file {DELETED}", "low_watermark: 0",
           f"{JAVA}TopicAuthorizationException", code=0),
    kafkas("kafka-broker-api-versions", "Metadata(3)"),
    kafkas(f"kafka-configs --describe --entity-type topics --entity-name {TOPIC} --all",
           "retention.ms", f"{JAVA}TopicAuthorizationException"),
    kafkas("kafka-acls --list", "SCRAM-SHA-256-user", f"{JAVA}ClusterAuthorizationException"),
    kafkas("kafka-delegation-tokens --describe", "TOKENID"),
    kafkas(f"kafka-console-producer --topic {TOPIC}", "", f"{JAVA}TopicAuthorizationException",
           code=0, settings="--producer.config"),
    kafkas(f"kafka-console-consumer --topic {TOPIC} --from-beginning --max-messages 1", "a record",
           f"{JAVA}TopicAuthorizationException", code=0, settings="--consumer.config"),
    kafkas("kafka-cluster cluster-id", "Cluster ID", settings="--config"),
)  # fmt: skip
ELSEWHERE = {
    "dump-log": "files", "broker": "ours", "completion": "no cluster", "monitor": "runs on",
    "spark": "a JVM", "top": "a terminal", "zookeeper": "ZooKeeper", "zookeeper-acls": "ZooKeeper",
    "quorum": "KRaft", "features": "KRaft", "client-metrics": "KRaft", "storage": "files",
    "perf": "the clients of produce and consume",
    "mirror": "two clusters",
}  # fmt: skip
"""Commands that have no line here, and why."""


def keep_backup(directory: Path) -> None:
    """Have ``BACKUP`` there."""
    store = BackupDirectory(directory / BACKUP)
    if not store.names(FOLDER):
        keep_run(store, RunEntry(1, True, 1, 2, "elsewhere", (KeptTopic(TOPIC, "", 1, 1),)))
