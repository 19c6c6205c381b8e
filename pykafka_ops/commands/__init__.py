"""The commands of ``pko``: a row each; this table is all that ``pko --help`` reads."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.group import Single, VerbGroup
    from pykafka_ops.commands.kafka_syntax.tool import Tool

    Command = VerbGroup | Single


class Row(NamedTuple):
    """A command: its name, a line of help, and other names that mean it.

    ``tool`` is the name of Kafka's own tool, which forces Kafka's form; ``other`` is for people.
    """

    name: str
    summary: str
    tool: str = ""
    other: str = ""

    def load(self) -> Command:
        """The command of this row, of the package of its name, imported here and now."""
        word = self.name.replace("-", "_")
        command: Command = getattr(import_module(f"pykafka_ops.commands.{word}"), word)
        return command


ROWS = (
    Row("topics", "list, describe, create, grow and delete topics", "kafka-topics"),
    Row(
        "groups",
        "consumer, share and streams groups: members, lag, offsets; reset, delete",
        "kafka-consumer-groups",
        "consumer-groups",
    ),
    Row(
        "transactions",
        "transactions and producers; find and abort what hangs",
        "kafka-transactions",
    ),
    Row(
        "get-offsets",
        "first, last or by-time offsets of partitions",
        "kafka-get-offsets",
        "offsets",
    ),
    Row("log-dirs", "bytes on disk per broker, directory, topic, partition", "kafka-log-dirs"),
    Row(
        "reassign-partitions",
        "move replicas between brokers and log directories",
        "kafka-reassign-partitions",
        "reassign",
    ),
    Row(
        "leader-election",
        "give leadership back to preferred replicas; elect unclean leaders",
        "kafka-leader-election",
        "elect",
    ),
    Row("delete-records", "drop the records before an offset", "kafka-delete-records"),
    Row("api-versions", "which requests each broker understands", "kafka-broker-api-versions"),
    Row("configs", "show and change settings of topics, brokers, users, ...", "kafka-configs"),
    Row(
        "client-metrics", "which metrics clients send to brokers (KIP-714)", "kafka-client-metrics"
    ),
    Row("acls", "access rules: who may do what; why, or why not; rules as code", "kafka-acls"),
    Row("users", "users: passwords for SCRAM logins, and quotas"),
    Row(
        "tokens",
        "delegation tokens: secrets with an end that stand for a login",
        "kafka-delegation-tokens",
    ),
    Row("certs", "certificates: when those of brokers end; an authority for tests"),
    Row("produce", "write records from standard input", "kafka-console-producer"),
    Row("consume", "read records", "kafka-console-consumer"),
    Row("perf", "how fast a cluster takes and gives records"),
    Row("dump-log", "decode, search, check and repair log segments", "kafka-dump-log"),
    Row("spark", "reports on lag, partition skew, retention and cost, and audits, made by Spark"),
    Row(
        "quorum",
        "controllers in KRaft: leader, voters, how far each is",
        "kafka-metadata-quorum",
    ),
    Row("features", "features in KRaft: levels supported and switched on", "kafka-features"),
    Row("storage", "directories of nodes of KRaft: format them, look at them", "kafka-storage"),
    Row(
        "cluster",
        "brokers, controller, under-replicated and offline partitions, skew",
        "kafka-cluster",
    ),
    Row("top", "watch a cluster in the terminal: what is broken, who suffers, records"),
    Row("audit", "prove that clusters, mirrors and backups hold the same records"),
    Row("backup", "keep records, settings, groups and rules of a cluster elsewhere"),
    Row("restore", "bring what a backup holds into a cluster"),
    Row("smoke", "use a cluster as its clients do, step by step: does it work?"),
    Row("monitor", "watch clusters: lag, brokers, topics, by HTTP"),
    Row("mirror", "copy clusters to each other: topics, records, groups, settings"),
    Row("broker", "run a broker", "kafka-server-start"),
    Row("zookeeper", "Kafka's znodes, decoded; run a ZooKeeper", "zookeeper-shell", "zk"),
    Row(
        "zookeeper-acls",
        "let Kafka's znodes belong to a login, or to everybody",
        "zookeeper-security-migration",
    ),
    Row("completion", "shell completion for bash, zsh or fish"),
)

MORE_TOOLS = {
    "kafka-jmx": "broker.jmx_tool",
    "kafka-verifiable-producer": "verifiable.producer_tool",
    "kafka-verifiable-consumer": "verifiable.consumer_tool",
    "kafka-console-share-consumer": "consume.share_tool",
    "kafka-producer-perf-test": "perf.producer_tool",
    "kafka-consumer-perf-test": "perf.consumer_tool",
    "kafka-share-consumer-perf-test": "perf.share_tool",
    "kafka-e2e-latency": "perf.latency_tool",
    "kafka-replica-verification": "replicas.verification_tool",
    "kafka-groups": "groups.every_kind",
    "kafka-share-groups": "groups.share",
    "kafka-streams-groups": "groups.streams",
    "kafka-streams-application-reset": "groups.streams_reset_tool",
}
"""Kafka's tools beside those of the rows, by name: the module that has each as ``TOOL``."""


NOT_OURS = {
    "connect-distributed": "runs Kafka Connect",
    "connect-standalone": "runs Kafka Connect",
    "connect-mirror-maker": "runs MirrorMaker 2 (pko mirror copies clusters)",
    "connect-plugin-path": "sorts plugins of Kafka Connect",
    "trogdor": "injects faults into tests of Apache Kafka",
}
"""Tools of Apache Kafka that only Java has, and what each does."""


def not_ours(word: str) -> str:
    """What a tool of Kafka's does that pko has not; "" for other words."""
    return NOT_OURS.get(word.removesuffix(".sh"), "")


def find_tool(word: str) -> Tool | None:
    """One of ``MORE_TOOLS``, imported here and now; None where the word is none."""
    module = MORE_TOOLS.get(word.removesuffix(".sh"))
    if module is None:
        return None
    tool: Tool = import_module(f"pykafka_ops.commands.{module}").TOOL
    return tool


def find(word: str) -> tuple[Row, bool] | None:
    """The row that ``word`` names and whether it is one of Kafka's tool names."""
    for row in ROWS:
        if word and word in (row.name, row.other):
            return row, False
        if row.tool and word.removesuffix(".sh") == row.tool:
            return row, True
    return None
