"""Batches made of records: their headers, and the plain way beside the general one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import batch
from pykafka_ops.disk.batch import TimestampType
from pykafka_ops.disk.build import build_batch, build_plain
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record, iter_records

RECORDS = [Record(n, 1000 + n, b"k%d" % n, b"v" * n, [("h", None)]) for n in range(5)]


def test_a_built_batch_has_the_header_it_was_asked_for() -> None:
    data = build_batch(
        RECORDS,
        codec=Codec.LZ4,
        leader_epoch=7,
        producer_id=99,
        producer_epoch=3,
        base_sequence=2**31 - 2,
        transactional=True,
    )
    header = batch.read_header(data)
    assert header.size == len(data)
    assert (header.base_offset, header.last_offset, header.next_offset) == (0, 4, 5)
    assert (header.base_timestamp, header.max_timestamp) == (1000, 1004)
    assert (header.codec, header.is_transactional, header.is_control) == (Codec.LZ4, True, False)
    assert (header.producer_id, header.producer_epoch, header.partition_leader_epoch) == (99, 3, 7)
    assert header.last_sequence == 2, "sequences wrap after 2**31 - 1"
    assert header.has_producer_id and header.record_count == 5
    assert batch.check_crc(data, 0, header)
    assert list(iter_records(data, 0, header)) == RECORDS


def test_a_batch_built_with_log_append_time_carries_it() -> None:
    data = build_batch(RECORDS, timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=77)
    assert batch.read_header(data).max_timestamp == 77


@given(
    st.lists(st.tuples(st.binary(max_size=300), st.none() | st.binary(max_size=300)), min_size=1),
    st.integers(0, 2**41),
)
def test_a_plain_batch_is_what_the_general_way_makes(
    entries: list[tuple[bytes, bytes | None]], timestamp: int
) -> None:
    records = [Record(n, timestamp, *entry) for n, entry in enumerate(entries)]
    assert build_plain(entries, timestamp) == build_batch(records)
