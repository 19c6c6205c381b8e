"""Charts over time, made here: no script draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from pykafka_ops.monitor.wording.past import Point
from pykafka_ops.page.charts.lines import Series, lines
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.ticks import counts, linear, sizes, spans
from pykafka_ops.page.units import count, number, size, span

HOUR: Final = 3_600_000


class Period(NamedTuple):
    """How far back charts look, and how far apart their points are (ms)."""

    name: str
    past_ms: int
    step_ms: int


PERIODS: Final = (
    Period("6h", 6 * HOUR, 180_000),
    Period("24h", 24 * HOUR, 900_000),
    Period("7d", 168 * HOUR, 2 * HOUR),
)


class ChartPast(NamedTuple):
    """What a chart is drawn from: its period, the moment it ends (ms), points by fact."""

    period: Period
    now: int
    points: Mapping[str, Sequence[Point]]


def period_of(query: Mapping[str, str]) -> Period:
    """The period a page was asked for. ValueError."""
    name = query.get("past", PERIODS[0].name)
    for period in PERIODS:
        if period.name == name:
            return period
    raise ValueError(f"past={name[:40]}: say {', '.join(p.name for p in PERIODS)}")


def periods(query: Mapping[str, str]) -> Markup:
    """The choice of a period."""
    chosen = period_of(query).name
    links = [
        el("li", el("a", f"Last {p.name}", href="?" + urlencode({**query, "past": p.name}),
                    aria_current="true" if p.name == chosen else None))
        for p in PERIODS
    ]  # fmt: skip
    return el("ul", *links, class_="periods", aria_label="Period of the charts")


def chart(
    title: str,
    note: str,
    past: ChartPast | None,
    facts: Sequence[tuple[str, str]],
    said: Callable[[float], str] = count,
) -> Markup:
    """A figure with a line per (fact, name); in words where there is nothing to draw."""
    head = el("figcaption", el("h2", title), el("p", note) if note else None)
    if past is None:
        body = el("p", "This monitor keeps no history.", class_="nothing")
        return el("figure", head, body)
    drawn = [
        Series(name, past.points.get(fact, ()), str(tone))
        for tone, (fact, name) in enumerate(facts)
        if past.points.get(fact)
    ]
    values = [v for one in drawn for _, v in one.points if v is not None]
    if not values:
        body = el("p", f"Nothing is known of the last {past.period.name}.", class_="nothing")
        return el("figure", head, body)
    most = max(values)
    ticks = _TICKS.get(said, linear)(most)
    latest = "; ".join(
        f"{one.label} {said(known[-1])}"
        for one in drawn
        if (known := [v for _, v in one.points if v is not None])
    )
    whole = (past.now - past.period.past_ms, past.now)
    return el("figure", head, lines(title, f"Last: {latest}", drawn, ticks, said, whole))


def rate_text(value: float) -> str:
    """A rate on an axis."""
    return f"{count(value) if value >= 1 else number(value)}/s"


def seconds_text(value: float) -> str:
    """A span on an axis."""
    return "0" if not value else span(value)


_TICKS: Final[Mapping[Callable[[float], str], Callable[[float], list[float]]]] = {
    count: counts, size: sizes, seconds_text: spans
}  # fmt: skip
"""How the axis is divided, by how its values are written."""
