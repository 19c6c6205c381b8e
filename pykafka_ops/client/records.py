"""Deletes records before an offset (KIP-107)."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.leaders import Answers, Partition, ask_leaders
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages import delete_records as dr


def delete_records(
    cluster: Cluster, before: Mapping[Partition, int]
) -> dict[Partition, int | PkoError]:
    """Drop what stands before each offset (-1: the high watermark); the new low watermarks."""
    timeout_ms = int(cluster.config.request_timeout * 1000)

    def ask(node: int, part: dict[Partition, int]) -> Question:
        topics = by_topic(
            (topic, dr.DeleteRecordsPartition(partition_index=index, offset=offset))
            for (topic, index), offset in part.items()
        )
        request = dr.DeleteRecordsRequest(
            topics=[dr.DeleteRecordsTopic(name=t, partitions=p) for t, p in topics.items()],
            timeout_ms=timeout_ms,
        )
        return Question(node, request, dr.DeleteRecordsResponse)

    return ask_leaders(cluster, before, ask, _read, name="deleteRecords")


def _read(response: dr.DeleteRecordsResponse) -> Answers[int]:
    for topic in response.topics:
        for p in topic.partitions:
            yield (topic.name, p.partition_index), error_of(p), p.low_watermark
