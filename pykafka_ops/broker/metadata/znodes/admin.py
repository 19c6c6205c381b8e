"""Znodes by which brokers and tools call on the controller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood, whole
from pykafka_ops.broker.state.controller.leadership import TopicPartition


class _PartitionList:
    """A znode whose data names partitions."""

    path: ClassVar[str]

    @staticmethod
    def encode(partitions: Iterable[TopicPartition]) -> bytes:
        """Version 1 of the format."""
        rows = [{"topic": topic, "partition": index} for topic, index in partitions]
        return encode_json({"version": 1, "partitions": rows})

    @classmethod
    def decode(cls, data: bytes | None) -> list[TopicPartition]:
        """The partitions."""
        value = decode_json(cls.path, data)
        return understood(
            cls.path,
            lambda: [(str(row["topic"]), whole(row["partition"])) for row in value["partitions"]],
        )


class IsrChangeNotifications(_PartitionList):
    """Partitions whose ISR was changed by brokers of protocol < 2.7; a sequence."""

    path = "/isr_change_notification"
    prefix = f"{path}/isr_change_"


class LogDirEvents:
    """Brokers with a failed log directory; a sequence."""

    path = "/log_dir_event_notification"
    prefix = f"{path}/log_dir_event_"

    @staticmethod
    def encode(broker: int) -> bytes:
        """A log directory of ``broker`` failed."""
        return encode_json({"version": 1, "broker": broker, "event": 1})

    @classmethod
    def decode(cls, data: bytes | None) -> int:
        """The broker."""
        value = decode_json(cls.path, data)
        return understood(cls.path, lambda: int(value["broker"]))


class TopicDeletions:
    """Parent of the topics to be deleted; the children have no data."""

    path = "/admin/delete_topics"

    @staticmethod
    def topic(topic: str) -> str:
        """The mark of one topic."""
        return f"{TopicDeletions.path}/{topic}"


class Reassignments:
    """Moves asked for by tools older than 2.4."""

    path = "/admin/reassign_partitions"

    @staticmethod
    def encode(moves: Mapping[TopicPartition, Iterable[int]]) -> bytes:
        """Target replicas by partition."""
        rows = [
            {"topic": topic, "partition": index, "replicas": list(replicas)}
            for (topic, index), replicas in moves.items()
        ]
        return encode_json({"version": 1, "partitions": rows})

    @classmethod
    def decode(cls, data: bytes | None) -> dict[TopicPartition, list[int]]:
        """Target replicas by partition."""
        value = decode_json(cls.path, data)
        return understood(
            cls.path,
            lambda: {
                (str(row["topic"]), whole(row["partition"])): [whole(i) for i in row["replicas"]]
                for row in value["partitions"]
            },
        )


class PreferredElection(_PartitionList):
    """Preferred elections asked for by tools older than 2.2."""

    path = "/admin/preferred_replica_election"
