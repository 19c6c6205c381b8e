"""Runs of ``pko spark`` reports: which there are, and what one says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from pykafka_ops.monitor.pages.columns import status_tone
from pykafka_ops.monitor.pages.frame import PageColumn, PageRequest, block, document, table
from pykafka_ops.monitor.wording.text import plain, safe
from pykafka_ops.page.charts.lines import Series, lines
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.ticks import counts, sizes
from pykafka_ops.page.units import NONE, moment, value_text
from pykafka_ops.runs.layout import RunName
from pykafka_ops.runs.read import KeptColumn, KeptSection

TITLES: Final = {
    "lag": "Consumer lag",
    "skew": "Skew",
    "retention": "Retention and disks",
    "cost": "Cost",
    "slo": "Freshness",
    "formats": "Formats",
    "audit": "Tiers compared",
}
ROWS_SHOWN: Final = 200
"""Rows of a section on the page."""


class RunTrend(NamedTuple):
    """The sum of a column over the last runs, by time (ms)."""

    section: str
    field: str
    unit: str
    points: Sequence[tuple[int, float | None]]


class ReportRun(NamedTuple):
    """A run as a page: its sections, what was wrong with others (a line each), its trend."""

    kind: str
    name: RunName
    sections: Sequence[KeptSection]
    problems: Sequence[str]
    trend: RunTrend | None


def run_address(kind: str, name: str) -> str:
    """Of the page of a run."""
    return f"/reports/{quote(kind, safe='')}/{quote(name, safe='')}"


def run_list(asked: PageRequest, found: Mapping[str, Sequence[RunName]], problem: str) -> str:
    """The page of all runs, newest first."""
    parts: list[Markup | None] = []
    if problem:
        parts.append(el("p", f"not known: {safe(problem)}", class_="stale warn"))
    for kind, names in found.items():
        shown = (
            PageColumn("when", "As of", link=lambda row: str(row["href"])),
            PageColumn("source", "Source"),
        )
        rows = [
            {"when": f"{moment(n.now)} UTC", "source": n.source, "href": run_address(kind, n.name)}
            for n in names
        ]
        command = "audit compare A B" if kind == "audit" else f"spark {kind}"
        proof = f"pko {command} --history DIR"
        parts.append(block(f"{TITLES[kind]}: {len(names):,} runs", proof,
                           table(shown, rows, "", label=TITLES[kind])))  # fmt: skip
    if not found and not problem:
        said = "There are no runs yet: pko spark lag --history DIR keeps one."
        parts.append(el("p", said, class_="nothing"))
    return document(asked, None, "Reports", *parts, live=False)


def run_page(asked: PageRequest, run: ReportRun) -> str:
    """The page of one run."""
    title = f"{TITLES[run.kind]}, {moment(run.name.now)} UTC"
    problems = None
    if run.problems:
        items = [el("li", el("bdi", safe(problem))) for problem in run.problems]
        problems = block("Not read", "", el("ul", *items, class_="causes warn"))
    return document(
        asked, None, title,
        el("p", el("a", "all reports", href="/reports"), class_="note"),
        problems, _trend(run.trend), *(_section(section) for section in run.sections),
        live=False,
    )  # fmt: skip


def _trend(trend: RunTrend | None) -> Markup | None:
    if trend is None or len(trend.points) < 2:
        return None
    values = [v for _, v in trend.points if v is not None]
    if not values:
        return None
    most = max(values)
    ticks = sizes(most) if trend.unit == "bytes" else counts(most)
    said = partial(_with_unit, unit=trend.unit)
    name = f"{trend.field} of all {trend.section}"
    title = f"The last {len(trend.points)} runs"
    note = f"Sum of {name}, over the same source"
    drawn = lines(title, note, [Series(name, trend.points, "0")], ticks, said)
    return el("figure", el("figcaption", el("h2", title), el("p", note)), drawn)


def _with_unit(value: float, unit: str) -> str:
    return value_text(value, unit)


def _section(section: KeptSection) -> Markup:
    shown = [_column(column, section.rows) for column in section.columns]
    rows = section.rows[:ROWS_SHOWN]
    more = None
    if section.total > len(rows):
        more = el("p", f"{len(rows):,} of {section.total:,} rows", class_="more")
    title = section.name.replace("_", " ").capitalize()
    return block(f"{title}: {section.total:,}", "",
                 table(shown, rows, "nothing to list", label=title), more)  # fmt: skip


def _column(column: KeptColumn, rows: Sequence[Mapping[str, Any]]) -> PageColumn:
    if column.name == "status":
        return PageColumn(column.name, column.title, tone=status_tone, status=True, sorts=False)
    numbers = [row.get(column.name) for row in rows[:50]]
    right = bool(column.unit) or any(
        isinstance(v, int | float) and not isinstance(v, bool) for v in numbers
    )
    said = partial(_cell, unit=column.unit)
    return PageColumn(column.name, column.title, said, right, sorts=False)


def _cell(value: object, unit: str) -> str:
    if value is None:
        return NONE
    if isinstance(value, bool) or not isinstance(value, int | float):
        return plain(value)
    return value_text(value, unit)
