"""Moments of a group to its error budget; what is not known is neither in time nor late."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pykafka_ops.analysis.freshness import (
    BROKEN,
    BURNING,
    FRESH,
    LATE,
    NOT_KNOWN,
    OK,
    SLOW,
    UNKNOWN,
    budget,
    grid,
    states,
)

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NOW = 1_000 * DAY


def test_moments_are_closer_the_later_and_cover_all() -> None:
    moments = grid(NOW, NOW - 4 * DAY)
    assert (moments[0], moments[-1]) == (NOW - 4 * DAY, NOW)
    steps = {b - a for a, b in pairwise(moments)}
    assert steps == {MINUTE, 5 * MINUTE, 30 * MINUTE, 3 * HOUR}
    assert len(moments) == 1 + 60 + 60 + 132 + 8
    assert grid(NOW, NOW - 90_000) == [NOW - 90_000, NOW - MINUTE, NOW]


def test_a_moment_is_in_time_if_all_that_was_old_then_was_read() -> None:
    moments = [1_000, 2_000, 3_000, 4_000, 5_000]
    ends = {500: 10, 1_500: 20, 2_500: 30, 3_500: 40, 4_500: 50}
    commits = [(1, 20), (2, 25), (4, 50)]
    found = states(commits, ends, (0, 60), moments, 500)
    assert found == [UNKNOWN, FRESH, LATE, LATE, FRESH]


@pytest.mark.parametrize(
    ("commits", "ends", "bounds"),
    [
        ([(0, None)], {500: 10}, (0, 60)),
        ([(0, 5)], {}, (0, 60)),
        ([(0, 5)], {500: 10}, (10, 60)),
        ([(0, 5)], {500: 10}, (None, 60)),
        ([(0, 61)], {500: 10}, (0, 60)),
    ],
    ids=["deleted", "no end", "taken by retention", "no start", "beyond the end"],
)
def test_what_nobody_can_tell_is_not_known(
    commits: list[tuple[int, int | None]],
    ends: dict[int, int],
    bounds: tuple[int | None, int | None],
) -> None:
    assert states(commits, ends, bounds, [1_000], 500) == [UNKNOWN]


def test_a_budget_counts_time_and_leaves_out_what_is_not_known() -> None:
    moments = [NOW - 10 * HOUR, NOW - 5 * HOUR, NOW - 4 * HOUR, NOW - HOUR // 2, NOW]
    found = budget([LATE, UNKNOWN, FRESH, LATE, FRESH], moments, 0.5)
    assert (found.fresh, found.late, found.unknown) == (3 * HOUR // 2, 7 * HOUR // 2, 5 * HOUR)
    assert found.share == 0.3
    assert found.left == pytest.approx(1 - 0.7 / 0.5)
    assert found.burns == (1.0, pytest.approx(1.4), pytest.approx(1.4))
    assert found.status == BROKEN


@pytest.mark.parametrize(
    ("late_minutes", "objective", "status"),
    [(0, 0.999, OK), (5, 0.999, BROKEN), (20, 0.99, BURNING), (20, 0.9, OK)],
)
def test_a_verdict_is_by_budget_and_burn_rates(
    late_minutes: int, objective: float, status: str
) -> None:
    moments = grid(NOW, NOW - 3 * DAY)
    found = [LATE if NOW - at < late_minutes * MINUTE else FRESH for at in moments]
    said = budget(found, moments, objective)
    assert said.late == late_minutes * MINUTE
    assert said.status == status


def test_a_budget_that_is_used_up_before_its_time_is_slow() -> None:
    moments = grid(NOW, NOW - 30 * DAY)
    found = [LATE if 0 <= at - (NOW - 2 * DAY) < 90 * MINUTE else FRESH for at in moments]
    said = budget(found, moments, 0.99)
    assert said.left is not None
    assert said.left > 0
    assert said.status == SLOW


def test_nothing_known_has_no_figures() -> None:
    said = budget([UNKNOWN] * 3, [0, 10, 20], 0.9)
    assert (said.share, said.left, said.burns, said.status) == (
        None, None, (None, None, None), NOT_KNOWN,
    )  # fmt: skip
