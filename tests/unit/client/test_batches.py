"""What a leader's answer holds, batch by batch, with what became of each."""

from __future__ import annotations

import pytest

from pykafka_ops.client.batches import batches_of
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError


def written(offset: int, producer: int = -1) -> bytes:
    record = Record(offset, 0, None, b"%d" % offset)
    ids = {"producer_id": producer, "producer_epoch": 0, "base_sequence": offset}
    return bytes(
        build_batch(
            [record], base_offset=offset, transactional=producer >= 0,
            **(ids if producer >= 0 else {}),
        )
    )  # fmt: skip


def ended(offset: int, producer: int, kind: ControlType) -> bytes:
    return bytes(
        build_marker(
            EndTxnMarker(kind, 0), base_offset=offset, timestamp=0, producer_id=producer,
            producer_epoch=0,
        )
    )  # fmt: skip


LOG = b"".join(
    (written(0), written(1, 7), written(2, 8), ended(3, 7, ControlType.ABORT), written(4, 7))
)


def states(data: bytes, aborted: list[tuple[int, int]] | None) -> list[tuple[int, str]]:
    return [(b.base_offset, b.state) for b in batches_of(memoryview(data), aborted)]


def test_a_transaction_is_aborted_up_to_its_marker() -> None:
    assert states(LOG, [(7, 1)]) == [
        (0, "committed"), (1, "aborted"), (2, "committed"), (3, "control"), (4, "committed"),
    ]  # fmt: skip


def test_without_a_list_of_the_aborted_transactions_are_open() -> None:
    assert states(LOG, None) == [
        (0, "committed"), (1, "open"), (2, "open"), (3, "control"), (4, "open"),
    ]  # fmt: skip


def test_a_cut_batch_ends_it_and_a_wrong_one_is_told() -> None:
    assert states(LOG[:-1], []) == states(LOG, [])[:-1]
    with pytest.raises(CorruptBatchError):
        states(LOG + b"\x00" * 100, [])


def test_old_formats_are_read_too() -> None:
    for magic in (0, 1):
        old = bytes(build_messages([Record(5, 9, b"k", b"v")], magic))
        found = list(batches_of(memoryview(old)))
        assert [(b.base_offset, b.next_offset, b.state) for b in found] == [(5, 6, "committed")]
        assert [r.value for r in found[0].records] == [b"v"]
