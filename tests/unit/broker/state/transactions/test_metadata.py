"""The moves of a transactional id: which are allowed, and that only writing them counts."""

from __future__ import annotations

import itertools

import pytest

from pykafka_ops.broker.state.transactions.metadata import (
    BEFORE,
    MAX_EPOCH,
    STATES,
    Transaction,
    TxnError,
    TxnState,
)
from pykafka_ops.wire.codes import ErrorCode
from tests.support.each import each

T0 = frozenset({("t", 0)})


def in_state(state: TxnState) -> Transaction:
    made = Transaction("x", 7, 1000, updated=5)
    made.epoch, made.state = 3, state
    if state in (TxnState.ONGOING, TxnState.PREPARE_ABORT, TxnState.PREPARE_COMMIT):
        made.partitions, made.started = T0, 10
    return made


MOVES = {
    TxnState.EMPTY: lambda t: t.next_epoch(1000, None, 20),
    TxnState.ONGOING: lambda t: t.add(T0, 20),
    TxnState.PREPARE_COMMIT: lambda t: t.prepare(TxnState.PREPARE_COMMIT, 20),
    TxnState.PREPARE_ABORT: lambda t: t.prepare(TxnState.PREPARE_ABORT, 20),
    TxnState.DEAD: lambda t: t.die(),
}


@each("old, new", list(itertools.product(TxnState, MOVES)))
def test_only_kafkas_moves_are_allowed(old: TxnState, new: TxnState) -> None:
    made = in_state(old)
    if old not in BEFORE[new]:
        with pytest.raises(TxnError, match="cannot go"):
            MOVES[new](made)
        assert made.pending is None
        return
    before = {name: getattr(made, name) for name in Transaction.__slots__ if name != "pending"}
    moved = MOVES[new](made)
    assert made.pending is new
    assert before == {name: getattr(made, name) for name in before}, "nothing is written yet"
    with pytest.raises(TxnError, match="while it goes to"):
        MOVES[new](made)
    made.apply(moved)
    assert (made.state, made.pending) == (new, None)


def test_what_was_not_prepared_cannot_be_applied() -> None:
    made = in_state(TxnState.EMPTY)
    moved = made.add(T0, 20)
    made.pending = None
    with pytest.raises(TxnError):
        made.apply(moved)


def test_a_transaction_begins_once() -> None:
    made = in_state(TxnState.EMPTY)
    made.apply(made.add(T0, 20))
    made.apply(made.add(frozenset({("t", 1)}), 30))
    assert (made.started, made.updated) == (20, 30)
    assert made.partitions == {("t", 0), ("t", 1)}
    made.apply(made.prepare(TxnState.PREPARE_COMMIT, 40))
    completed = made.complete(50)
    made.marked(("t", 0))
    assert made.partitions == {("t", 1)}
    made.apply(completed)
    assert (made.state, made.partitions) == (TxnState.COMPLETE_COMMIT, frozenset())
    with pytest.raises(TxnError):
        made.marked(("t", 1))
    made.apply(made.add(T0, 60))
    assert made.started == 60


def test_a_fence_takes_the_next_epoch_only_when_it_is_written() -> None:
    made = in_state(TxnState.ONGOING)
    made.fence(20)
    assert made.epoch == 3
    made.pending = None
    moved = made.fence(30)
    assert (moved.epoch, moved.last_epoch, moved.state) == (4, -1, TxnState.PREPARE_ABORT)
    made.apply(moved)
    assert made.epoch == 4
    last = in_state(TxnState.ONGOING)
    last.epoch = MAX_EPOCH
    with pytest.raises(TxnError):
        last.fence(20)


@pytest.mark.parametrize(
    ("present", "last", "expected", "given"),
    [
        (3, -1, None, (4, -1)),
        (-1, -1, None, (0, -1)),
        (3, 2, 3, (4, 3)),
        (3, 2, 2, (3, 2)),
        (-1, -1, 9, (0, -1)),
        (3, 2, 1, None),
        (3, 2, 4, None),
        (MAX_EPOCH - 1, 5, 5, (MAX_EPOCH - 1, 5)),
    ],
)
def test_who_gets_which_epoch(
    present: int, last: int, expected: int | None, given: tuple[int, int] | None
) -> None:
    made = in_state(TxnState.EMPTY)
    made.epoch, made.last_epoch = present, last
    moved = made.next_epoch(1000, expected, 20)
    if given is None:
        assert moved is ErrorCode.PRODUCER_FENCED
        assert made.pending is None
    else:
        assert not isinstance(moved, ErrorCode)
        assert (moved.epoch, moved.last_epoch) == given


def test_time_is_up_after_the_timeout_and_not_before() -> None:
    made = in_state(TxnState.ONGOING)
    assert (made.timed_out(1010), made.timed_out(1011)) == (False, True)
    assert not in_state(TxnState.EMPTY).timed_out(10**9)
    made.fence(20)
    assert not made.timed_out(1011), "it is being ended"
    idle = in_state(TxnState.COMPLETE_ABORT)
    assert (idle.expired(104, 100), idle.expired(105, 100)) == (False, True)
    assert not in_state(TxnState.ONGOING).expired(10**9, 100)


def test_states_have_kafkas_names() -> None:
    assert list(STATES) == [
        *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit"),
        *("CompleteAbort", "Dead", "PrepareEpochFence"),
    ]
    assert TxnState.PREPARE_EPOCH_FENCE.title == "PrepareEpochFence"
