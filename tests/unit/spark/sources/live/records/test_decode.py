"""Fetched bytes as rows: every format, aborted transactions, damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from pykafka_ops.disk.batch import TimestampType
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import EVERY_RECORD as EVERY
from pykafka_ops.spark.sources.live.records.decode import Decoder
from pykafka_ops.spark.sources.live.records.fetch import FetchedPage
from pykafka_ops.spark.sources.live.records.offsets import OffsetRange

HEADERS = [("h", b"1"), ("h", None)]


def records(first: int, count: int, *, headers: bool = False) -> list[Record]:
    return [
        Record(n, 1000 + n, None if n % 3 == 0 else b"k%d" % n, b"v%d" % n if n % 4 else None,
               HEADERS if headers and n % 2 else [])
        for n in range(first, first + count)
    ]  # fmt: skip


def decoder(start: int, end: int, **how: bool) -> Decoder:
    return Decoder(EVERY, OffsetRange("t", 5, start, end), committed=how.get("committed", False))


def rows(data: bytes, start: int, end: int, aborted: Sequence[tuple[int, int]] = ()) -> Any:
    """(rows, next offset) of one page."""
    reader = decoder(start, end, committed=bool(aborted))
    made = reader.decode(FetchedPage(data, aborted))
    table = pa.Table.from_batches(made.batches, schemas.arrow(EVERY))
    return table.to_pylist(), made.next_offset


def expected(found: Sequence[Record], kind: int = 0) -> list[tuple[Any, ...]]:
    return [(r.offset, r.timestamp, kind, r.key, r.value) for r in found]


def seen(found: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (r["offset"], round(r["timestamp"].timestamp() * 1000), r["timestampType"], r["key"],
         r["value"])
        for r in found
    ]  # fmt: skip


@pytest.mark.parametrize("codec", list(Codec))
def test_records_between_the_offsets_are_given_with_all_they_have(codec: Codec) -> None:
    first, second = records(0, 20, headers=True), records(20, 30)
    data = bytes(build_batch(first, codec=codec)) + bytes(build_batch(second, base_offset=20))
    found, following = rows(data, 5, 40)
    assert seen(found) == expected([*first, *second][5:40])
    assert following == 50
    assert {(r["topic"], r["partition"]) for r in found} == {("t", 5)}
    named = [{"key": "h", "value": b"1"}, {"key": "h", "value": None}]
    assert [r["headers"] for r in found[:2]] == [named, None]
    assert [r["key_size"] for r in found[:3]] == [2, None, 2]
    assert [r["value_size"] for r in found[:4]] == [2, 2, 2, None]


def test_the_brokers_time_is_marked_as_such() -> None:
    how = {"timestamp_type": TimestampType.LOG_APPEND_TIME, "log_append_time": 7777}
    data = bytes(build_batch(records(0, 2), **how))  # type: ignore[arg-type]
    assert [row[1:3] for row in seen(rows(data, 0, 2)[0])] == [(7777, 1), (7777, 1)]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_old_messages_before_new_batches_come_page_by_page(magic: int, codec: Codec) -> None:
    old = records(3, 6)
    data = build_messages(old, magic, codec=codec) + bytes(
        build_batch(records(9, 2), base_offset=9)
    )
    found, following = rows(data, 4, 11)
    assert following == 9
    wanted = [r._replace(timestamp=r.timestamp if magic else -1) for r in old[1:]]
    assert seen(found) == expected(wanted, 0 if magic else -1)


def marker(offset: int, producer: int, how: ControlType) -> bytes:
    made = build_marker(EndTxnMarker(how, 0), base_offset=offset, timestamp=1, producer_id=producer,
                        producer_epoch=0)  # fmt: skip
    return bytes(made)


def txn(offset: int, producer: int) -> bytes:
    made = build_batch(records(offset, 1), base_offset=offset, transactional=True,
                       producer_id=producer, producer_epoch=0, base_sequence=0)  # fmt: skip
    return bytes(made)


def test_aborted_transactions_are_left_out_and_so_are_markers() -> None:
    data = (
        txn(0, 7)
        + bytes(build_batch(records(1, 1), base_offset=1))
        + txn(2, 8)
        + marker(3, 7, ControlType.ABORT)
        + txn(4, 7)
        + marker(5, 7, ControlType.COMMIT)
        + marker(6, 8, ControlType.COMMIT)
    )
    found, following = rows(data, 0, 7, [(7, 0)])
    assert [r["offset"] for r in found] == [1, 2, 4]
    assert following == 7
    assert [r["offset"] for r in rows(data, 0, 7)[0]] == [0, 1, 2, 4]


def test_damage_is_named_with_its_offset() -> None:
    data = bytearray(build_batch(records(0, 3)) + build_batch(records(3, 3), base_offset=3))
    data[-4] ^= 1
    with pytest.raises(CorruptBatchError, match="partition t-5: the batch at offset 3 is corrupt"):
        rows(bytes(data), 0, 6)
    with pytest.raises(CorruptBatchError, match="no whole batch"):
        rows(bytes(data[:70]), 0, 6)


def test_a_batch_cut_at_the_end_of_a_page_is_left_for_the_next() -> None:
    data = bytes(build_batch(records(0, 3)) + build_batch(records(3, 3), base_offset=3))
    found, following = rows(data[:-1], 0, 6)
    assert (len(found), following) == (3, 3)


def test_without_columns_rows_are_still_counted() -> None:
    made = Decoder(pa.schema([]), OffsetRange("t", 0, 0, 9), committed=False)
    page = FetchedPage(bytes(build_batch(records(0, 9))), [])
    assert [b.num_rows for b in made.decode(page).batches] == [9]
