"""Transaction markers."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.batch import check_crc, read_header
from pykafka_ops.disk.control import (
    ControlType,
    EndTxnMarker,
    build_marker,
    control_type_id,
    read_marker,
)
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError


@pytest.mark.parametrize("kind", [ControlType.COMMIT, ControlType.ABORT])
def test_a_marker_batch_says_how_the_transaction_ended(kind: ControlType) -> None:
    marker = EndTxnMarker(kind, 12)
    data = build_marker(marker, base_offset=5, timestamp=99, producer_id=7, producer_epoch=2)
    header = read_header(data)
    assert header.is_control and header.is_transactional and check_crc(data, 0, header)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, -1)
    (record,) = iter_records(data, 0, header)
    assert record.offset == 5 and record.timestamp == 99
    assert read_marker(record) == marker


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (None, b"", "at least 4 bytes, but found only 0"),
        (b"\x00\x00\x00", b"", "found only 3"),
        (b"\xff\xff\x00\x00", b"", "Invalid version found for control record: -1"),
        (b"\x00\x00\x00\x02", b"", "Invalid control record type"),
        (b"\x00\x00\x00\x01", b"\x00", "found only 1"),
        (b"\x00\x00\x00\x01", None, "found only 0"),
        (b"\x00\x00\x00\x01", b"\xff\xff\x00\x00\x00\x00", "end transaction marker: -1"),
    ],
)
def test_what_is_no_marker_is_corrupt(key: bytes | None, value: bytes | None, reason: str) -> None:
    with pytest.raises(CorruptBatchError, match=reason):
        read_marker(Record(0, 0, key, value))


def test_newer_types_are_told_by_number() -> None:
    assert control_type_id(b"\x00\x00\x00\x06") == ControlType.KRAFT_VOTERS
