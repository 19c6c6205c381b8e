"""What `scripts/soak` calls growth."""

from __future__ import annotations

import random

import pytest

from tests.support.soak.trend import Allowed, Sample, Trend, after, slope

ALLOWED = Allowed(units=8, share=0.1)


def samples(value: float, gain: float, noise: float = 0.0) -> list[Sample]:
    """400 seconds of a figure that gains so much in them."""
    chance = random.Random(1)
    return [(t, value + gain * t / 400 + chance.uniform(-noise, noise)) for t in range(0, 400, 2)]


@pytest.mark.parametrize(
    ("gain", "noise", "grows"),
    [(0, 0, False), (0, 15, False), (10, 5, False), (40, 0, True), (40, 15, True), (-40, 5, False)],
)
def test_growth_shows_through_noise(gain: float, noise: float, grows: bool) -> None:
    assert Trend.of(samples(60, gain, noise)).grows(ALLOWED) is grows


def test_a_third_of_wild_samples_makes_no_growth() -> None:
    wild = [(t, v if n % 4 else 900.0) for n, (t, v) in enumerate(samples(60, 0, 2))]
    trend = Trend.of(wild)
    assert abs(trend.gain) < 2
    assert not trend.grows(ALLOWED)


def test_a_step_during_the_time_is_growth_only_if_it_stays() -> None:
    peak = [(t, 200.0 if 150 < t < 220 else 60.0) for t in range(0, 400, 2)]
    assert not Trend.of(peak).grows(ALLOWED)
    stays = [(t, 200.0 if t > 200 else 60.0) for t in range(0, 400, 2)]
    assert Trend.of(stays).grows(ALLOWED)


def test_the_warm_up_is_left_out() -> None:
    warm = [(t, min(t, 300.0)) for t in range(0, 400, 2)]
    assert Trend.of(warm).grows(ALLOWED)
    assert not Trend.of(after(warm, 300)).grows(ALLOWED)


def test_few_samples_tell_nothing() -> None:
    assert slope([(0.0, 5.0)]) == 0
    with pytest.raises(ValueError, match="3 samples tell no trend"):
        Trend.of(samples(1, 1)[:3])
