"""Records read from partition leaders, for a look at single places of a log.

Not a consumer: no session, no prefetching; a question per leader for any number of partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.batches import batches_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.leaders import Answers, Partition, ask_leaders
from pykafka_ops.disk.batch import read_header, scan
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, PkoError
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic

BY_NAME: Final = 12
"""The last version that names topics; later ones want their ids."""


class FetchedBatches(NamedTuple):
    """Whole batches from the one that holds the offset asked for on (b"": there is none yet).

    ``aborted``: of read_committed, producer id and first offset of each transaction to leave out.
    """

    records: memoryview
    high_watermark: int
    log_start_offset: int
    aborted: Sequence[tuple[int, int]] = ()


def fetch(
    cluster: Cluster,
    wanted: Mapping[Partition, int],
    *,
    partition_bytes: int = 1 << 20,
    max_bytes: int = 50 << 20,
    read_committed: bool = False,
    leaders: Mapping[Partition, int] | None = None,
) -> dict[Partition, FetchedBatches | PkoError]:
    """Read each partition from an offset; both limits in bytes, per partition and per leader.

    A leader gives at least one batch for the first partition that has any; the others may come
    back empty where their next batch is larger than the limits. ``read_committed`` ends before
    the first open transaction. ``leaders`` as ``ask_leaders``.
    """

    def ask(node: int, part: dict[Partition, int]) -> Question:
        most = partition_bytes
        topics = by_topic(
            (topic, FetchPartition(partition=n, fetch_offset=at, partition_max_bytes=most))
            for (topic, n), at in part.items()
        )
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=max_bytes,
            isolation_level=int(read_committed),
            session_epoch=-1,
            topics=[FetchTopic(topic=t, partitions=p) for t, p in topics.items()],
        )
        return Question(node, request, FetchResponse, lowest=4, highest=BY_NAME)

    return ask_leaders(cluster, wanted, ask, _read, name="fetch", leaders=leaders)


def _read(answer: FetchResponse) -> Answers[FetchedBatches]:
    for topic in answer.responses:
        for p in topic.partitions:
            data = memoryview(cast("bytes", p.records) if p.records is not None else b"")
            aborted = [(a.producer_id, a.first_offset) for a in p.aborted_transactions or ()]
            value = FetchedBatches(data, p.high_watermark, p.log_start_offset, aborted)
            yield (topic.topic, p.partition_index), error_of(p), value


def records_from(data: memoryview, offset: int) -> Iterator[Record]:
    """The records at or above ``offset`` of whole v2 batches; control records are left out.

    Raises CorruptBatchError where a batch cannot be read.
    """
    for position, header in scan(data):
        if header.magic < 2 or header.is_control or header.last_offset < offset:
            continue
        for record in iter_records(data, position, header, DECOMPRESSED_LIMIT):
            if record.offset >= offset:
                yield record


def committed_from(
    data: memoryview, offset: int, aborted: Sequence[tuple[int, int]]
) -> Iterator[Record]:
    """As ``records_from``, without the records of ``aborted`` transactions."""
    for batch in batches_of(data, aborted):
        if batch.state == "committed" and batch.next_offset > offset:
            yield from (record for record in batch.records if record.offset >= offset)


def end_of(data: memoryview, otherwise: int) -> int:
    """The offset behind the last whole batch, ``otherwise`` where there is none."""
    end = otherwise
    try:
        for position, _ in scan(data):
            end = read_header(data, position).next_offset
    except CorruptBatchError:
        return end
    return end
