"""Where a log ended at some moments: as many questions as that takes, the same ends as all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.lag.rows import end_at
from pykafka_ops.spark.inputs.asked_ends import (
    FIRST,
    AskedBack,
    AskedEnds,
    AskedLog,
    AskedPast,
    first_of,
)

times = st.integers(0, 60)
moments = st.lists(times, min_size=1, max_size=8, unique=True).map(sorted)


def found(log: list[int], moment: int) -> tuple[int, int]:
    """What ListOffsets answers: the first record from a moment on, and its time."""
    return next(((at, t) for at, t in enumerate(log) if t >= moment), (-1, -1))


def asked(
    log: list[int], newest: int | None, wanted: list[int], first: int
) -> tuple[AskedEnds, int]:
    """The ends, and how many questions that took."""
    ends, questions = AskedEnds(len(log), newest, first), 0
    for moment in wanted:
        if ends.asks(moment):
            questions += 1
            ends.told(moment, *found(log, moment))
    return ends, questions


def whole(log: list[int], wanted: list[int]) -> list[tuple[int, int]]:
    """The end at every moment, each asked for."""
    return [(m, at if (at := found(log, m)[0]) >= 0 else len(log)) for m in wanted]


@given(st.lists(times, max_size=12), moments, st.booleans())
def test_the_ends_are_those_of_asking_for_every_moment(
    log: list[int], wanted: list[int], is_known: bool
) -> None:
    newest = max(log) if log and is_known else None
    ends, questions = asked(log, newest, wanted, wanted[0])
    assert ends.pairs == whole(log, wanted)
    assert questions <= len(set(log)) + (newest is None)


def test_a_log_that_is_quiet_is_asked_once() -> None:
    ends, questions = asked([10, 10, 50], 50, [0, 10, 20, 30, 40, 50, 60], 0)
    assert questions == 2
    assert ends.pairs == [(0, 0), (10, 0), (20, 2), (30, 2), (40, 2), (50, 2), (60, 3)]


@given(st.lists(times, max_size=12), moments, times, st.lists(times, max_size=6))
def test_later_moments_alone_say_the_same_of_what_came_later(
    log: list[int], wanted: list[int], since: int, later: list[int]
) -> None:
    now = (61, len(log))
    every = [*whole(log, wanted), now]
    some = [*asked(log, None, wanted, first_of(wanted, since))[0].pairs, now]
    for moment in (t for t in later if t >= since):
        assert end_at(some, moment) == end_at(every, moment)


@given(st.lists(times, min_size=1, max_size=12), moments, st.booleans())
def test_a_first_record_saves_the_moments_before_it(
    log: list[int], wanted: list[int], is_known: bool
) -> None:
    found_first = AskedPast(len(log), max(log) if is_known else None)
    go_through(found_first, log, [FIRST, *wanted])
    assert found_first.first == log[0]
    assert found_first.pairs == whole(log, [m for m in wanted if m != FIRST])


@given(st.lists(times, min_size=1, max_size=12), moments, st.booleans(), st.data())
def test_going_back_ends_where_the_log_ended_before_an_offset(
    log: list[int], wanted: list[int], is_known: bool, data: st.DataObject
) -> None:
    wanted = [m + 1 for m in wanted]
    reach = data.draw(st.integers(0, len(log) - 1))
    always = data.draw(st.sampled_from(wanted))
    back = AskedBack(0, len(log), max(log) if is_known else None, reach, {always})
    go_through(back, log, [*reversed(wanted), FIRST])
    every = whole(log, wanted)
    border = max((m for m, at in every if at <= reach), default=wanted[0])
    assert back.pairs == [(m, at) for m, at in every if m >= border or m == always]
    assert back.first == (None if is_known and back.pairs[0][1] > 0 else log[0])


def go_through(asked: AskedLog, log: list[int], wanted: list[int]) -> None:
    for moment in wanted:
        if asked.asks(moment):
            asked.told(moment, *found(log, moment))


def test_going_back_asks_of_what_was_read_long_ago_no_more_than_it_must() -> None:
    log, asked_for = list(range(60)), []
    back = AskedBack(0, len(log), log[-1], 55, {20})
    for moment in [*range(50, 0, -10), FIRST]:
        if back.asks(moment):
            asked_for.append(moment)
            back.told(moment, *found(log, moment))
    assert asked_for == [50, 20]
