"""The adaptive throttle, and when moves will be done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.moves.rate import LEAST, Signs, Speed, next_limit, time_text

MB = 1 << 20
WELL = Signs(0, 0.01, 0.01, 0.0)


def test_the_limit_grows_while_it_is_used_and_the_cluster_is_well() -> None:
    limit, why = next_limit(10 * MB, WELL._replace(rate=9.0 * MB))
    assert (limit, why) == (15 * MB, "the cluster is well")
    assert next_limit(10 * MB, WELL._replace(rate=5.0 * MB)) == (10 * MB, "")


def test_the_limit_is_halved_when_others_fall_behind_or_brokers_answer_late() -> None:
    assert next_limit(10 * MB, WELL._replace(behind=2, rate=10.0 * MB)) == (
        5 * MB,
        "2 other partitions are behind",
    )
    assert next_limit(10 * MB, WELL._replace(answer=0.3)) == (
        5 * MB,
        "brokers take 300 ms to answer",
    )
    # What takes 10 ms may take 100 ms more: machines are shared.
    assert next_limit(10 * MB, WELL._replace(answer=0.1)) == (10 * MB, "")


@given(
    st.integers(LEAST, 1 << 40),
    st.integers(LEAST, 1 << 40),
    st.tuples(st.integers(0, 3), st.floats(0, 2), st.floats(0, 2), st.floats(0, 1e12)),
)
def test_the_limit_stays_between_the_least_and_the_most(
    limit: int, most: int, signs: tuple[int, float, float, float]
) -> None:
    found, why = next_limit(min(limit, most), Signs(*signs), most)
    assert LEAST <= found <= most and (found != min(limit, most) or not why or found == LEAST)


def test_speed_is_that_of_the_last_half_minute() -> None:
    speed = Speed()
    assert speed.rate == 0.0
    speed.note(0.0, 0)
    assert speed.rate == 0.0 and speed.left(100) is None
    for second in range(1, 101):
        speed.note(float(second), 10 * second if second <= 50 else 500 + 100 * (second - 50))
    assert speed.rate == pytest.approx(100)
    assert speed.left(10_500) == pytest.approx(50)


def test_what_stands_still_is_seen() -> None:
    speed = Speed()
    for second in range(40):
        speed.note(float(second), 7 * min(second, 5))
    assert speed.stands(39.0, 30.0) and not speed.stands(10.0, 30.0)
    speed.note(40.0, 36)
    assert not speed.stands(40.0, 30.0)


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "?"), (0.2, "0s"), (61, "1m01s"), (7260, "2h01m")]
)
def test_times(seconds: float | None, text: str) -> None:
    assert time_text(seconds) == text
