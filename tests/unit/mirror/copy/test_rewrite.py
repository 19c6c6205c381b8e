"""Rewriting batches of a source's log for the target."""

from __future__ import annotations

import itertools

import pytest

from pykafka_ops.disk.batch import (
    DELETE_HORIZON_FLAG,
    BatchHeader,
    TimestampType,
    read_header,
    validate_client_batch,
)
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.mirror.copy.pieces import RecordTooLargeError, TargetBatch, TargetLimits, stamp
from pykafka_ops.mirror.copy.reencode import Loose, fasten, loosen
from pykafka_ops.mirror.copy.rewrite import Rewriter
from tests.support.mirror.logs import CODECS, LIMITS, batch, plain, rewrite, some, written


@pytest.mark.parametrize("codec", CODECS)
def test_a_batch_goes_as_it_is(codec: Codec) -> None:
    records = some(1000, 300)
    data = batch(records, codec=codec, producer_id=9, producer_epoch=1, base_sequence=44)
    (piece,) = rewrite(data, 1000)
    assert bytes(piece.data[61:]) == data[61:]
    assert piece.runs == ((1000, 0, 300),)
    assert (piece.next_offset, piece.leader_epoch, piece.source_bytes) == (1300, 5, len(data))
    assert plain(written([piece])) == plain(records)


def test_stamping_again_changes_the_sequence_alone() -> None:
    (piece,) = rewrite(batch(some(0, 90)))
    stamp(piece.data, 1, 0, 500, transactional=True)
    stamp(piece.data, 2, 1, 7, transactional=False)
    header = validate_client_batch(piece.data)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (2, 1, 7)
    assert header.attributes == 0


def test_the_delete_horizon_goes_and_timestamps_stay() -> None:
    data = batch(some(0, 90))
    header = read_header(data)
    marked = assemble(
        header._replace(attributes=header.attributes | DELETE_HORIZON_FLAG), data[61:]
    )
    assert plain(written(rewrite(bytes(marked)))) == plain(some(0, 90))


@pytest.mark.parametrize("codec", CODECS)
def test_log_append_time_becomes_every_records_time(codec: Codec) -> None:
    records = some(50, 80)
    data = batch(
        records, codec=codec, timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=99
    )
    pieces = rewrite(data, 50)
    assert plain(written(pieces)) == plain([r._replace(timestamp=99) for r in records])
    assert read_header(pieces[0].data).codec is codec
    (piece,) = rewrite(data, 50, TargetLimits(appended=True))
    assert bytes(piece.data[61:]) == data[61:]
    stamp(piece.data, 1, 0, 0, transactional=False)
    assert not validate_client_batch(piece.data).is_log_append_time


@pytest.mark.parametrize("codec", CODECS)
def test_gaps_of_compaction_close_and_are_told(codec: Codec) -> None:
    kept = [r for r in some(100, 200) if r.offset % 10 not in (0, 4, 9)]
    data = batch(kept, base_offset=100, codec=codec)
    (piece,) = rewrite(data, 100)
    assert plain(written([piece])) == plain(kept)
    assert piece.runs[:3] == ((101, 0, 3), (105, 3, 4), (111, 7, 3))
    assert piece.next_offset == 299


def test_a_batch_whose_last_record_was_removed_moves_the_position_behind_it() -> None:
    header = read_header(batch(some(0, 40)))
    shorter = batch(some(0, 30))
    data = assemble(read_header(shorter)._replace(last_offset_delta=39), shorter[61:])
    (piece,) = rewrite(bytes(data))
    assert plain(written([piece])) == plain(some(0, 30))
    assert piece.next_offset == header.next_offset == 40


@pytest.mark.parametrize("codec", CODECS)
def test_half_a_batch_begins_at_the_position(codec: Codec) -> None:
    records = some(0, 100)
    pieces = rewrite(batch(records, codec=codec), 37)
    assert plain(written(pieces)) == plain(records[37:])
    assert pieces[0].runs == ((37, 0, 63),)


def test_what_ends_before_the_position_gives_nothing() -> None:
    assert rewrite(batch(some(0, 100)) + batch(some(100, 3)), 103) == []


def test_cut_bytes_at_the_end_give_nothing() -> None:
    whole = batch(some(0, 100))
    for cut in (1, 16, 17, 60, 61, len(whole) - 1):
        pieces = rewrite(whole + batch(some(100, 100))[:cut])
        assert [piece.next_offset for piece in pieces] == [100]


@pytest.mark.parametrize("codec", CODECS)
def test_a_batch_over_the_limit_is_split(codec: Codec) -> None:
    records = some(0, 400)
    pieces = rewrite(batch(records, codec=codec), 0, TargetLimits(max_bytes=5_000))
    assert len(pieces) > 5
    assert max(len(piece.data) for piece in pieces) <= 5_000
    assert plain(written(pieces)) == plain(records)
    assert sum(piece.source_bytes for piece in pieces) == len(batch(records, codec=codec))


def test_a_record_over_the_limit_stops_after_those_before_it() -> None:
    records = [*some(0, 5), Record(5, 1, b"k", b"x" * 9_000), *some(6, 3)]
    rewriter = Rewriter(0, TargetLimits(max_bytes=6_000))
    found: list[TargetBatch] = []
    with pytest.raises(RecordTooLargeError, match="source offset 5 takes 9") as caught:
        found.extend(rewriter.pieces(memoryview(batch(records))))
    assert (caught.value.offset, caught.value.limit) == (5, 6_000)
    assert plain(written(found)) == plain(records[:5])
    assert found[-1].next_offset == 5


def test_a_record_over_the_limit_is_skipped_and_counted() -> None:
    records = [*some(0, 5), Record(5, 1, b"k", b"x" * 9_000), *some(6, 3)]
    pieces = rewrite(batch(records), 0, TargetLimits(max_bytes=6_000), skip=True)
    assert plain(written(pieces)) == plain([*records[:5], *records[6:]])
    assert sum(piece.skipped for piece in pieces) == 1
    assert pieces[-1].next_offset == 9


def test_a_compressed_record_is_measured_compressed() -> None:
    record = Record(0, 1, b"k", b"x" * 900_000)
    data = batch([record], codec=Codec.ZSTD)
    limits = TargetLimits(max_bytes=20_000, zstd=False)
    assert plain(written(rewrite(data, 0, limits))) == plain([record])


def test_zstd_becomes_lz4_where_the_target_does_not_know_it() -> None:
    (piece,) = rewrite(batch(some(0, 100), codec=Codec.ZSTD), 0, TargetLimits(zstd=False))
    assert plain(written([piece])) == plain(some(0, 100))
    assert read_header(piece.data).codec is Codec.LZ4


def test_timestamps_of_any_distance_survive() -> None:
    far = [Loose(0, -(2**63), b"\1\1\0"), Loose(1, 2**63 - 1, b"\1\1\0"), Loose(2, -1, b"\1\1\0")]
    data = memoryview(fasten(far, Codec.NONE))
    assert list(loosen(data, read_header(data))) == far


def test_small_batches_are_joined() -> None:
    records = some(0, 3_000)
    data = b"".join(batch(records[n : n + 1]) for n in range(3_000))
    pieces = rewrite(data)
    assert len(pieces) < 6
    assert plain(written(pieces)) == plain(records)
    assert [piece.next_offset for piece in pieces][-1] == 3_000
    assert sum(piece.source_bytes for piece in pieces) == len(data)


def test_joining_keeps_the_gaps_between_batches() -> None:
    data = batch(some(0, 3)) + batch(some(10, 2)) + batch(some(12, 2))
    (piece,) = rewrite(data)
    assert piece.runs == ((0, 0, 3), (10, 3, 4))
    assert plain(written([piece])) == plain([*some(0, 3), *some(10, 2), *some(12, 2)])


def test_small_batches_of_several_codecs_are_joined_by_codec() -> None:
    data = b"".join(
        batch(some(n * 4, 4), codec=codec)
        for n, codec in enumerate([Codec.GZIP, Codec.GZIP, Codec.LZ4, Codec.LZ4, Codec.NONE])
    )
    pieces = rewrite(data)
    assert [piece.count for piece in pieces] == [8, 8, 4]
    assert plain(written(pieces)) == plain([r for n in range(5) for r in some(n * 4, 4)])


def test_one_small_batch_alone_goes_as_it_is() -> None:
    data = batch(some(7, 3), codec=Codec.GZIP)
    (piece,) = rewrite(data, 7)
    assert bytes(piece.data[61:]) == data[61:]
    assert plain(written([piece])) == plain(some(7, 3))


def test_small_and_large_batches_keep_their_order() -> None:
    records = some(0, 500)
    cuts = [0, 1, 2, 100, 101, 300, 301, 302, 303, 500]
    data = b"".join(batch(records[a:b]) for a, b in itertools.pairwise(cuts))
    pieces = rewrite(data)
    assert plain(written(pieces)) == plain(records)
    assert [p.next_offset for p in pieces] == sorted({p.next_offset for p in pieces})


def transaction(base: int, producer: int, count: int, *, commit: bool) -> bytes:
    marker = EndTxnMarker(ControlType.COMMIT if commit else ControlType.ABORT, 0)
    return batch(
        some(base, count), producer_id=producer, producer_epoch=0, base_sequence=0,
        transactional=True,
    ) + bytes(
        build_marker(
            marker,
            base_offset=base + count,
            timestamp=1,
            producer_id=producer,
            producer_epoch=0,
        )
    )  # fmt: skip


@pytest.mark.parametrize("count", [3, 200])
def test_markers_and_aborted_transactions_are_left_out(count: int) -> None:
    step = count + 1
    data = b"".join(
        transaction(n * step, 40 + n % 2, count, commit=n in (0, 3, 4)) for n in range(5)
    )
    aborted = [(41, step), (40, 2 * step)]
    pieces = rewrite(data, 0, aborted=aborted)
    expected = [r for n in (0, 3, 4) for r in some(n * step, count)]
    assert plain(written(pieces)) == plain(expected)
    assert pieces[-1].next_offset == 5 * step


def test_uncommitted_reading_passes_everything_but_markers() -> None:
    data = transaction(0, 40, 200, commit=False)
    pieces = rewrite(data, 0, aborted=None)
    assert plain(written(pieces)) == plain(some(0, 200))
    assert pieces[-1].next_offset == 201


def test_an_empty_batch_moves_the_position() -> None:
    header = BatchHeader(50, 49, 2, 2, 0, 0, 9, 0, 0, 5, 0, 0, 0)
    (piece,) = rewrite(bytes(assemble(header, b"")), 50)
    assert (piece.count, piece.next_offset, bytes(piece.data)) == (0, 60, b"")


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_old_formats_become_batches(magic: int, codec: Codec) -> None:
    records = [r._replace(headers=()) for r in some(20, 60)]
    data = build_messages(records, magic, codec=codec)
    expected = records if magic else [r._replace(timestamp=-1) for r in records]
    pieces = rewrite(data, 20)
    assert plain(written(pieces)) == plain(expected)
    assert plain(written(rewrite(data, 33))) == plain(expected[13:])
    assert pieces[-1].next_offset == 80
    assert len(pieces) == 1


def test_an_old_log_append_time_is_kept() -> None:
    data = build_messages(
        some(0, 9), 1, codec=Codec.GZIP, timestamp_type=TimestampType.LOG_APPEND_TIME,
        log_append_time=123,
    )  # fmt: skip
    assert {r.timestamp for r in written(rewrite(data))} == {123}


def test_formats_may_change_within_an_answer() -> None:
    old = build_messages([r._replace(headers=()) for r in some(0, 4)], 1)
    pieces = rewrite(old + batch(some(4, 100)) + batch(some(104, 2)))
    expected = [r._replace(headers=()) for r in some(0, 4)] + some(4, 100) + some(104, 2)
    assert plain(written(pieces)) == plain(expected)


def test_a_damaged_batch_stops_after_those_before_it() -> None:
    first, second = batch(some(0, 2)), bytearray(batch(some(2, 100)))
    second[200] ^= 1
    rewriter = Rewriter(0, LIMITS)
    found: list[TargetBatch] = []
    with pytest.raises(CorruptBatchError, match="offset 2 does not match its CRC"):
        found.extend(rewriter.pieces(memoryview(first + second)))
    assert plain(written(found)) == plain(some(0, 2))
    message = bytearray(build_messages(some(0, 1), 1))
    message[-1] ^= 1
    with pytest.raises(CorruptBatchError, match="message at source offset 0"):
        rewrite(bytes(message))


@pytest.mark.parametrize(
    "fields",
    [
        {"base_offset": -5},
        {"base_offset": 2**63 - 20},
        {"last_offset_delta": -1},
        {"record_count": -1, "last_offset_delta": 99},
        {"record_count": 101},
        {"record_count": 2**31 - 1, "last_offset_delta": 2**31 - 1},
        {"record_count": 99},
        {"attributes": 6},
        {"last_offset_delta": 42},
    ],
)
def test_headers_that_cannot_be_are_refused(fields: dict[str, int]) -> None:
    data = batch(some(0, 100))
    made = assemble(read_header(data)._replace(**fields), data[61:])
    with pytest.raises(CorruptBatchError):
        rewrite(bytes(made), -1 if fields.get("base_offset", 0) < 0 else 0)
