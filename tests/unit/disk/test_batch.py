"""Batch headers: read, check, patch and scan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import batch, build
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, CorruptError, KafkaError

RECORDS = [Record(n, 1000 + n, b"k%d" % n, b"v" * n, [("h", None)]) for n in range(5)]


def refused(data: bytearray) -> str:
    """Why a client's batch is refused, with its code."""
    with pytest.raises((CorruptBatchError, KafkaError)) as caught:
        batch.validate_client_batch(memoryview(data))
    code = caught.value.code if isinstance(caught.value, KafkaError) else 2
    return f"{code} {caught.value}"


def changed(**fields: int) -> bytearray:
    """A good batch with other header fields and a right CRC."""
    good = build_batch(RECORDS)
    header = batch.read_header(good)._replace(**fields)
    return build.assemble(header, good[batch.HEADER_SIZE :])


def test_a_good_client_batch_is_accepted_whatever_follows_it() -> None:
    data = build_batch(RECORDS)
    assert batch.validate_client_batch(memoryview(data + b"junk")) == batch.read_header(data)


def test_validation_refuses_what_kafka_refuses() -> None:
    good = build_batch(RECORDS)
    assert refused(good[:60]).startswith("2 ")
    assert refused(good[:-1]).startswith("2 ")
    assert refused(bytearray()).startswith("2 ")
    assert refused(changed(magic=1)) == "2 Invalid magic found in record: 1"
    assert refused(changed(base_offset=3)).endswith("should be 0, but it is 3")
    assert refused(changed(record_count=4)).startswith("87 Inconsistent batch offset range [0, 4]")
    assert refused(changed(record_count=0)) == "87 Invalid reported count for record batch: 0"
    assert refused(changed(last_offset_delta=-1)).startswith(
        "87 Batch has an invalid offset range: [0, -1]"
    )
    assert refused(changed(last_offset_delta=-1, record_count=0)).startswith("87 Batch has")
    assert refused(changed(attributes=0x20)) == (
        "87 Clients are not allowed to write control records"
    )
    assert refused(changed(attributes=5)) == "-1 Unknown compression type id: 5"
    assert refused(changed(producer_id=9)).startswith("87 Invalid sequence number -1")
    broken = bytearray(good)
    broken[-1] ^= 1
    assert refused(broken).startswith("2 Record is corrupt (stored crc = ")


@pytest.mark.parametrize("length", [-(2**31), -13, -12, 0, 13, 48, 2**31 - 1])
def test_lying_batch_lengths_are_corrupt(length: int) -> None:
    data = build_batch(RECORDS)
    data[8:12] = length.to_bytes(4, "big", signed=True)
    assert refused(data).startswith("2 ")
    with pytest.raises(CorruptBatchError):
        batch.ensure_valid(data, 0, batch.read_header(data))


def test_a_magic_of_the_future_is_named_as_java_does() -> None:
    for magic, shown in ((3, 3), (255, -1)):
        with pytest.raises(CorruptBatchError, match=f"record: {shown}$"):
            batch.next_batch_size(changed(magic=magic - 256 if magic > 127 else magic))


def test_offsets_and_epoch_are_patched_without_touching_the_crc() -> None:
    data = bytearray(3) + build_batch(RECORDS)
    batch.set_offsets(data, 3, 1 << 40, 12)
    header = batch.read_header(data, 3)
    assert (header.base_offset, header.partition_leader_epoch) == (1 << 40, 12)
    assert batch.check_crc(data, 3, header)
    assert [r.offset for r in iter_records(data, 3, header)] == list(range(1 << 40, (1 << 40) + 5))


def test_log_append_time_goes_on_and_off_with_a_right_crc() -> None:
    data = build_batch(RECORDS)
    batch.set_log_append_time(memoryview(data), 0, 5555)
    header = batch.read_header(data)
    assert header.is_log_append_time and header.max_timestamp == 5555
    assert batch.check_crc(data, 0, header)
    assert {r.timestamp for r in iter_records(data, 0, header)} == {5555}
    batch.set_create_time(data, 0, 1004)
    assert data == build_batch(RECORDS)


def test_a_delete_horizon_stands_in_the_base_timestamp() -> None:
    header = batch.read_header(build_batch(RECORDS))
    assert header.delete_horizon_ms is None and not header.has_delete_horizon
    marked = header._replace(attributes=batch.DELETE_HORIZON_FLAG, base_timestamp=9)
    assert marked.delete_horizon_ms == 9 and marked.has_delete_horizon


def test_scan_gives_whole_batches_and_stops_at_a_cut_one() -> None:
    first, second = build_batch(RECORDS), build_batch(RECORDS, base_offset=0)
    batch.set_offsets(second, 0, 5, 1)
    log = first + second + first[:70]
    found = list(batch.scan(log))
    assert [(pos, h.base_offset) for pos, h in found] == [(0, 0), (len(first), 5)]
    assert list(batch.scan(log, len(first))) == found[1:]
    assert list(batch.scan(log, 0, len(first) + 10)) == found[:1]
    assert list(batch.scan(b"")) == []


@pytest.mark.parametrize(("at", "value"), [(16, 1), (8, 255)])
def test_scan_raises_where_no_batch_can_be(at: int, value: int) -> None:
    data = build_batch(RECORDS)
    data[at] = value
    with pytest.raises(CorruptBatchError, match="at position 0"):
        list(batch.scan(data))


def test_next_batch_size_knows_every_format() -> None:
    data = build_batch(RECORDS)
    assert batch.next_batch_size(data) == len(data)
    assert batch.next_batch_size(data[:-1]) is None
    assert batch.next_batch_size(data[:16]) is None
    with pytest.raises(CorruptBatchError, match="minimum record overhead"):
        batch.next_batch_size(bytes(100))
    data[16] = 3
    with pytest.raises(CorruptBatchError, match="Invalid magic"):
        batch.next_batch_size(data)


def test_headers_are_not_read_past_the_end() -> None:
    for pos in (-1, 1, 1000):
        with pytest.raises(CorruptBatchError):
            batch.read_header(build_batch(RECORDS)[:61], pos)


@given(st.binary(max_size=200))
def test_noise_never_passes_for_a_batch(data: bytes) -> None:
    with pytest.raises((CorruptBatchError, KafkaError)):
        batch.validate_client_batch(memoryview(data))


@given(st.data())
def test_one_changed_byte_is_always_noticed_or_not_covered(data: st.DataObject) -> None:
    good = build_batch(RECORDS)
    at = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[at] ^= data.draw(st.integers(1, 255))
    if 12 <= at < 16:  # the leader epoch is the broker's to write
        assert batch.validate_client_batch(memoryview(bad)).record_count == 5
    else:
        refused(bad)


@given(st.binary(min_size=61, max_size=300), st.integers(0, 2**31 - 1))
def test_scanning_noise_ends_in_batches_or_a_corrupt_error(data: bytes, length: int) -> None:
    log = bytearray(data)
    log[8:12] = length.to_bytes(4, "big")
    log[16] = 2
    try:
        for pos, header in batch.scan(log):
            assert pos + header.size <= len(log)
            for _ in iter_records(log, pos, header, 1 << 16):
                pass
    except CorruptError:
        pass


def test_header_fields_are_where_the_format_has_them() -> None:
    data = bytearray(61)
    data[0:8] = (1).to_bytes(8, "big")
    data[8:12] = (49).to_bytes(4, "big")
    data[12:16] = (3).to_bytes(4, "big")
    data[16] = 2
    data[17:21] = (0xFFFFFFFF).to_bytes(4, "big")
    data[21:23] = (0x30).to_bytes(2, "big")
    for start, end, value in ((23, 27, 6), (27, 35, 7), (35, 43, 8), (43, 51, 9), (51, 53, 10)):
        data[start:end] = value.to_bytes(end - start, "big")
    data[53:57] = (11).to_bytes(4, "big")
    data[57:61] = (12).to_bytes(4, "big")
    expected = BatchHeader(1, 49, 3, 2, 0xFFFFFFFF, 0x30, 6, 7, 8, 9, 10, 11, 12)
    assert batch.read_header(data) == expected
