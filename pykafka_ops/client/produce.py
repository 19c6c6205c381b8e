"""Batches of records written through the leaders of their partitions.

Not a producer: no queue, no batching, no order kept over failures; what a look at a cluster needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.leaders import PASSING, Answers, Partition, ask_leaders
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import produce as pr

ALL: Final = -1
"""acks: every replica in sync has it."""
_NOT_VERIFIED: Final = PASSING | {ErrorCode.NOT_ENOUGH_REPLICAS}
"""A leader that cannot ask the transaction's coordinator now (it moved, it loads) says so, before
it appends anything (AddPartitionsToTxnManager)."""


def produce(
    cluster: Cluster,
    batches: Mapping[Partition, bytes | bytearray],
    *,
    transactional_id: str | None = None,
) -> dict[Partition, int | PkoError]:
    """Append a batch v2 to each partition with acks=all; the offset of its first record there.

    A batch that was appended though its answer was lost may be appended again. A write to a
    transaction is tried again for NOT_ENOUGH_REPLICAS, too.
    """

    def ask(node: int, part: dict[Partition, bytes | bytearray]) -> Question:
        topics = by_topic(
            (topic, pr.PartitionProduceData(index=n, records=memoryview(batch)))
            for (topic, n), batch in part.items()
        )
        request = pr.ProduceRequest(
            transactional_id=transactional_id,
            acks=ALL,
            timeout_ms=int(cluster.config.request_timeout * 1000),
            topic_data=[pr.TopicProduceData(name=t, partition_data=p) for t, p in topics.items()],
        )
        return Question(node, request, pr.ProduceResponse, lowest=3)

    passing = PASSING if transactional_id is None else _NOT_VERIFIED
    return ask_leaders(cluster, batches, ask, _read, name="produce", passing=passing)


def _read(answer: pr.ProduceResponse) -> Answers[int]:
    for topic in answer.responses:
        for p in topic.partition_responses:
            yield (topic.name, p.index), error_of(p), p.base_offset
