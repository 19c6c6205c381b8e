"""Replicas out of the ISR that may lead (KIP-966), by DescribeTopicPartitions, page by page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_topic_partitions as dtp


class EligibleReplicas(NamedTuple):
    """``elr``: replicas that have all records up to the high watermark, though they are out of the
    ISR; ``last_known``: those that led or could lead when the last of them went."""

    elr: tuple[int, ...]
    last_known: tuple[int, ...]


def eligible_replicas(
    cluster: Cluster, topics: Iterable[str], *, page: int = 2000
) -> dict[Partition, EligibleReplicas]:
    """The partitions of these topics that have any, at most ``page`` partitions in an answer.

    Topics that may not be described, or are gone, are left out. UnsupportedVersionError where the
    brokers know nothing of it, KafkaError, ConnectError.
    """
    wanted = [dtp.TopicRequest(name=name) for name in sorted(set(topics))]
    found: dict[Partition, EligibleReplicas] = {}
    cursor: dtp.Cursor | None = None
    while wanted:
        request = dtp.DescribeTopicPartitionsRequest(
            topics=wanted, response_partition_limit=page, cursor=cursor
        )
        answer = cluster.call(
            request, dtp.DescribeTopicPartitionsResponse, name="describeTopicPartitions"
        )
        for topic in answer.topics:
            for p in topic.partitions:
                may = EligibleReplicas(
                    tuple(p.eligible_leader_replicas or ()), tuple(p.last_known_elr or ())
                )
                if topic.name and any(may):
                    found[topic.name, p.partition_index] = may
        after = answer.next_cursor
        if after is None:
            break
        if cursor is not None and _place(after) <= _place(cursor):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "the pages of topics do not advance")
        cursor = after
        wanted = [t for t in wanted if t.name >= after.topic_name]
    return found


def _place(cursor: dtp.Cursor) -> Partition:
    return cursor.topic_name, cursor.partition_index
