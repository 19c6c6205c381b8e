"""Topics with their replicas, partitions with their leaders."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood, whole
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicRecord,
    intern_replicas,
)
from pykafka_ops.broker.state.names import name_problem
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid, uuid_text

_DURING_DELETE = -2
"""The leader of a partition that is being deleted, as ``LeaderAndIsr`` has it."""


class Topics:
    """Parent of the topics."""

    path = "/brokers/topics"


class TopicZNode:
    """A topic's id and assignment."""

    @staticmethod
    def path(topic: str) -> str:
        """Where the topic is."""
        return f"{Topics.path}/{topic}"

    @staticmethod
    def encode(topic_id: bytes, partitions: Mapping[int, ReplicaAssignment]) -> bytes:
        """Version 3 of the format, partitions in order; a zero id is left out."""
        value: dict[str, object] = {
            "partitions": {str(i): a.replicas for i, a in sorted(partitions.items())}
        }
        if topic_id != ZERO_UUID:
            value["topic_id"] = uuid_text(topic_id)
        moving = [(i, a) for i, a in sorted(partitions.items()) if a.being_reassigned]
        value["adding_replicas"] = {str(i): a.adding for i, a in moving if a.adding}
        value["removing_replicas"] = {str(i): a.removing for i, a in moving if a.removing}
        value["version"] = 3
        return encode_json(value)

    @classmethod
    def decode(cls, topic: str, data: bytes | None) -> TopicRecord:
        """Versions 1 to 3 of the format."""
        value = decode_json(cls.path(topic), data)

        def build() -> TopicRecord:
            problem = name_problem(topic)  # a partition's directory could not be made
            if problem is not None:
                raise ValueError(problem)
            adding = value.get("adding_replicas") or {}
            removing = value.get("removing_replicas") or {}
            id_ = value.get("topic_id")
            return TopicRecord(
                parse_uuid(id_) if id_ else ZERO_UUID,
                {
                    whole(index): ReplicaAssignment(
                        intern_replicas(map(whole, replicas)),
                        intern_replicas(map(whole, adding.get(index, ()))),
                        intern_replicas(map(whole, removing.get(index, ()))),
                    )
                    for index, replicas in (value.get("partitions") or {}).items()
                },
            )

        return understood(cls.path(topic), build)


class Partitions:
    """Parent of a topic's partitions."""

    @staticmethod
    def path(topic: str) -> str:
        """Where the topic's partitions are."""
        return f"{Topics.path}/{topic}/partitions"


class TopicPartitionZNode:
    """Parent of a partition's state; no data."""

    @staticmethod
    def path(topic: str, partition: int) -> str:
        """Where the partition is."""
        return f"{Topics.path}/{topic}/partitions/{partition}"


class PartitionState:
    """A partition's leader and ISR; the znode's version is the partition epoch."""

    @staticmethod
    def path(topic: str, partition: int) -> str:
        """Where the state is."""
        return f"{Topics.path}/{topic}/partitions/{partition}/state"

    @staticmethod
    def encode(state: LeaderAndIsr) -> bytes:
        """The znode's data, the same bytes as Kafka's."""
        recovering = ',"leader_recovery_state":1' if state.recovering else ""
        return (
            f'{{"controller_epoch":{state.controller_epoch},"leader":{state.leader},"version":1,'
            f'"leader_epoch":{state.leader_epoch},"isr":[{",".join(map(str, state.isr))}]'
            f"{recovering}}}"
        ).encode()

    @classmethod
    def decode(cls, topic: str, partition: int, data: bytes | None, version: int) -> LeaderAndIsr:
        """``version`` is the znode's."""
        what = cls.path(topic, partition)
        value = decode_json(what, data)
        return understood(
            what,
            lambda: LeaderAndIsr(
                whole(value["leader"], _DURING_DELETE),
                whole(value["leader_epoch"]),
                intern_replicas(map(whole, value["isr"])),
                whole(value["controller_epoch"]),
                version,
                int(value.get("leader_recovery_state", 0)) != 0,
            ),
        )
