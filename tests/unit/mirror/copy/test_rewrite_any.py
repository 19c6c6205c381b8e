"""Rewriting of any log, and of bytes that mean harm."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.batch import BatchHeader, TimestampType, scan, validate_client_batch
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.mirror.copy.pieces import RecordTooLargeError, TargetBatch, TargetLimits, stamp
from pykafka_ops.mirror.copy.rewrite import SMALL_BATCH, Rewriter
from tests.support.mirror.logs import CODECS, LIMITS, batch, plain, rewrite, some, written
from tests.support.raising import raises_only

records_of = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(-1, 2**40),
        st.none() | st.binary(max_size=40),
        st.none() | st.binary(max_size=300) | st.just(bytes(3 * SMALL_BATCH)),
        st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=9)), max_size=3),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(records_of, st.sampled_from(CODECS), st.booleans(), st.integers(0, 3)),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 40),
    st.sampled_from([900, 5_000, 1 << 20]),
)
def test_any_log_is_carried_over_record_by_record(
    log: list[
        tuple[list[tuple[int, int, bytes, bytes, list[tuple[str, bytes]]]], Codec, bool, int]
    ],
    position: int,
    most: int,
) -> None:
    data, expected, at = b"", [], 0
    for rows, codec, appended, gap in log:
        base = at = at + gap
        records = []
        for step, time, key, value, headers in rows:
            records.append(Record(at + step, time, key, value, tuple(headers)))
            at += step + 1
        kind = TimestampType.LOG_APPEND_TIME if appended else TimestampType.CREATE_TIME
        data += batch(
            records, base_offset=base, codec=codec, timestamp_type=kind, log_append_time=777
        )
        expected += [r._replace(timestamp=777) for r in records] if appended else records
    limits = TargetLimits(max_bytes=most)
    wanted = [r for r in expected if r.offset >= position]
    pieces = rewrite(data, position, limits, skip=True)
    found = written(pieces)
    skipped = sum(piece.skipped for piece in pieces)
    assert len(found) == len(wanted) - skipped
    remaining = iter(plain(wanted))
    assert all(record in remaining for record in plain(found))
    if pieces:
        assert pieces[-1].next_offset == at
    assert all(len(piece.data) <= most for piece in pieces)


@given(st.data())
def test_damaged_bytes_are_refused_or_give_batches_that_pass(data: st.DataObject) -> None:
    parts = [
        batch(some(0, 3)),
        batch(some(3, 60), codec=Codec.LZ4),
        build_messages([r._replace(headers=()) for r in some(63, 3)], 1, codec=Codec.GZIP),
        batch(some(66, 5), codec=Codec.SNAPPY),
    ]
    raw = bytearray(b"".join(parts))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):  # with good CRCs again, as whoever means harm would send it
        for at, header in _heads(raw):
            part = raw[at : at + header.size]
            raw[at : at + header.size] = assemble(header, part[61:])
    found: list[TargetBatch] = []
    with raises_only(CorruptBatchError, RecordTooLargeError):
        found.extend(Rewriter(0, LIMITS).pieces(memoryview(raw), [(9, 2)]))
    for piece in found:
        if piece.data:
            stamp(piece.data, 1, 0, 0, transactional=False)
            assert validate_client_batch(piece.data).record_count == piece.count


def _heads(raw: bytearray) -> list[tuple[int, BatchHeader]]:
    heads = []
    try:
        for at, header in scan(raw):
            heads.append((at, header))
    except CorruptBatchError:
        pass
    return heads
