"""Reading ranges, aborted transactions, and what a cold cache means."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import SIZE, World, filled, headers, values


def offsets(world: World, offset: int, size: int, up_to: int, **more: bool) -> list[int]:
    found = world.log.read(offset, size, up_to=up_to, **more)
    return [h.base_offset for h in headers(found.parts)]


@pytest.mark.parametrize("reopened", [False, True])
def test_a_read_gives_whole_batches_of_one_segment_up_to_a_bound(reopened: bool) -> None:
    w = filled()
    if reopened:
        w.log.close()
        w.reopen(clean=True)
    assert offsets(w, 0, 1 << 20, 10) == [0, 1, 2, 3]
    assert offsets(w, 2, 1 << 20, 10) == [2, 3]
    assert offsets(w, 5, 1 << 20, 7) == [5, 6]
    assert offsets(w, 8, 1 << 20, 10) == [8, 9]
    assert offsets(w, 9, 1 << 20, 9) == []
    assert offsets(w, 10, 1 << 20, 10) == []


@pytest.mark.parametrize("reopened", [False, True])
def test_the_size_may_cut_a_batch_but_not_the_first_one(reopened: bool) -> None:
    w = filled()
    if reopened:
        w.log.close()
        w.reopen(clean=True)
    for offset in (0, 8):
        found = w.log.read(offset, SIZE + 10, up_to=10)
        assert (found.size, len(found.parts[0]), found.first_batch_cut) == (SIZE + 10,) * 2 + (
            False,
        )
        found = w.log.read(offset, 10, up_to=10, min_one_message=True)
        assert (found.size, found.first_batch_cut) == (SIZE, True)
        found = w.log.read(offset, 10, up_to=10, min_one_message=False)
        assert (found.size, found.first_batch_cut) == (10, True)
        assert w.log.read(offset, 0, up_to=10, min_one_message=False).size == 0


def test_next_offset_lies_above_everything_read() -> None:
    w = filled(3, segment_bytes=1 << 20)
    assert w.log.read(0, 1 << 20, up_to=3).next_offset == 3
    assert w.log.read(0, 1 << 20, up_to=2).next_offset == 2
    assert w.log.read(0, SIZE, up_to=3).next_offset in (1, 2, 3)
    w.log.roll()
    assert w.log.read(0, 1 << 20, up_to=3).next_offset == 3
    assert w.log.read(3, 1 << 20, up_to=3).next_offset == 3


def test_an_offset_inside_a_batch_reads_that_batch() -> None:
    w = World()
    w.append(b"a", b"b", b"c")
    w.append(b"d")
    assert offsets(w, 1, 1 << 20, 4) == [0, 3]
    assert offsets(w, 1, 1 << 20, 2) == [], "the batch reaches beyond the bound"
    assert offsets(w, 3, 1 << 20, 4) == [3]


def test_offsets_outside_the_log_are_refused() -> None:
    w = filled()
    w.log.delete_records(3)
    for offset in (2, 11):
        with pytest.raises(KafkaError) as caught:
            w.log.read(offset, 100, up_to=10)
        assert caught.value.code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert offsets(w, 3, 1 << 20, 10) == [3]


def test_a_lying_index_is_noticed_and_passed_over() -> None:
    w = filled(20, segment_bytes=1 << 20)
    w.log.close()
    path = "/data/t-0/00000000000000000000.index"
    good = bytes(w.files.inodes[path].data)
    for entry in range(len(good) // 8):
        bad = bytearray(good)
        bad[entry * 8 + 7] += 5  # a position in the middle of a batch
        w.files.inodes[path].data = bad
        w.reopen(clean=True, end_offset=20, recovery_point=20)
        assert values(w.log) == [(n, b"x" * 20) for n in range(20)]


def test_a_damaged_batch_in_the_middle_answers_corrupt_message() -> None:
    w = filled(20, segment_bytes=1 << 20, index_interval_bytes=1 << 20)
    w.log.close()
    w.files.inodes["/data/t-0/00000000000000000000.log"].data[5 * SIZE + 8 : 5 * SIZE + 12] = bytes(
        4
    )
    w.files.inodes["/data/t-0/00000000000000000000.index"].data += b"\0\0\0\x13" + bytes(
        (19 * SIZE).to_bytes(4, "big")
    )
    w.reopen(clean=True, end_offset=20, recovery_point=20)
    assert offsets(w, 2, SIZE, 20) == [2]
    with pytest.raises(KafkaError) as caught:
        w.log.read(10, 100, up_to=20)
    assert caught.value.code == ErrorCode.CORRUPT_MESSAGE


def test_cold_bytes_are_left_to_another_thread() -> None:
    w = filled()
    warm = w.log.read(0, 1 << 20, up_to=10, cached_only=True)
    assert warm.cold is None and headers(warm.parts)
    w.files.cold = True
    found = w.log.read(0, 1 << 20, up_to=10, cached_only=True)
    assert found.parts == [] and found.cold is not None
    assert found.cold.run() == bytes(warm.parts[0])
    assert (found.size, found.next_offset) == (warm.size, warm.next_offset)


def test_a_read_error_takes_the_directory_offline() -> None:
    w = filled()
    w.files.fail("read", match=".log")
    with pytest.raises(KafkaError) as caught:
        w.log.read(0, 100, up_to=10)
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert not w.home.online


def test_aborted_transactions_are_looked_for_once_and_found_when_they_come() -> None:
    w = filled()
    assert w.log.aborted_transactions(0, 10) == []
    w.files.fail("read", match=".txnindex", times=100)
    assert w.log.aborted_transactions(0, 10) == []
    w.append(b"a", producer_id=1, producer_epoch=0, base_sequence=0, transactional=True)
    w.end_txn(1, commit=False)
    with pytest.raises(KafkaError) as caught:
        w.log.aborted_transactions(0, 12)
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR


def test_an_aborted_transaction_is_found_after_there_was_none() -> None:
    w = filled()
    assert w.log.aborted_transactions(0, 10) == []
    w.append(b"a", producer_id=1, producer_epoch=0, base_sequence=0, transactional=True)
    w.end_txn(1, commit=False)
    assert w.log.aborted_transactions(0, 12) == [(1, 10)]
