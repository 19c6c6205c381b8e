"""Trends of what is measured now and then, against courses whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis import growth as g

Course = Callable[[float], float]


def days(count: int, *, gaps: list[int] | None = None) -> list[float]:
    """A run a day, but for those that were missed."""
    missed = {n for n in gaps or () if 0 < n < count - 1}
    return [float(n) for n in range(count) if n not in missed]


@given(
    slope=st.integers(-50, 50),
    level=st.integers(5_000, 10_000),
    count=st.integers(8, 60),
    gaps=st.lists(st.integers(0, 60), max_size=2),
    step=st.one_of(st.none(), st.tuples(st.floats(0.2, 0.8), st.integers(-4_000, 4_000))),
)
def test_a_line_is_found_whatever_runs_are_missing_and_if_it_jumped_once(
    slope: int, level: int, count: int, gaps: list[int], step: tuple[float, int] | None
) -> None:
    place, height = step or (1.0, 0)
    if abs(height) < 1_000:
        height = 0

    def course(x: float) -> float:
        return level + slope * x + (height if x >= place * count else 0)

    xs = days(count, gaps=gaps)
    found = g.trend([(x, course(x)) for x in xs])
    assert found is not None
    assert found.slope.value == pytest.approx(slope, abs=1e-6)
    assert len(found.steps) == (1 if height else 0)
    ahead = found.predict(count - 1 + 10)
    assert ahead.value == pytest.approx(max(0.0, course(count - 1 + 10)), abs=1e-3)
    assert ahead.high == pytest.approx(ahead.value)
    assert ahead.low <= ahead.value


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 1e18)), max_size=40), st.floats(0, 400))
def test_whatever_was_measured_bounds_enclose_the_value(
    points: list[tuple[float, float]], ahead: float
) -> None:
    ordered = sorted({round(x, 2): y for x, y in points}.items())
    found = g.trend(ordered)
    if len(ordered) < g.LEAST_POINTS or ordered[-1][0] - ordered[0][0] < g.LEAST_DAYS:
        assert found is None
        return
    assert found is not None
    assert found.slope.low <= found.slope.value <= found.slope.high
    said = found.predict(ordered[-1][0] + ahead)
    assert 0 <= said.low <= said.value <= said.high
    reached = g.reached(found, ordered[-1][1], 1e18, 90)
    assert reached.earliest is not None and reached.expected is not None
    assert reached.latest is not None
    assert reached.earliest <= reached.expected <= reached.latest


def noisy(draw: random.Random) -> Course:
    return lambda x: 1_000 + 5 * x + draw.gauss(0, 20)


def wandering(draw: random.Random) -> Course:
    """Each day's writes differ, and what is there is their sum."""
    held = {-1: 1_000.0}
    for day in range(300):
        held[day] = held[day - 1] + 5 + draw.gauss(0, 5)
    return lambda x: held[int(x)]


def teeth(draw: random.Random) -> Course:
    """Retention takes a week's segments at once."""
    start = 7 * draw.random()
    return lambda x: 1_000 + 2 * x + 30 * ((x + start) % 7)


def jumped(draw: random.Random) -> Course:
    at, height = draw.randrange(8, 30), draw.choice([-600, -300, 300, 800])
    return lambda x: 1_000 + 5 * x + draw.gauss(0, 5) + (height if x >= at else 0)


def outliers(draw: random.Random) -> Course:
    odd = {draw.randrange(1, 39): draw.choice([0.3, 2.0]) for _ in range(3)}
    return lambda x: (1_000 + 5 * x + draw.gauss(0, 5)) * odd.get(int(x), 1.0)


@pytest.mark.parametrize(
    ("kind", "least"), [(noisy, 0.85), (wandering, 0.8), (teeth, 0.95), (jumped, 0.8),
                        (outliers, 0.85)]
)  # fmt: skip
def test_the_band_holds_what_comes(kind: Callable[[random.Random], Course], least: float) -> None:
    """90 % is what it promises; 120 courses of 40 days, looked at 20 days on."""
    hits = 0
    for seed in range(120):
        course = kind(random.Random(seed))
        found = g.trend([(float(x), course(x)) for x in range(40)])
        assert found is not None
        said = found.predict(59.0)
        hits += said.low <= course(59) <= said.high
    assert hits / 120 >= least


def test_a_drop_that_may_come_again_makes_the_latest_later() -> None:
    points = [(float(n), 100.0 + 10 * n - (60 if n >= 6 else 0)) for n in range(12)]
    found = g.trend(points)
    assert found is not None and [round(s.height) for s in found.steps] == [-60]
    said = found.predict(23.0)  # 6 days before the drop, 5 behind it: two more by then
    assert (round(said.low), round(said.value), round(said.high)) == (150, 270, 270)
    reached = g.reached(found, points[-1][1], 200.0, 10)
    assert reached == (pytest.approx(5), pytest.approx(5), inf, g.WITHIN)


@pytest.mark.parametrize(
    ("slope", "held", "capacity", "said"),
    [
        (10.0, 500.0, 500.0, g.CapacityReached(0.0, 0.0, 0.0, g.REACHED)),
        (10.0, 400.0, 500.0, g.CapacityReached(10.0, 10.0, 10.0, g.WITHIN)),
        (1.0, 400.0, 500.0, g.CapacityReached(inf, inf, inf, g.NOT_WITHIN)),
        (-1.0, 400.0, 500.0, g.CapacityReached(inf, inf, inf, g.NOT_WITHIN)),
        (10.0, 400.0, None, g.CapacityReached(None, None, None, g.NO_CAPACITY)),
    ],
)
def test_never_soon_and_not_known_are_told_apart(
    slope: float, held: float, capacity: float | None, said: g.CapacityReached
) -> None:
    found = g.trend([(float(n), held - slope * (9 - n)) for n in range(10)])
    made = g.reached(found, held, capacity, 90)
    assert made.status == said.status
    for one, other in zip(made[:3], said[:3], strict=True):
        assert one == (other if other in (None, inf) else pytest.approx(other, abs=1e-6))


@pytest.mark.parametrize("xs", [[], [1.0], [0.0, 1.0, 2.0, 3.0], [n / 10 for n in range(15)]])
def test_too_few_runs_or_too_close_say_nothing(xs: list[float]) -> None:
    found = g.trend([(x, 10 * x) for x in xs])
    assert found is None
    assert g.reached(found, 10.0, 20.0, 90) == (None, None, None, g.TOO_FEW)
    assert g.reached(found, 20.0, 20.0, 90).status == g.REACHED


def test_what_may_be_reached_is_no_promise() -> None:
    draw = random.Random(2)
    found = g.trend([(float(n), 1_000 + 2 * n + draw.gauss(0, 30)) for n in range(20)])
    assert found is not None
    edge = found.predict(19.0 + 60)
    made = g.reached(found, 1_000.0, (edge.value + edge.high) / 2, 60)
    assert made.status == g.MAYBE
    assert made.expected == inf and made.earliest is not None and made.earliest < 60


@given(st.lists(st.integers(0, 10**12), unique=True, min_size=1), st.integers(2, 50))
def test_runs_are_picked_evenly_and_both_ends_stay(times: list[int], most: int) -> None:
    times.sort()
    chosen = g.spread_out(times, most)
    assert chosen == sorted(set(chosen)) and len(chosen) <= most
    assert chosen[-1] == len(times) - 1
    if len(times) <= most:
        assert chosen == [*range(len(times))]
    steady = g.spread_out([*range(0, 1_000_000, 100)], 100)
    gaps = {b - a for a, b in pairwise(steady)}
    assert max(gaps) <= 2 * min(gaps)
