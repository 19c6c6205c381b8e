"""Idempotence, fencing and open transactions of one partition."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.hot.sequence import in_sequence
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.producer_room import PRODUCER_BYTES, ProducerRoom
from pykafka_ops.broker.state.producers import BatchMetadata, Origin, Producers
from pykafka_ops.disk.snapshot import ProducerEntry
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

DAY = 86_400_000
MAX = 2**31 - 1


def add(
    p: Producers, pid: int, epoch: int, first: int, count: int, offset: int, *, txn: bool = False
) -> None:
    """Check and add a batch of ``count`` records."""
    p.check_batch(pid, epoch, first, offset, transactional=txn)
    last = (first + count - 1) & MAX
    p.add_batch(
        pid, epoch, BatchMetadata(last, offset + count - 1, count - 1, 1000), transactional=txn
    )


def refused(code: ErrorCode, call: Callable[[], object]) -> str:
    with pytest.raises(KafkaError) as caught:
        call()
    assert caught.value.code == code
    return caught.value.message


def test_sequences_must_follow_each_other() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 3, 0)
    add(p, 7, 0, 3, 1, 3)
    text = refused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        lambda: p.check_batch(7, 0, 5, 4, transactional=False),
    )
    assert text == (
        "Out of order sequence number for producer 7 at offset 4 in partition t-0: "
        "5 (incoming seq. number), 3 (current end sequence number)"
    )
    assert in_sequence(p, 7, 0, 4, False)
    assert not in_sequence(p, 7, 0, 5, False)
    assert not in_sequence(p, 7, 1, 4, False)
    assert not in_sequence(p, 8, 0, 0, False)


def test_a_transaction_in_one_partition_is_none_in_another() -> None:
    one, two = Producers("t-0"), Producers("t-1")
    add(one, 7, 0, 0, 3, 5, txn=True)
    assert (one.first_unstable_offset, two.first_unstable_offset) == (5, -1)
    one.add_marker(7, 0, 0, offset=8, timestamp=1000, aborted=False)
    assert (one.first_undecided_offset, one.first_unstable_offset) == (-1, 5)
    two.load(one.entries(), 9, 1000, DAY)
    add(two, 8, 0, 0, 1, 9, txn=True)
    one.on_high_watermark(9)
    assert (one.first_unstable_offset, two.first_unstable_offset) == (-1, 9)
    assert Producers("t-2").first_unstable_offset == -1


def test_an_unknown_producer_may_start_anywhere() -> None:
    p = Producers("t-0")
    add(p, 7, 3, 40, 2, 0)
    state = p.get(7)
    assert state is not None and (state.epoch, state.last_sequence) == (3, 41)


def test_sequences_wrap_after_the_largest_int() -> None:
    p = Producers("t-0")
    add(p, 7, 0, MAX - 1, 2, 0)
    add(p, 7, 0, 0, 1, 2)
    add(p, 8, 0, MAX, 3, 3)
    found = p.find_duplicate(8, 0, MAX, 1)
    assert found is not None
    assert (found.first_offset, found.last_offset) == (3, 5)
    add(p, 8, 0, 2, 1, 6)


def test_only_the_last_five_batches_are_known_as_duplicates() -> None:
    p = Producers("t-0")
    for i in range(6):
        add(p, 7, 0, i, 1, 10 + i)
    assert p.find_duplicate(7, 0, 0, 0) is None
    found = p.find_duplicate(7, 0, 1, 1)
    assert found is not None
    assert (found.first_offset, found.last_offset, found.timestamp) == (11, 11, 1000)
    assert p.find_duplicate(7, 1, 1, 1) is None
    assert p.find_duplicate(7, 0, 1, 2) is None


def test_a_new_epoch_starts_at_zero_and_fences_the_old() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 1, 0)
    refused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        lambda: p.check_batch(7, 1, 1, 1, transactional=False),
    )
    add(p, 7, 1, 0, 1, 1)
    text = refused(
        ErrorCode.INVALID_PRODUCER_EPOCH, lambda: p.check_batch(7, 0, 1, 2, transactional=False)
    )
    assert text.endswith("is 0, which is smaller than the last seen epoch 1")
    assert p.find_duplicate(7, 1, 0, 0) is not None


def test_coordinators_write_without_sequences() -> None:
    p = Producers("t-0")
    add(p, 7, 2, 0, 1, 0)
    p.check_batch(7, 2, -1, 1, transactional=False, origin=Origin.COORDINATOR)
    with pytest.raises(KafkaError):
        p.check_batch(7, 1, -1, 1, transactional=False, origin=Origin.COORDINATOR)


def test_an_open_transaction_holds_readers_back_until_its_marker_is_replicated() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 2, 10, txn=True)
    add(p, 8, 0, 0, 1, 12, txn=True)
    add(p, 7, 0, 2, 1, 13, txn=True)
    assert (p.first_unstable_offset, p.first_undecided_offset) == (10, 10)
    done = p.add_marker(7, 0, 5, offset=14, timestamp=2000, aborted=True)
    assert done == (7, 10, 14, True, 12)
    assert (p.first_unstable_offset, p.first_undecided_offset) == (10, 12)
    p.on_high_watermark(14)
    assert p.first_unstable_offset == 10
    p.on_high_watermark(15)
    assert p.first_unstable_offset == 12
    done = p.add_marker(8, 0, 5, offset=15, timestamp=2000, aborted=False)
    assert done == (8, 12, 15, False, 16)
    p.on_high_watermark(16)
    assert p.first_unstable_offset == -1
    assert p.is_empty is False


def test_a_marker_without_a_transaction_ends_nothing_but_may_raise_the_epoch() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 2, 10)
    assert p.add_marker(7, 1, 5, offset=12, timestamp=9, aborted=True) is None
    state = p.get(7)
    assert state is not None
    assert (state.epoch, state.coordinator_epoch, state.batches) == (1, 5, [])
    refused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        lambda: p.check_batch(7, 1, 2, 13, transactional=False),
    )
    add(p, 7, 1, 0, 1, 13)


def test_markers_of_old_coordinators_and_producers_are_fenced() -> None:
    p = Producers("t-0")
    add(p, 7, 3, 0, 1, 0, txn=True)
    p.add_marker(7, 3, 5, offset=1, timestamp=0, aborted=False)
    refused(ErrorCode.TRANSACTION_COORDINATOR_FENCED, lambda: p.check_marker(7, 3, 4, 2))
    refused(ErrorCode.INVALID_PRODUCER_EPOCH, lambda: p.check_marker(7, 2, 5, 2))
    p.check_marker(7, 3, 5, 2)


def test_plain_records_inside_a_transaction_are_refused() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 1, 0, txn=True)
    refused(ErrorCode.INVALID_TXN_STATE, lambda: add(p, 7, 0, 1, 1, 1))


def test_transactions_wait_for_their_coordinator_when_asked_to() -> None:
    p = Producers("t-0", verify=True)
    refused(ErrorCode.INVALID_TXN_STATE, lambda: add(p, 7, 0, 0, 1, 0, txn=True))
    guard = p.start_verification(7, 3, 0, 0)
    assert guard is not None
    assert p.start_verification(7, 0, 0, 0) is guard
    refused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        lambda: p.check_batch(7, 0, 3, 0, transactional=True, guard=guard),
    )
    refused(
        ErrorCode.INVALID_TXN_STATE,
        lambda: p.check_batch(7, 0, 0, 0, transactional=True, guard=object()),
    )
    p.check_batch(7, 0, 0, 0, transactional=True, guard=guard)
    p.add_batch(7, 0, BatchMetadata(0, 0, 0, 0), transactional=True)
    assert p.start_verification(7, 1, 0, 0) is None
    add(p, 7, 0, 1, 1, 1, txn=True)
    p.start_verification(9, 0, 0, 0)
    p.expire(DAY, DAY)
    refused(
        ErrorCode.INVALID_TXN_STATE,
        lambda: p.check_batch(9, 0, 0, 2, transactional=True, guard=guard),
    )


def test_idle_producers_are_forgotten_unless_a_transaction_is_open() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 1, 0)
    add(p, 8, 0, 0, 1, 1, txn=True)
    assert p.expire(1000 + DAY - 1, DAY) == 0
    assert p.expire(1000 + DAY, DAY) == 1
    assert [pid for pid, _ in p] == [8]
    assert len(p) == 1
    add(p, 7, 0, 99, 1, 2)


def test_a_snapshot_keeps_the_last_batch_and_the_open_transaction() -> None:
    p = Producers("t-0")
    add(p, 7, 0, 0, 1, 0)
    add(p, 7, 0, 1, 2, 1, txn=True)
    p.add_marker(8, 4, 6, offset=3, timestamp=5, aborted=False)
    entries = p.entries()
    assert entries == [
        ProducerEntry(7, 0, 2, 2, 1, 1000, -1, 1),
        ProducerEntry(8, 4, -1, -1, 0, 5, 6, -1),
    ]
    q = Producers("t-0")
    q.load(entries, 4, now=1000, expiration_ms=DAY)
    assert q.entries() == entries
    assert (q.end_offset, q.first_unstable_offset) == (4, 1)
    add(q, 7, 0, 3, 1, 4, txn=True)
    q.load(entries, 4, now=10 * DAY, expiration_ms=DAY)
    assert [pid for pid, _ in q] == [7]
    q.on_log_start(9)
    assert q.end_offset == 9
    q.clear(2)
    assert (q.is_empty, q.end_offset, q.first_unstable_offset) == (True, 2, -1)


@given(
    st.lists(
        st.tuples(st.sampled_from("dtma"), st.integers(0, 2), st.integers(1, 4)),
        max_size=40,
    )
)
def test_what_holds_readers_back_is_the_oldest_open_transaction(
    ops: list[tuple[str, int, int]],
) -> None:
    """d: plain batch, t: transactional batch, m/a: commit/abort marker."""
    p = Producers("t-0")
    sequences: dict[int, int] = {}
    open_txns: dict[int, int] = {}
    offset = 0
    for op, pid, count in ops:
        if op in "ma":
            done = p.add_marker(pid, 0, 0, offset=offset, timestamp=0, aborted=op == "a")
            first = open_txns.pop(pid, None)
            assert (done is None) == (first is None)
            if done is not None:
                lowest = min(open_txns.values(), default=offset + 1)
                assert done == (pid, first, offset, op == "a", lowest)
            offset += 1
        elif op == "d" and pid in open_txns:
            with pytest.raises(KafkaError):
                add(p, pid, 0, sequences.get(pid, 0), count, offset)
        else:
            add(p, pid, 0, sequences.get(pid, 0), count, offset, txn=op == "t")
            sequences[pid] = sequences.get(pid, 0) + count
            if op == "t":
                open_txns.setdefault(pid, offset)
            offset += count
        p.on_high_watermark(offset)
        assert p.first_unstable_offset == min(open_txns.values(), default=-1)
        assert p.first_undecided_offset == p.first_unstable_offset
        q = Producers("t-0")
        q.load(p.entries(), offset, 0, DAY)
        assert q.first_unstable_offset == p.first_unstable_offset


# -- forgotten for want of memory ------------------------------------------------------------------


def room_for(count: int) -> ProducerRoom:
    return ProducerRoom(Account(count * PRODUCER_BYTES))


def test_producers_that_a_client_invents_do_not_grow_without_end() -> None:
    room = room_for(100)
    p = Producers("t-0", room=room)
    for n in range(5_000):
        add(p, n, 0, 0, 1, n)
    assert 0 < p.remembered <= 100
    assert p.get(4_999) is not None


def test_who_goes_on_writing_is_remembered_while_others_are_invented() -> None:
    p = Producers("t-0", room=room_for(100))
    offset = 0
    for n in range(3_000):
        add(p, 1_000_000 + n, 0, 0, 1, offset)
        offset += 1
        if n % 20 == 0:
            add(p, 7, 0, n // 20, 1, offset)  # refused if it were not the next sequence
            assert p.find_duplicate(7, 0, n // 20, n // 20) is not None
            offset += 1
    assert in_sequence(p, 7, 0, 150, False)


def test_who_was_forgotten_goes_on_with_any_sequence() -> None:
    p = Producers("t-0", room=room_for(10))
    add(p, 7, 0, 0, 5, 0)
    for n in range(10):
        add(p, 100 + n, 0, 0, 1, 5 + n)
    assert p.get(7) is None
    add(p, 7, 0, 5, 1, 20)
    assert in_sequence(p, 7, 0, 6, False)


def test_nobody_with_an_open_transaction_is_forgotten() -> None:
    p = Producers("t-0", room=room_for(10))
    for n in range(9):
        add(p, n, 0, 0, 1, n, txn=True)
    for n in range(200):
        add(p, 100 + n, 0, 0, 1, 9 + n)
    assert all(p.has_ongoing(n) for n in range(9))
    assert p.first_unstable_offset == 0
    p.add_marker(3, 0, 0, offset=300, timestamp=1, aborted=False)
    assert not p.has_ongoing(3)


def test_where_all_have_open_transactions_another_is_refused_and_plain_batches_are_taken() -> None:
    p = Producers("t-0", room=room_for(5))
    for n in range(5):
        add(p, n, 0, 0, 1, n, txn=True)
    refused(ErrorCode.NOT_ENOUGH_REPLICAS, lambda: add(p, 9, 0, 0, 1, 5, txn=True))
    add(p, 10, 0, 0, 1, 5)
    assert p.get(10) is None
    add(p, 10, 0, 1, 1, 6)
    # What stands in the log already is taken in whatever it costs: by followers, at the start.
    p.add_batch(11, 0, BatchMetadata(0, 7, 0, 1000), transactional=True)
    assert p.has_ongoing(11)


def test_transactions_to_be_confirmed_are_within_the_same_memory() -> None:
    room = room_for(20)
    p = Producers("t-0", verify=True, room=room)
    for n in range(500):
        guard = p.start_verification(n, 0, 0, n)
    assert p.remembered <= 20
    p.check_batch(499, 0, 0, 0, transactional=True, guard=guard)
    p.add_batch(499, 0, BatchMetadata(0, 0, 0, 1000), transactional=True)
    assert p.has_ongoing(499)


def test_a_partition_with_many_gives_way_to_one_with_few() -> None:
    room = room_for(100)
    greedy, modest = Producers("t-0", room=room), Producers("t-1", room=room)
    for n in range(1_000):
        add(greedy, n, 0, 0, 1, n)
    for n in range(10):
        add(modest, n, 0, 0, 1, n)
    for n in range(1_000, 2_000):
        add(greedy, n, 0, 0, 1, n)
    assert modest.remembered == 10
    assert 50 <= greedy.remembered <= 90


def test_memory_comes_back_when_producers_expire_and_logs_are_closed_or_cut() -> None:
    account = Account()
    room = ProducerRoom(account)
    for finish in (
        lambda p: p.close(),
        lambda p: (p.clear(0), p.expire(DAY, 0)),
        lambda p: p.expire(DAY, 0),
    ):
        p = Producers("t-0", verify=True, room=room)
        for n in range(10):
            add_plain = BatchMetadata(0, n, 0, 1000)
            p.add_batch(n, 0, add_plain)
        p.start_verification(77, 0, 0, 5)
        assert account.held == 11 * PRODUCER_BYTES
        finish(p)
        assert account.held == 0


def test_a_snapshot_with_more_than_there_is_room_for_is_read_as_far_as_it_goes() -> None:
    p = Producers("t-0", room=room_for(50))
    entries = [ProducerEntry(n, 0, 0, n, 0, 1000, -1, n if n == 3 else -1) for n in range(500)]
    p.load(entries, 500, 1000, DAY)
    assert p.remembered <= 50
    assert p.has_ongoing(3)
    assert p.get(499) is not None


def test_the_oldest_open_transaction_shows_when_its_producer_last_wrote() -> None:
    p = Producers("t-0")
    assert p.last_sign_of_oldest() == -1
    p.add_batch(7, 0, BatchMetadata(0, 0, 0, 1000), transactional=True)
    p.add_batch(8, 0, BatchMetadata(0, 1, 0, 2000), transactional=True)
    p.add_batch(7, 0, BatchMetadata(1, 2, 0, 3000), transactional=True)
    assert p.last_sign_of_oldest() == 3000
    p.add_marker(7, 0, 0, offset=3, timestamp=4000, aborted=False)
    assert p.last_sign_of_oldest() == 2000
