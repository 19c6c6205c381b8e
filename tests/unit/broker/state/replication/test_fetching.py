"""What a follower does with each answer, as ``AbstractFetcherThread`` of Kafka 3.9 decides."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.replication.fetching import (
    Asked,
    FetchVerdict,
    FollowState,
    Phase,
    Restart,
    Truncation,
    after_end,
    after_start,
    judge,
    truncation,
)
from pykafka_ops.wire.codes import ErrorCode

ID = b"i" * 16


def state(offset: int = 10, epoch: int = 5, last_epoch: int = 4) -> FollowState:
    return FollowState(("t", 0), ID, epoch, offset=offset, last_epoch=last_epoch)


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        (ErrorCode.NONE, FetchVerdict.TAKE),
        (ErrorCode.OFFSET_OUT_OF_RANGE, FetchVerdict.RESET),
        (ErrorCode.FENCED_LEADER_EPOCH, FetchVerdict.FAILED),
        (ErrorCode.UNKNOWN_LEADER_EPOCH, FetchVerdict.WAIT),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, FetchVerdict.WAIT),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, FetchVerdict.WAIT),
        (ErrorCode.UNKNOWN_TOPIC_ID, FetchVerdict.WAIT),
        (ErrorCode.INCONSISTENT_TOPIC_ID, FetchVerdict.WAIT),
        (ErrorCode.KAFKA_STORAGE_ERROR, FetchVerdict.WAIT),
        (ErrorCode.CORRUPT_MESSAGE, FetchVerdict.WAIT),
        (ErrorCode.UNKNOWN_SERVER_ERROR, FetchVerdict.WAIT),
        (999, FetchVerdict.WAIT),
    ],
)
def test_an_answer_is_judged_by_its_error(code: int, verdict: FetchVerdict) -> None:
    assert judge(state(), Asked(10, 5), code, diverging=False, now=0) is verdict


def test_a_history_that_parts_is_cut_before_anything_is_taken() -> None:
    assert judge(state(), Asked(10, 5), 0, diverging=True, now=0) is FetchVerdict.TRUNCATE


@pytest.mark.parametrize(
    ("now", "asked"),
    [
        (None, Asked(10, 5)),
        (state(offset=11), Asked(10, 5)),
        (state(epoch=6), Asked(10, 5)),
        (state(last_epoch=-1), Asked(10, 5)),
    ],
)
def test_an_answer_to_what_is_no_longer_asked_is_stale(
    now: FollowState | None, asked: Asked
) -> None:
    for code in (0, 1, 74):
        assert judge(now, asked, code, diverging=False, now=0) is FetchVerdict.STALE


def test_a_partition_that_waits_takes_nothing_until_its_time_has_come() -> None:
    waiting = state()
    waiting.delay(100, 0)
    assert judge(waiting, Asked(10, 5), 0, diverging=False, now=99) is FetchVerdict.STALE
    assert judge(waiting, Asked(10, 5), 0, diverging=False, now=100) is FetchVerdict.TAKE
    waiting.delay(300, 100)
    waiting.delay(500, 200)  # it waits already
    assert waiting.ready_at == 300


def test_a_log_without_epochs_is_truncated_first() -> None:
    made = state(last_epoch=-1)
    assert (made.phase, made.is_ready(0)) == (Phase.TRUNCATING, False)
    made.truncated(Truncation(7, complete=True), -1)
    assert (made.phase, made.offset, made.is_ready(0)) == (Phase.FETCHING, 7, True)


def test_lag_is_what_is_committed_and_not_here() -> None:
    made = state()
    assert not made.in_sync  # nobody knows yet
    made.appended(12, 5, 15)
    assert (made.offset, made.last_epoch, made.lag, made.in_sync) == (12, 5, 3, False)
    made.appended(20, 5, 15)
    assert (made.lag, made.in_sync) == (0, True)


@pytest.mark.parametrize(
    ("leader", "own", "own_end", "wanted"),
    [
        ((-1, -1), (4, 10), 10, (6, True)),  # the leader knows nothing: the offset at hand
        ((-1, 8), (4, 10), 10, (8, True)),  # it does not tell epochs
        ((-1, 18), (4, 10), 10, (10, True)),
        ((3, 8), (3, 7), 10, (7, True)),  # both had epoch 3: up to where both had it
        ((3, 8), (3, 9), 10, (8, True)),
        ((3, 80), (3, 90), 10, (10, True)),
        ((3, 8), (2, 5), 10, (5, False)),  # we never had epoch 3: ask again with epoch 2
        ((3, 8), (2, 50), 10, (10, False)),
        ((3, 8), (-1, -1), 10, (8, True)),  # we know no epoch that old
        ((3, 18), (-1, -1), 10, (10, True)),
    ],
)
def test_where_a_log_is_cut(
    leader: tuple[int, int], own: tuple[int, int], own_end: int, wanted: tuple[int, bool]
) -> None:
    assert truncation(*leader, own=own, own_end=own_end, fallback=6) == wanted


def test_out_of_range_the_shorter_leader_wins_or_the_later_start() -> None:
    assert after_end(5, 10) == Truncation(5, complete=True)
    assert after_end(10, 10) is None
    assert after_end(50, 10) is None
    assert after_start(20, 10) == Restart(20, empty=True)
    assert after_start(10, 10) == Restart(10, empty=False)
    assert after_start(3, 10) == Restart(10, empty=False)
