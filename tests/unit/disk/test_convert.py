"""Conversion between record formats."""

from __future__ import annotations

import struct

import pytest

from pykafka_ops.disk import convert
from pykafka_ops.disk.batch import TimestampType, check_crc, read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.legacy import (
    build_messages,
    iter_message,
    message_content,
    pack_message,
    plain_set,
    scan_messages,
)
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, KafkaError

RECORDS = [Record(n, 900 + n, b"k%d" % n, b"v" * n) for n in range(4)]
MARKER = EndTxnMarker(ControlType.COMMIT, 3)


def opened(data: bytes) -> list[Record]:
    """Records of a message set."""
    return [r for pos, head in scan_messages(data) for r in iter_message(data, pos, head)]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
@pytest.mark.parametrize("magic", [0, 1])
def test_an_old_producers_set_becomes_one_batch(codec: Codec, magic: int) -> None:
    found = convert.read_message_set(build_messages(RECORDS, magic, codec=codec))
    assert (found.codec, found.magic) == (codec, magic)
    records = [r._replace(offset=70 + n) for n, r in enumerate(found.records)]
    data = build_batch(records, base_offset=70, leader_epoch=4, codec=found.codec)
    header = read_header(data)
    assert check_crc(data, 0, header)
    assert (header.base_offset, header.last_offset) == (70, 73)
    assert (header.partition_leader_epoch, header.codec) == (4, codec)
    assert header.max_timestamp == (903 if magic else -1)
    expected = [r._replace(offset=70 + r.offset) for r in RECORDS]
    if not magic:
        expected = [r._replace(timestamp=-1) for r in expected]
    assert list(iter_records(data, 0, header)) == expected


def test_the_topics_codec_and_clock_win() -> None:
    found = convert.read_message_set(build_messages(RECORDS, 1, codec=Codec.GZIP))
    data = build_batch(
        found.records,
        codec=Codec.ZSTD,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
        log_append_time=42,
    )
    header = read_header(data)
    assert (header.codec, header.max_timestamp, header.is_log_append_time) == (Codec.ZSTD, 42, True)


def test_sets_a_producer_may_not_send_are_refused() -> None:
    plain, packed = build_messages(RECORDS, 1), build_messages(RECORDS, 1, codec=Codec.GZIP)
    for data, reason in (
        (b"", "no batches at all"),
        (plain + build_messages(RECORDS, 0), "not the same as the first"),
        (packed + packed, "more than one batch"),
        (plain + packed, "more than one batch"),
        (plain + build_batch(RECORDS), "Batch magic 2 is not the same"),
        (build_messages(RECORDS, 1, codec=Codec.ZSTD), "Invalid wrapper compressionType"),
        (pack_message(Record(0, 5, None, None), 1, Codec.GZIP), "with null value"),
        (pack_message(Record(0, 5, None, compress(Codec.GZIP, packed)), 1, 1), "not be compressed"),
    ):
        with pytest.raises(KafkaError, match=reason) as caught:
            convert.read_message_set(data)
        assert caught.value.code == 87
    broken = bytearray(plain)
    broken[20] ^= 1
    with pytest.raises(CorruptBatchError, match="stored crc"):
        convert.read_message_set(broken)


def test_junk_after_the_last_message_is_ignored() -> None:
    assert len(convert.read_message_set(build_messages(RECORDS, 1) + b"\x00" * 9).records) == 4


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
@pytest.mark.parametrize("magic", [0, 1])
def test_batches_are_given_to_old_consumers_in_their_format(codec: Codec, magic: int) -> None:
    records = [r._replace(headers=[("h", b"x")]) for r in RECORDS]
    log = build_batch(records, codec=codec) + build_marker(
        MARKER, base_offset=4, timestamp=1, producer_id=1, producer_epoch=0
    )
    data = b"".join(convert.down_convert(log, magic, 0))
    expected = [r if magic else r._replace(timestamp=-1) for r in RECORDS]
    assert opened(data) == expected, "headers and markers are left out"


def test_uncompressed_records_below_the_fetch_offset_are_left_out() -> None:
    assert [
        r.offset for r in opened(b"".join(convert.down_convert(build_batch(RECORDS), 1, 2)))
    ] == [
        2,
        3,
    ]
    packed = build_batch(RECORDS, codec=Codec.GZIP)
    assert len(opened(b"".join(convert.down_convert(packed, 1, 2)))) == 4
    assert b"".join(convert.down_convert(build_batch(RECORDS), 1, 9)) == b""


def test_log_append_time_survives_the_way_down() -> None:
    log = build_batch(RECORDS, timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=42)
    assert {r.timestamp for r in opened(b"".join(convert.down_convert(log, 1, 0)))} == {42}


def test_old_messages_go_unchanged_or_one_step_down() -> None:
    old, newer = build_messages(RECORDS, 0), build_messages(RECORDS, 1, codec=Codec.LZ4)
    assert b"".join(convert.down_convert(old, 1, 0)) == old
    assert b"".join(convert.down_convert(newer, 1, 0)) == newer
    assert b"".join(convert.down_convert(newer, 0, 0)) == build_messages(
        RECORDS, 0, codec=Codec.LZ4
    )


def test_zstd_has_no_old_form() -> None:
    with pytest.raises(KafkaError) as caught:
        list(convert.down_convert(build_batch(RECORDS, codec=Codec.ZSTD), 1, 0))
    assert caught.value.code == 76


@pytest.mark.parametrize("magic", [0, 1])
def test_times_and_offsets_beyond_a_long_do_not_stop_the_conversion(magic: int) -> None:
    batch = build_batch([Record(0, 2**63 - 1, None, b"a"), Record(1, 5, None, b"b")])
    struct.pack_into(">q", batch, 0, 2**63 - 1)
    struct.pack_into(">q", batch, 27, 2**63 - 1)
    assert b"".join(convert.down_convert(bytes(batch), magic, 0))


def test_offsets_in_a_converted_wrapper_count_from_its_first_record() -> None:
    """Compaction took the records before it (``RecordsUtil.convertRecordBatch``)."""
    kept = [Record(7, 1, b"k", b"v"), Record(9, 2, b"l", b"w")]
    batch = build_batch(kept, base_offset=4, codec=Codec.GZIP)
    made = b"".join(convert.down_convert(bytes(batch), 1, 0))
    ((at, head),) = scan_messages(made)
    assert head.offset == 9
    _, base, inside = plain_set(head, message_content(made, at, head)[1], 1 << 20)
    assert (base, [inner.offset for _, inner in inside]) == (7, [0, 2])
    assert [r[:4] for r in opened(made)] == [r[:4] for r in kept]
