"""Pictures: right places for right values; no data, one point, and far too many."""

from __future__ import annotations

import re

import pytest

from pykafka_ops.page.charts.band import Grown, band
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.charts.columns import columns
from pykafka_ops.page.charts.heatmap import Cell, heatmap, thresholds
from pykafka_ops.page.charts.lines import Series, lines
from pykafka_ops.page.charts.lorenz import curve, lorenz
from pykafka_ops.page.charts.runway import Runway, runway, tone
from pykafka_ops.page.charts.spark import sparkline
from pykafka_ops.page.charts.stacked import Stack, stacked
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import count, number, size
from tests.support.process.browser import Node, parse

HOUR = 3_600_000


def drawn(picture: Markup) -> Node:
    return parse(picture)


def test_a_bar_is_as_long_as_its_value() -> None:
    page = drawn(
        bars("Lag", [Bar("a", 50, "50"), Bar("b", 200, "200"), Bar("c", 0, "0")], description="all")
    )
    found = page.all("rect", class_="t-plain")
    assert [(r.attributes["width"], r.attributes["data-value"]) for r in found] == [
        ("25%", "50"),
        ("100%", "200"),
    ]
    assert [t.text for t in page.all("text", class_="value")] == ["50", "200", "0"]
    assert (page.all("title")[0].text, page.one("desc").text) == ("Lag", "all")


def test_trouble_has_a_pattern_beside_its_colour() -> None:
    page = drawn(bars("", [Bar("a", 1, "1", "stop"), Bar("b", 1, "1", "ok")]))
    assert [r.attributes["fill"] for r in page.all("rect", class_="over")] == ["url(#p-stop)"]


def test_an_interval_stands_around_the_end_of_its_bar() -> None:
    page = drawn(bars("", [Bar("a", 50, "50", low=25, high=100)]))
    line, low, high = page.all("line", class_="whisker")
    assert (line.attributes["x1"], line.attributes["x2"]) == ("25%", "100%")
    assert (low.attributes["x1"], high.attributes["x1"]) == ("25%", "100%")


def test_long_names_are_shortened_and_whole_in_the_title() -> None:
    name = "payments." * 27
    page = drawn(bars("", [Bar(name, 1, "1")]))
    label = page.one("text", class_="name")
    assert label.one("title").text == f"{name}: 1"
    shown = label.text.removeprefix(f"{name}: 1")
    assert len(shown) == 30 and shown.startswith("payments.pay") and shown.endswith("payments.")


def test_columns_stand_on_the_axis_as_high_as_their_values() -> None:
    items = [Bar("0", 100, "100"), Bar("1", 25, "25")]
    page = drawn(columns("", "", items, [0, 50, 100], count, (62.5, "mean 62.5")))
    tall, small = page.all("rect", class_="t-plain")
    assert float(tall.attributes["height"]) == 4 * float(small.attributes["height"])
    feet = {float(r.attributes["y"]) + float(r.attributes["height"]) for r in (tall, small)}
    assert len(feet) == 1
    assert {t.text for t in page.all("text", class_="tick")} == {"50", "100", "0", "1", "mean 62.5"}


def test_many_columns_name_only_some() -> None:
    items = [Bar(str(i), i, str(i)) for i in range(60)]
    page = drawn(columns("", "", items, [0, 60], count))
    names = {t.text for t in page.all("text", class_="tick")} - {"60"}
    assert 5 <= len(names) <= 9


def test_a_line_has_gaps_where_nothing_is_known_and_a_dot_at_its_end() -> None:
    series = Series("g", [(0, 0), (HOUR, None), (2 * HOUR, 50), (4 * HOUR, 100)], "0")
    page = drawn(lines("", "", [series], [0, 50, 100], count))
    path = page.one("path").attributes["d"]
    assert path == "M0.0,200.0 M500.0,100.0 L1000.0,0.0"
    dot = page.one("circle", class_="dot")
    assert dot.attributes["cx"] == "100%" and "100" in dot.one("title").text


def test_a_single_point_is_drawn_in_the_middle() -> None:
    page = drawn(lines("", "", [Series("g", [(HOUR, 5)], "0")], [0, 5], count))
    assert page.one("circle").attributes["cx"] == "50%"


def test_lines_of_many_points_keep_only_their_last_to_hover_over() -> None:
    series = [Series(str(s), [(i * HOUR, i) for i in range(1000)], str(s)) for s in range(6)]
    page = drawn(lines("", "", series, [0, 1000], count))
    assert len(page.all("circle")) == 6


def test_cells_are_the_stronger_the_more_they_hold() -> None:
    cells = [Cell(i * HOUR, (i + 1) * HOUR, v) for i, v in enumerate((0, 10, 50, 100, None))]
    page = drawn(heatmap("", "", [("p", cells)], number))
    levels = [r.attributes["class"] for r in page.one("svg", class_="chart").all("rect")]
    assert levels == ["heat h0", "heat h1", "heat h3", "heat h5", "heat hn"]
    widths = {r.attributes["width"] for r in page.one("svg", class_="chart").all("rect")}
    assert widths == {"20%"}


def test_magnitudes_give_levels_by_factors() -> None:
    bounds = thresholds([1, 100_000], magnitudes=True)
    assert bounds == [10, 100, 1000, 10_000, 100_000]
    assert thresholds([], magnitudes=True) == pytest.approx([0.0625, 0.125, 0.25, 0.5, 1])
    assert thresholds([50], magnitudes=False) == [10, 20, 30, 40, 50]


def test_the_lorenz_curve_of_even_values_is_the_diagonal() -> None:
    assert curve([5, 5, 5, 5]) == [(0, 0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1, 1)]
    assert curve([0, 0, 8]) == [(0, 0), (1 / 3, 0), (2 / 3, 0), (1, 1)]
    assert curve([0, 0]) == []
    assert len(curve([1.0] * 10_000)) <= 202
    assert "Gini 0.250" in lorenz("", "", [1, 3], 0.25)


def test_parts_of_a_bar_follow_each_other() -> None:
    item = Stack("t", "4", [("a0", 1, ""), ("a1", 0, ""), ("a2", 3, "")])
    found = drawn(stacked("", [item], [("a0", "young"), ("a2", "old")])).one("svg", class_="chart")
    parts = [r for r in found.all("rect") if "data-value" in r.attributes]
    assert [(p.attributes["x"], p.attributes["width"]) for p in parts] == [
        ("0%", "25%"),
        ("25%", "75%"),
    ]


def test_growth_has_a_band_from_the_last_measured_point_on() -> None:
    points = [Grown(0, 10), Grown(10, 20), Grown(20, 30, 25, 40, True)]
    page = drawn(band("", "", points, [0, 50], size, capacity=45))
    assert (
        page.one("polygon").attributes["points"]
        == "500.0,120.0 1000.0,40.0 1000.0,100.0 500.0,120.0"
    )
    measured, coming = page.all("path")
    assert measured.attributes["d"] == "M0.0,160.0 L500.0,120.0"
    assert coming.attributes["d"] == "M500.0,120.0 L1000.0,80.0"
    assert "full at 45 B" in page.text


def test_a_runway_says_what_does_not_fill_up_and_cuts_what_is_far() -> None:
    items = [Runway("a", 3.0, 2.0, 5.0), Runway("b", 4000.0, 300.0, None), Runway("c", None)]
    page = drawn(runway("", "", items))
    assert [t.text for t in page.all("text", class_="value")] == [
        "3 d",
        "11 years",
        "not within a year",
    ]
    found = [r for r in page.all("rect") if "data-value" in r.attributes]
    assert [r.attributes["data-value"] for r in found] == ["3", "365", "365"]
    assert [tone(d) for d in (3.0, 20.0, 31.0, None)] == ["stop", "warn", "ok", "ok"]


def test_a_sparkline_needs_two_runs() -> None:
    assert sparkline([1.0]) is None
    made = sparkline([1.0, 1.0, 5.0])
    assert made is not None
    points = re.findall(r"([\d.]+),([\d.]+)", drawn(made).one("polyline").attributes["points"])
    assert [float(y) for _, y in points] == [21, 21, 3]


@pytest.mark.parametrize(
    "picture",
    [
        bars("", []),
        columns("", "", [], [0, 1], count),
        lines("", "", [Series("g", [(0, None)], "0")], [0, 1], count),
        heatmap("", "", [("p", [])], number),
        lorenz("", "", [0, 0], None),
        stacked("", [Stack("t", "0", [("a0", 0, "")])], []),
        band("", "", [], [0, 1], size),
        runway("", "", []),
    ],
)
def test_a_picture_of_nothing_says_so(picture: Markup) -> None:
    page = drawn(picture)
    assert page.one("p", class_="nothing").text.startswith("There ")
    assert not page.all("svg")


def test_text_is_never_markup() -> None:
    hostile = '"><script>alert(1)</script>\u202e\0'
    page = drawn(el("p", hostile, title=hostile))
    assert not page.all("script")
    shown = hostile.replace("\u202e", "\\u202e").replace("\0", "\\u0000")
    assert page.one("p").text == page.one("p").attributes["title"] == shown
