"""Message sets v0/v1: read, build, refuse."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import legacy
from pykafka_ops.disk.batch import TimestampType
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.legacy import build_messages, iter_message, read_message_header
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from tests.support.raising import raises_only

OLD_CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]
OPTIONAL_BYTES = st.none() | st.binary(max_size=100)
RECORDS = [Record(40 + n, 900 + n, b"k%d" % n, b"v" * n) for n in range(4)]


def read_all(data: bytes, **kwargs: Any) -> list[Record]:
    """Every record of a message set, wrappers opened."""
    return [
        record
        for pos, header in legacy.scan_messages(data)
        for record in iter_message(data, pos, header, **kwargs)
    ]


@given(
    st.lists(st.tuples(st.integers(0, 3), OPTIONAL_BYTES, OPTIONAL_BYTES), min_size=1, max_size=9),
    st.sampled_from(OLD_CODECS),
    st.sampled_from([0, 1]),
)
def test_message_sets_round_trip(bodies: list[Any], codec: Codec, magic: int) -> None:
    offset, records = 7, []
    for gap, key, value in bodies:
        offset += gap + 1
        records.append(Record(offset, offset * 3 if magic else -1, key, value))
    data = build_messages(records, magic, codec=codec)
    assert read_all(data, verify=True) == records
    header = read_message_header(data)
    assert header.codec is codec and legacy.check_message_crc(data, 0, header)
    if codec:
        assert header.offset == offset and header.size == len(data)


def test_v0_has_no_timestamps_and_absolute_offsets_inside() -> None:
    data = build_messages(RECORDS, 0, codec=Codec.GZIP)
    header = read_message_header(data)
    assert header.timestamp == -1 and header.timestamp_type is TimestampType.NONE
    value = legacy.message_content(data, 0, header)[1]
    inner = [entry for _, entry, _ in legacy.open_wrapper(header, value, 1 << 20)]
    assert [entry.header.offset for entry in inner] == [40, 41, 42, 43]
    assert all(entry.valid for entry in inner)


def test_v1_offsets_inside_a_wrapper_count_from_zero() -> None:
    data = build_messages(RECORDS, 1, codec=Codec.LZ4)
    header = read_message_header(data)
    value = legacy.message_content(data, 0, header)[1]
    inner = [entry for _, entry, _ in legacy.open_wrapper(header, value, 1 << 20)]
    assert [entry.header.offset for entry in inner] == [0, 1, 2, 3]
    assert header.timestamp == 903 and header.timestamp_type is TimestampType.CREATE_TIME


def test_log_append_time_of_a_wrapper_stands_for_all_inside() -> None:
    data = build_messages(
        RECORDS,
        1,
        codec=Codec.GZIP,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
        log_append_time=5000,
    )
    assert {record.timestamp for record in read_all(data)} == {5000}
    assert read_message_header(data).timestamp_type is TimestampType.LOG_APPEND_TIME


def test_a_v1_wrapper_at_offset_zero_keeps_inner_offsets() -> None:
    records = [record._replace(offset=n) for n, record in enumerate(RECORDS)]
    inner = build_messages(records, 1)
    wrapper = Record(0, 1, None, compress(Codec.GZIP, inner))
    data = legacy.pack_message(wrapper, 1, Codec.GZIP)
    assert [record.offset for record in read_all(data)] == [0, 1, 2, 3]


def wrapper(value: bytes | None, *, magic: int = 1, codec: int = 1, offset: int = 9) -> bytes:
    """A wrapper message with a right CRC around whatever."""
    return legacy.pack_message(Record(offset, 1, None, value), magic, codec)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (wrapper(None), "null value"),
        (wrapper(b"\x28\xb5\x2f\xfd", codec=4), "Invalid wrapper compressionType"),
        (wrapper(b"x", codec=7), "Unknown compression type id: 7"),
        (wrapper(compress(Codec.GZIP, b"")), "no inner records"),
        (wrapper(compress(Codec.GZIP, wrapper(b"", offset=0))), "must not be compressed"),
        (
            wrapper(compress(Codec.GZIP, build_messages(RECORDS, 0)), offset=99),
            "does not match wrapper",
        ),
        (wrapper(compress(Codec.GZIP, build_messages(RECORDS, 1))), "less than the last inner"),
        (wrapper(compress(Codec.GZIP, bytes(30))), "minimum record overhead"),
    ],
)
def test_wrappers_kafka_refuses_are_corrupt(data: bytes, reason: str) -> None:
    with pytest.raises(CorruptBatchError, match=reason):
        read_all(data)


def test_a_bad_crc_inside_a_wrapper_is_found_when_asked() -> None:
    inner = bytearray(build_messages(RECORDS[:1], 0))
    inner[23] ^= 1
    data = wrapper(compress(Codec.GZIP, bytes(inner)), magic=0)
    assert len(read_all(data)) == 1
    with pytest.raises(CorruptBatchError, match="stored crc"):
        read_all(data, verify=True)


def test_a_wrapper_bomb_is_refused() -> None:
    with pytest.raises(CorruptBatchError, match="limit"):
        read_all(wrapper(compress(Codec.GZIP, bytes(1 << 20))), limit=1 << 16)


def test_cut_sets_give_their_whole_messages() -> None:
    data = build_messages(RECORDS, 1)
    assert len(read_all(data[:-1])) == 3
    assert read_all(data[:10]) == []


@pytest.mark.parametrize(
    ("offset", "value"), [(8, b"\x00\x00\x00\x0d"), (8, b"\xff\xff\xff\xff"), (16, b"\x02")]
)
def test_impossible_messages_are_corrupt(offset: int, value: bytes) -> None:
    data = bytearray(build_messages(RECORDS, 1))
    data[offset : offset + len(value)] = value
    with pytest.raises(CorruptBatchError):
        read_all(bytes(data))


@given(st.data(), st.sampled_from(OLD_CODECS), st.sampled_from([0, 1]))
def test_mutated_sets_give_records_or_a_corrupt_error(
    data: st.DataObject, codec: Codec, magic: int
) -> None:
    raw = bytearray(build_messages(RECORDS, magic, codec=codec))
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with raises_only(CorruptBatchError):
        read_all(bytes(raw), limit=1 << 16)
