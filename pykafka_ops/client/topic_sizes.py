"""How many partitions each topic has, without an answer that grows with the cluster where brokers
know how: DescribeTopicPartitions (KIP-966, Kafka 4 in KRaft) gives pages, Metadata all at once."""

from __future__ import annotations

from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_topic_partitions as dtp

PAGE: Final = 2000
"""Partitions of a page: as many as a broker gives (``max.request.partition.size.limit``)."""


def topic_sizes(cluster: Cluster, *, page: int = PAGE) -> dict[str, int]:
    """Partitions by topic, by name; topics that cannot be described are left out.

    Raises KafkaError, ConnectError.
    """
    try:
        return _by_pages(cluster, page)
    except UnsupportedVersionError:
        return {topic.name: len(topic.partitions) for topic in all_topics(cluster)}


def _by_pages(cluster: Cluster, page: int) -> dict[str, int]:
    found: dict[str, int] = {}
    cursor: dtp.Cursor | None = None
    while True:
        request = dtp.DescribeTopicPartitionsRequest(
            topics=[], response_partition_limit=page, cursor=cursor
        )
        answer = cluster.call(
            request, dtp.DescribeTopicPartitionsResponse, name="describeTopicPartitions"
        )
        for topic in answer.topics:
            if topic.name and not topic.error_code:
                found[topic.name] = found.get(topic.name, 0) + len(topic.partitions)
        after = answer.next_cursor
        if after is None:
            return dict(sorted(found.items()))
        if cursor is not None and _place(after) <= _place(cursor):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "the pages of topics do not advance")
        cursor = after


def _place(cursor: dtp.Cursor) -> tuple[str, int]:
    return cursor.topic_name, cursor.partition_index
