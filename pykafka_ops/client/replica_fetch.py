"""What each replica of a partition has, leader or not: fetched as Kafka's debugging consumer.

Source: FetchRequest.DEBUGGING_CONSUMER_ID, to which followers answer, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.fetch import BY_NAME
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic

DEBUGGER: Final = -2
FROM_FOLLOWERS: Final = 11
"""The first version by which followers let any consumer read (KIP-392)."""


class Replica(NamedTuple):
    """Whole batches from the offset asked for on, the high watermark as this broker knows it (-1:
    unknown), and what it says instead."""

    records: memoryview
    high_watermark: int
    error: KafkaError | None


NOTHING: Final = Replica(memoryview(b""), -1, None)


def fetch_replicas(
    cluster: Cluster,
    wanted: Mapping[int, Mapping[Partition, int]],
    *,
    partition_bytes: int,
    wait_ms: int,
) -> dict[int, dict[Partition, Replica] | PkoError]:
    """For each broker what it has of partitions from an offset on, or why it does not answer; asked
    side by side. ``wait_ms``: how long each may wait for the first record."""
    questions = []
    for broker, part in wanted.items():
        topics = by_topic(
            (topic, FetchPartition(partition=number, fetch_offset=offset, log_start_offset=0,
                                   partition_max_bytes=partition_bytes))
            for (topic, number), offset in part.items()
        )  # fmt: skip
        request = FetchRequest(
            replica_id=DEBUGGER, max_wait_ms=wait_ms, min_bytes=1, session_epoch=-1,
            topics=[FetchTopic(topic=t, partitions=p) for t, p in topics.items()],
        )  # fmt: skip
        questions.append(Question(broker, request, FetchResponse, FROM_FOLLOWERS, BY_NAME))
    answers = cluster.call_each(questions, name="fetch", once=True)
    return {
        broker: answer if isinstance(answer, PkoError) else _read(answer)
        for broker, answer in zip(wanted, answers, strict=True)
    }


def _read(answer: FetchResponse) -> dict[Partition, Replica]:
    found: dict[Partition, Replica] = {}
    for topic in answer.responses:
        for p in topic.partitions:
            data = memoryview(cast("bytes", p.records) if p.records is not None else b"")
            found[topic.topic, p.partition_index] = Replica(data, p.high_watermark, error_of(p))
    return found
