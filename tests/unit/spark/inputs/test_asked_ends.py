"""Where a log ended at some moments: as many questions as that takes, the same ends as all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.lag.rows import end_at
from pykafka_ops.spark.inputs.asked_ends import AskedEnds, first_of

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
