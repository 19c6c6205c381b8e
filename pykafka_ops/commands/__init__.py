"""The commands of ``pko``: a row each; this table is all that ``pko --help`` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.group import Single, VerbGroup

    Command = VerbGroup | Single


def _topics() -> Command:
    from pykafka_ops.commands.topics import topics

    return topics


def _groups() -> Command:
    from pykafka_ops.commands.groups import groups

    return groups


def _transactions() -> Command:
    from pykafka_ops.commands.transactions import transactions

    return transactions


def _get_offsets() -> Command:
    from pykafka_ops.commands.get_offsets import get_offsets

    return get_offsets


def _log_dirs() -> Command:
    from pykafka_ops.commands.log_dirs import log_dirs

    return log_dirs


def _reassign_partitions() -> Command:
    from pykafka_ops.commands.reassign_partitions import reassign_partitions

    return reassign_partitions


def _leader_election() -> Command:
    from pykafka_ops.commands.leader_election import leader_election

    return leader_election


def _delete_records() -> Command:
    from pykafka_ops.commands.delete_records import delete_records

    return delete_records


def _api_versions() -> Command:
    from pykafka_ops.commands.api_versions import api_versions

    return api_versions


def _configs() -> Command:
    from pykafka_ops.commands.configs import configs

    return configs


def _produce() -> Command:
    from pykafka_ops.commands.produce import produce

    return produce


def _consume() -> Command:
    from pykafka_ops.commands.consume import consume

    return consume


def _dump_log() -> Command:
    from pykafka_ops.commands.dump_log import dump_log

    return dump_log


def _spark() -> Command:
    from pykafka_ops.commands.spark import spark

    return spark


def _cluster() -> Command:
    from pykafka_ops.commands.cluster import cluster

    return cluster


def _broker() -> Command:
    from pykafka_ops.commands.broker import broker

    return broker


def _zookeeper() -> Command:
    from pykafka_ops.commands.zookeeper import zookeeper

    return zookeeper


def _zookeeper_acls() -> Command:
    from pykafka_ops.commands.zookeeper_acls import zookeeper_acls

    return zookeeper_acls


def _completion() -> Command:
    from pykafka_ops.commands.completion import completion

    return completion


class Row(NamedTuple):
    """A command: its name, a line of help, how to load it, and other names that mean it.

    ``tools`` are the names of Kafka's own tools; they force Kafka's tongue. ``others`` are for
    people.
    """

    name: str
    summary: str
    load: Callable[[], Command]
    tools: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


ROWS: tuple[Row, ...] = (
    Row(
        "topics", "list, describe, create, grow and delete topics", _topics, tools=("kafka-topics",)
    ),
    Row(
        "groups",
        "consumer groups: members, lag, offsets; reset and delete them",
        _groups,
        tools=("kafka-consumer-groups",),
        others=("consumer-groups",),
    ),
    Row(
        "transactions",
        "transactions and producers; find and abort what hangs",
        _transactions,
        tools=("kafka-transactions",),
    ),
    Row(
        "get-offsets",
        "first, last or by-time offsets of partitions",
        _get_offsets,
        tools=("kafka-get-offsets",),
        others=("offsets",),
    ),
    Row(
        "log-dirs",
        "bytes on disk per broker, directory, topic, partition",
        _log_dirs,
        tools=("kafka-log-dirs",),
    ),
    Row(
        "reassign-partitions",
        "move replicas between brokers and log directories",
        _reassign_partitions,
        tools=("kafka-reassign-partitions",),
        others=("reassign",),
    ),
    Row(
        "leader-election",
        "give leadership back to preferred replicas; elect unclean leaders",
        _leader_election,
        tools=("kafka-leader-election",),
        others=("elect",),
    ),
    Row(
        "delete-records",
        "drop the records before an offset",
        _delete_records,
        tools=("kafka-delete-records",),
    ),
    Row(
        "api-versions",
        "which requests each broker understands",
        _api_versions,
        tools=("kafka-broker-api-versions",),
    ),
    Row(
        "configs",
        "show and change settings of topics, brokers, users, ...",
        _configs,
        tools=("kafka-configs",),
    ),
    Row(
        "produce", "write records from standard input", _produce, tools=("kafka-console-producer",)
    ),
    Row("consume", "read records", _consume, tools=("kafka-console-consumer",)),
    Row(
        "dump-log",
        "decode, search, check and repair log segments",
        _dump_log,
        tools=("kafka-dump-log",),
    ),
    Row("spark", "reports on lag, partition skew and retention, made by Spark", _spark),
    Row(
        "cluster",
        "brokers, controller, under-replicated and offline partitions, skew",
        _cluster,
        tools=("kafka-cluster",),
    ),
    Row("broker", "run a broker", _broker, tools=("kafka-server-start",)),
    Row(
        "zookeeper",
        "Kafka's znodes, decoded; run a ZooKeeper",
        _zookeeper,
        tools=("zookeeper-shell",),
        others=("zk",),
    ),
    Row(
        "zookeeper-acls",
        "let Kafka's znodes belong to a login, or to everybody",
        _zookeeper_acls,
        tools=("zookeeper-security-migration",),
    ),
    Row("completion", "shell completion for bash, zsh or fish", _completion),
)


def find(word: str) -> tuple[Row, bool] | None:
    """The row that ``word`` names and whether it is one of Kafka's tool names."""
    plain = word.removesuffix(".sh")
    for row in ROWS:
        if word == row.name or word in row.others:
            return row, False
        if plain in row.tools:
            return row, True
    return None
