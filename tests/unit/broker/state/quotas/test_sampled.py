"""Rates over windows and buckets: the numbers are those of Kafka's own classes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.quotas.sampled import Rate, SimpleRate, TokenBucket, Windows

ELEVEN = Windows(11, 1000.0)
SECOND = 1000.0


def test_in_a_simple_rate_the_first_window_counts_whole() -> None:
    rate = SimpleRate(ELEVEN)
    rate.record(500, 0.0)
    assert rate.at(1.0) == 500.0
    assert rate.at(2 * SECOND) == 250.0


def test_what_is_too_long_ago_does_not_count() -> None:
    rate = SimpleRate(Windows(2, SECOND))
    rate.record(500, 0.0)
    rate.record(100, 1500.0)
    assert rate.at(1600.0) == 375.0
    assert rate.at(2000.0) == 100.0
    assert rate.at(9000.0) == 0.0
    assert rate.is_blank(9000.0)


def test_a_window_counts_whole_as_long_as_its_last_record_does() -> None:
    rate = SimpleRate(Windows(2, SECOND))
    rate.record(300, 0.0)
    rate.record(300, 900.0)
    assert rate.at(2800.0) == pytest.approx(600 * 1000 / 2800)
    assert rate.at(2900.0) == 0.0


def test_a_rate_is_spread_over_ten_windows_from_the_first_moment_on() -> None:
    rate = Rate(ELEVEN)
    assert rate.at(0.0) == 0.0
    rate.record(1000, 5000.0)
    assert rate.at(5000.0) == 100.0
    assert rate.at(5500.0) == pytest.approx(1000 / 10.5)
    assert rate.at(14_000.0) == pytest.approx(1000 / 10)


def test_the_time_to_wait_brings_the_rate_back_to_the_limit() -> None:
    """4,000 and 2,300 bytes in 10.5 s: 600 per second, so 20 % of 10.5 s."""
    rate = Rate(ELEVEN)
    for second in range(10):
        rate.record(400, second * SECOND)
        assert rate.over_ms(500, second * SECOND) == 0
    rate.record(2300, 10_500.0)
    assert rate.over_ms(500, 10_500.0) == pytest.approx(2100)
    assert rate.over_ms(600, 10_500.0) == 0


def test_what_is_taken_back_leaves_no_trace() -> None:
    rate = Rate(ELEVEN)
    rate.record(700, 0.0)
    rate.record(300, 10.0)
    rate.record(-300, 10.0)
    assert rate.at(10.0) == pytest.approx(700 / 10.01)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_above_nothing_holds_for_as_long_as_anything_counts(limit: float) -> None:
    rate, bucket = Rate(ELEVEN), TokenBucket(ELEVEN)
    rate.record(1, 0.0)
    bucket.take(1, limit, 0.0)
    assert rate.over_ms(limit, 0.0) == 11 * SECOND
    assert bucket.over_ms(limit, 0.0) == 11 * SECOND


def test_a_bucket_begins_full_and_fills_at_the_limits_rate() -> None:
    """The example of ``TokenBucket``: 560 of 500 tokens at 5 per second."""
    bucket = TokenBucket(Windows(100, SECOND))
    assert bucket.is_blank(5, 0.0)
    bucket.take(560, 5, 0.0)
    assert bucket.over_ms(5, 0.0) == 12 * SECOND
    assert bucket.over_ms(5, 11_900.0) == pytest.approx(100)
    assert bucket.over_ms(5, 12_000.0) == 0
    assert not bucket.is_blank(5, 111_000.0)
    assert bucket.is_blank(5, 112_000.0)


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 400)), min_size=50, max_size=200))
def test_who_waits_as_told_keeps_to_the_rate(sends: list[tuple[int, int]]) -> None:
    limit, now, sent, largest = 1000, 0.0, 0, 0
    rate = Rate(ELEVEN)
    for size, pause in sends:
        rate.record(size, now)
        sent, largest = sent + size, max(largest, size)
        now += rate.over_ms(limit, now) + pause
    # A burst of ten seconds is free at first; what waits may be one send too much. A window leaves
    # the sum whole, so up to two seconds of eleven can be sent again, as with Kafka's own classes.
    assert sent <= limit * (1.2 * now / 1000 + 11) + 2 * largest


@given(
    st.lists(st.tuples(st.integers(-500, 500), st.floats(0, 3000)), max_size=60),
    st.sampled_from([Rate, SimpleRate]),
)
def test_the_sum_is_that_of_the_windows_that_count(
    records: list[tuple[int, float]], kind: type[Rate] | type[SimpleRate]
) -> None:
    rate, now = kind(Windows(3, SECOND)), 0.0
    for amount, pause in records:
        now += pause
        rate.record(amount, now)
        rate.at(now)
        assert rate._total == sum(sample[2] for sample in rate._samples)
        assert len(rate._samples) <= 4
