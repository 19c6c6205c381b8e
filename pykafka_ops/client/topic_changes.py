"""Creates, grows and deletes topics at the controller; per item a value or a KafkaError.

Source: KafkaAdminClient.createTopics, createPartitions, deleteTopics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import complete, error_of
from pykafka_ops.client.cluster import CONTROLLER, Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import create_partitions as cp
from pykafka_ops.wire.messages import create_topics as ct
from pykafka_ops.wire.messages import delete_topics as dt


class NewTopic(NamedTuple):
    """A topic to create: counts (-1: the broker's default) or an assignment per partition."""

    name: str
    partitions: int = -1
    replication_factor: int = -1
    assignment: Mapping[int, Sequence[int]] = {}
    configs: Mapping[str, str] = {}


class CreatedTopic(NamedTuple):
    """What the broker made (-1 where it is too old to say)."""

    id: bytes
    partitions: int
    replication_factor: int


def create_topics(
    cluster: Cluster, topics: Sequence[NewTopic], *, validate_only: bool = False
) -> dict[str, CreatedTopic | KafkaError]:
    """Create the topics at the controller."""
    request = ct.CreateTopicsRequest(
        topics=[_creatable(t) for t in topics],
        timeout_ms=int(cluster.config.request_timeout * 1000),
        validate_only=validate_only,
    )
    response = cluster.call(
        request,
        ct.CreateTopicsResponse,
        to=CONTROLLER,
        name="createTopics",
        again=lambda r: any(t.error_code == ErrorCode.NOT_CONTROLLER for t in r.topics),
    )
    made: dict[str, CreatedTopic | KafkaError] = {
        t.name: error_of(t) or CreatedTopic(t.topic_id, t.num_partitions, t.replication_factor)
        for t in response.topics
    }
    return complete(made, (t.name for t in topics))


def _creatable(topic: NewTopic) -> ct.CreatableTopic:
    return ct.CreatableTopic(
        name=topic.name,
        num_partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        assignments=[
            ct.CreatableReplicaAssignment(partition_index=i, broker_ids=list(ids))
            for i, ids in topic.assignment.items()
        ],
        configs=[ct.CreatableTopicConfig(name=k, value=v) for k, v in topic.configs.items()],
    )


def create_partitions(
    cluster: Cluster,
    totals: Mapping[str, tuple[int, Sequence[Sequence[int]] | None]],
    *,
    validate_only: bool = False,
) -> dict[str, KafkaError | None]:
    """Grow topics to (total, assignments of the new partitions or None); None means done."""
    request = cp.CreatePartitionsRequest(
        topics=[
            cp.CreatePartitionsTopic(
                name=name,
                count=count,
                assignments=None
                if new is None
                else [cp.CreatePartitionsAssignment(broker_ids=list(ids)) for ids in new],
            )
            for name, (count, new) in totals.items()
        ],
        timeout_ms=int(cluster.config.request_timeout * 1000),
        validate_only=validate_only,
    )
    response = cluster.call(
        request,
        cp.CreatePartitionsResponse,
        to=CONTROLLER,
        name="createPartitions",
        again=lambda r: any(t.error_code == ErrorCode.NOT_CONTROLLER for t in r.results),
    )
    return complete({t.name: error_of(t) for t in response.results}, totals)


def delete_topics(cluster: Cluster, names: Sequence[str]) -> dict[str, KafkaError | None]:
    """Delete topics by name; None means done."""
    try:
        states = [dt.DeleteTopicState(name=name) for name in names]
        response = _delete(cluster, dt.DeleteTopicsRequest(topics=states), lowest=6)
    except UnsupportedVersionError:
        response = _delete(cluster, dt.DeleteTopicsRequest(topic_names=list(names)), highest=5)
    return complete({t.name or "": error_of(t) for t in response.responses}, names)


def _delete(
    cluster: Cluster, request: dt.DeleteTopicsRequest, *, lowest: int = 0, highest: int = 0x7FFF
) -> dt.DeleteTopicsResponse:
    request.timeout_ms = int(cluster.config.request_timeout * 1000)
    return cluster.call(
        request,
        dt.DeleteTopicsResponse,
        to=CONTROLLER,
        name="deleteTopics",
        lowest=lowest,
        highest=highest,
        again=lambda r: any(t.error_code == ErrorCode.NOT_CONTROLLER for t in r.responses),
    )
