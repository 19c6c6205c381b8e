"""Replica moves under way, and their start and cancel (KIP-455)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import by_topic, error_of, raise_error
from pykafka_ops.client.cluster import CONTROLLER, Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import alter_partition_reassignments as apr
from pykafka_ops.wire.messages import list_partition_reassignments as lpr


class Reassignment(NamedTuple):
    """A move under way: all replicas for now, those to come, those to go."""

    replicas: list[int]
    adding: list[int]
    removing: list[int]


def list_reassignments(
    cluster: Cluster, partitions: Iterable[Partition] | None = None
) -> dict[Partition, Reassignment]:
    """The moves under way, of these partitions or of all; KafkaError where it is not allowed."""
    topics = None
    if partitions is not None:
        topics = [
            lpr.ListPartitionReassignmentsTopics(name=t, partition_indexes=p)
            for t, p in by_topic(partitions).items()
        ]
    request = lpr.ListPartitionReassignmentsRequest(
        topics=topics, timeout_ms=int(cluster.config.request_timeout * 1000)
    )
    response = cluster.call(
        request,
        lpr.ListPartitionReassignmentsResponse,
        to=CONTROLLER,
        name="listPartitionReassignments",
        again=lambda r: bool(r.error_code == ErrorCode.NOT_CONTROLLER),
    )
    raise_error(response)
    return {
        (t.name, p.partition_index): Reassignment(
            p.replicas, p.adding_replicas, p.removing_replicas
        )
        for t in response.topics
        for p in t.partitions
    }


def alter_reassignments(
    cluster: Cluster,
    moves: Mapping[Partition, Sequence[int] | None],
    *,
    keep_factor: bool = False,
) -> dict[Partition, KafkaError | None]:
    """Start moves to these replicas, or cancel (None); None in the result means accepted.

    ``keep_factor``: the controller refuses what would change a replication factor (brokers from
    4.1 on).
    """
    topics = by_topic(
        (
            topic,
            apr.ReassignablePartition(
                partition_index=index, replicas=None if replicas is None else list(replicas)
            ),
        )
        for (topic, index), replicas in moves.items()
    )
    request = apr.AlterPartitionReassignmentsRequest(
        topics=[apr.ReassignableTopic(name=t, partitions=p) for t, p in topics.items()],
        timeout_ms=int(cluster.config.request_timeout * 1000),
        allow_replication_factor_change=not keep_factor,
    )
    response = cluster.call(
        request,
        apr.AlterPartitionReassignmentsResponse,
        to=CONTROLLER,
        name="alterPartitionReassignments",
        lowest=int(keep_factor),
        again=lambda r: bool(r.error_code == ErrorCode.NOT_CONTROLLER),
    )
    raise_error(response)
    return {
        (t.name, p.partition_index): error_of(p) for t in response.responses for p in t.partitions
    }
