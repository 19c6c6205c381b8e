"""Records of a log, and those that a reader of committed ones gets."""

from __future__ import annotations

from pykafka_ops.client.fetch import committed_from, records_from
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.record import Record

ABORT, COMMIT = ControlType.ABORT, ControlType.COMMIT


def written(offset: int, producer: int = -1) -> bytearray:
    record = Record(offset, 0, None, b"%d" % offset)
    ids = {"producer_id": producer, "producer_epoch": 0, "base_sequence": offset}
    return build_batch(
        [record], base_offset=offset, transactional=producer >= 0, **(ids if producer >= 0 else {})
    )


def ended(offset: int, producer: int, kind: ControlType) -> bytes | bytearray:
    marker = EndTxnMarker(kind, 0)
    return build_marker(
        marker, base_offset=offset, timestamp=0, producer_id=producer, producer_epoch=0
    )


LOG = memoryview(
    b"".join(
        (
            written(0), written(1, 7), written(2, 8), written(3), ended(4, 7, ABORT),
            written(5, 7), ended(6, 8, COMMIT), ended(7, 7, COMMIT),
        )
    )
)  # fmt: skip


def test_aborted_records_are_left_out_up_to_their_marker() -> None:
    values = [r.value for r in committed_from(LOG, 0, [(7, 1)])]
    assert values == [b"0", b"2", b"3", b"5"]
    assert [r.offset for r in committed_from(LOG, 2, [(7, 1)])] == [2, 3, 5]


def test_without_a_look_at_transactions_all_records_but_markers_are_given() -> None:
    assert [r.offset for r in records_from(LOG, 0)] == [0, 1, 2, 3, 5]
    assert [r.offset for r in committed_from(LOG, 0, [])] == [0, 1, 2, 3, 5]
