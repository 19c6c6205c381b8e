"""The line through points and how sure it is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.forecast import crossing, fit, reached, t_quantile


def test_a_line_worked_out_by_hand() -> None:
    line = fit([(0, 1), (1, 3), (2, 2), (3, 6)])
    assert line is not None
    assert line.slope == pytest.approx(1.4)
    assert line.value(0) == pytest.approx(0.9)
    # Residuals 0.1, 0.7, -1.7, 0.9: their squares are 4.2 together, through two degrees of freedom.
    assert line.spread == pytest.approx(math.sqrt(2.1))
    said = line.predict(4)
    reach = 2.919986 * math.sqrt(2.1) * math.sqrt(1 + 1 / 4 + 2.5**2 / 5)
    assert said.value == pytest.approx(6.5)
    assert (said.low, said.high) == pytest.approx((6.5 - reach, 6.5 + reach), rel=1e-5)


def test_no_line_without_two_places() -> None:
    assert fit([]) is None and fit([(1, 2)]) is None and fit([(1, 2), (1, 5)]) is None


def test_two_points_have_no_interval() -> None:
    line = fit([(0, 0), (2, 4)])
    assert line is not None
    assert line.predict(5) == (10, 10, 10)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.lists(st.integers(-1000, 1000), min_size=3))
def test_points_on_a_line_are_found_again(slope: float, at: float, xs: list[int]) -> None:
    line = fit([(x, at + slope * x) for x in xs])
    if len(set(xs)) < 2:
        assert line is None
        return
    assert line is not None
    assert line.slope == pytest.approx(slope, rel=1e-6, abs=1e-3)
    said = line.predict(2000)
    assert said.low <= said.value <= said.high


# Tables of Student's t: quantile 0.95 and 0.995 by degrees of freedom.
@pytest.mark.parametrize(
    ("freedom", "p95", "p995"),
    [
        (1, 6.313752, 63.65674),
        (2, 2.919986, 9.924843),
        (3, 2.353363, 5.840909),
        (4, 2.131847, 4.604095),
        (5, 2.015048, 4.032143),
        (10, 1.812461, 3.169273),
        (30, 1.697261, 2.749996),
        (120, 1.657651, 2.617421),
    ],
)
def test_quantiles_are_those_of_the_tables(freedom: int, p95: float, p995: float) -> None:
    assert t_quantile(0.95, freedom) == pytest.approx(p95, rel=2e-5)
    assert t_quantile(0.995, freedom) == pytest.approx(p995, rel=2e-5)
    assert t_quantile(0.05, freedom) == pytest.approx(-p95, rel=2e-5)
    assert t_quantile(0.5, freedom) == 0


def test_when_a_level_is_reached() -> None:
    assert reached(5, 2, 9) == 2
    assert reached(9, -1, 9) == 0
    assert reached(5, 0, 9) is None and reached(5, -1, 9) is None


def test_where_a_curve_crosses() -> None:
    curve = [(0, 10), (1, 20), (2, 15), (4, 25)]
    assert crossing(curve, 5) == 0
    assert crossing(curve, 15) == 0.5
    assert crossing(curve, 22.5) == 3.5
    assert crossing(curve, 26) is None and crossing([], 1) is None
