"""Charts of the history: axes that can be read, gaps, words where there is nothing."""

from __future__ import annotations

import re

import pytest

from pykafka_ops.monitor.pages.pictures import (
    PERIODS,
    ChartPast,
    chart,
    period_of,
    rate_text,
    seconds_text,
)
from pykafka_ops.page.units import count

NOW = 1_763_769_600_000
DAY = PERIODS[1]


def drawn(points: list[tuple[int, float | None]], **more: object) -> str:
    past = ChartPast(DAY, NOW, {"lag": points})
    return chart("Lag", "", past, [("lag", "all"), ("other", "none")], **more)  # type: ignore[arg-type]


def ticks(html: str) -> list[str]:
    """The figures beside the lines of the grid."""
    return re.findall(r'<text x="0" y="[^"]*" class="tick">([^<]*)<', html)


def test_the_width_stands_for_the_whole_period() -> None:
    html = drawn([(NOW - DAY.past_ms, 1), (NOW - DAY.past_ms // 2, 2)])
    assert re.findall(r'<path d="([^"]*)"', html) == ["M0.0,100.0 L500.0,0.0"]


def test_an_axis_has_no_figure_twice() -> None:
    for said, values in (
        (count, (1, 3, 7, 90_000)),
        (rate_text, (0.005, 0.07, 3, 4200)),
        (seconds_text, (0.5, 40, 215, 90_000)),
    ):
        for value in values:
            found = ticks(drawn([(NOW - 5, 0), (NOW, value)], said=said))
            assert len(set(found)) == len(found) > 0, (said, value, found)


def test_what_is_not_known_is_said_in_words() -> None:
    assert "Nothing is known of the last 24h" in drawn([])
    assert "Nothing is known of the last 24h" in drawn([(NOW, None)])
    assert "keeps no history" in chart("Lag", "", None, [("lag", "all")])
    assert "<svg" not in drawn([])


def test_only_periods_that_there_are_can_be_asked_for() -> None:
    assert [period_of({"past": p.name}) for p in PERIODS] == list(PERIODS)
    assert period_of({}) == PERIODS[0]
    with pytest.raises(ValueError, match="say 6h, 24h, 7d"):
        period_of({"past": "1y"})
