"""The commands of ``pko``: a row each; this table is all that ``pko --help`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.group import Single, VerbGroup

    Command = VerbGroup | Single


class Row(NamedTuple):
    """A command: its name, a line of help, and other names that mean it.

    ``tool`` is the name of Kafka's own tool, which forces Kafka's form; ``other`` is for people.
    """

    name: str
    summary: str
    tool: str = ""
    other: str = ""

    def load(self) -> Command:  # noqa: C901 - a table
        """The command of this row: what it needs is imported here and now."""
        command: Command
        match self.name:
            case "topics":
                from pykafka_ops.commands.topics import topics as command
            case "groups":
                from pykafka_ops.commands.groups import groups as command
            case "transactions":
                from pykafka_ops.commands.transactions import transactions as command
            case "get-offsets":
                from pykafka_ops.commands.get_offsets import get_offsets as command
            case "log-dirs":
                from pykafka_ops.commands.log_dirs import log_dirs as command
            case "reassign-partitions":
                from pykafka_ops.commands.reassign_partitions import reassign_partitions as command
            case "leader-election":
                from pykafka_ops.commands.leader_election import leader_election as command
            case "delete-records":
                from pykafka_ops.commands.delete_records import delete_records as command
            case "api-versions":
                from pykafka_ops.commands.api_versions import api_versions as command
            case "configs":
                from pykafka_ops.commands.configs import configs as command
            case "acls":
                from pykafka_ops.commands.acls import acls as command
            case "produce":
                from pykafka_ops.commands.produce import produce as command
            case "consume":
                from pykafka_ops.commands.consume import consume as command
            case "dump-log":
                from pykafka_ops.commands.dump_log import dump_log as command
            case "spark":
                from pykafka_ops.commands.spark import spark as command
            case "cluster":
                from pykafka_ops.commands.cluster import cluster as command
            case "top":
                from pykafka_ops.commands.top import top as command
            case "smoke":
                from pykafka_ops.commands.smoke import smoke as command
            case "monitor":
                from pykafka_ops.commands.monitor import monitor as command
            case "broker":
                from pykafka_ops.commands.broker import broker as command
            case "zookeeper":
                from pykafka_ops.commands.zookeeper import zookeeper as command
            case "zookeeper-acls":
                from pykafka_ops.commands.zookeeper_acls import zookeeper_acls as command
            case "completion":
                from pykafka_ops.commands.completion import completion as command
        return command


ROWS = (
    Row("topics", "list, describe, create, grow and delete topics", "kafka-topics"),
    Row(
        "groups",
        "consumer groups: members, lag, offsets; reset and delete them",
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
    Row("acls", "access rules: who may do what; why, or why not; rules as code", "kafka-acls"),
    Row("produce", "write records from standard input", "kafka-console-producer"),
    Row("consume", "read records", "kafka-console-consumer"),
    Row("dump-log", "decode, search, check and repair log segments", "kafka-dump-log"),
    Row("spark", "reports on lag, partition skew and retention, made by Spark"),
    Row(
        "cluster",
        "brokers, controller, under-replicated and offline partitions, skew",
        "kafka-cluster",
    ),
    Row("top", "watch a cluster in the terminal: what is broken, who suffers, records"),
    Row("smoke", "use a cluster as its clients do, step by step: does it work?"),
    Row("monitor", "watch clusters: lag, brokers, topics, by HTTP"),
    Row("broker", "run a broker", "kafka-server-start"),
    Row("zookeeper", "Kafka's znodes, decoded; run a ZooKeeper", "zookeeper-shell", "zk"),
    Row(
        "zookeeper-acls",
        "let Kafka's znodes belong to a login, or to everybody",
        "zookeeper-security-migration",
    ),
    Row("completion", "shell completion for bash, zsh or fish"),
)


def find(word: str) -> tuple[Row, bool] | None:
    """The row that ``word`` names and whether it is one of Kafka's tool names."""
    for row in ROWS:
        if word and word in (row.name, row.other):
            return row, False
        if row.tool and word.removesuffix(".sh") == row.tool:
            return row, True
    return None
