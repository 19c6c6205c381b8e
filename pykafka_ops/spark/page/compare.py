"""Two runs of a report: what is new, gone, more or less."""

from __future__ import annotations

from pykafka_ops.analysis.run_changes import CHANGED, GONE, NEW
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.units import number
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    brief,
    more,
    plural,
    rows,
    text,
)

TONES = {NEW: "warn", GONE: "stop", CHANGED: "even"}


def view(report: Report) -> View:
    """The page of a comparison."""
    picture = _largest(report)
    return View("What changed", headline(report), "ok", tiles(report),
                [] if picture is None else [picture], "changes", TONES)  # fmt: skip


def headline(report: Report) -> str:
    """In a sentence: how many rows, and the largest change."""
    every = rows(report, "changes")
    since = f"between {report.summary.get('before')} and {report.summary.get('after')}"
    if not every:
        return f"Nothing changed {since}."
    counts = {state: sum(row["state"] == state for row in every) for state in TONES}
    said = [f"{number(n)} {state}" for state, n in counts.items() if n]
    first = every[0]
    return (
        f"{plural(len(every), 'row')} differ{'s' if len(every) == 1 else ''} {since}: "
        f"{', '.join(said)}; first of all {brief(first, 'row')} of {text(first, 'section')}, "
        f"{text(first, 'figure')} {text(first, 'said')}."
    )


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    every = rows(report, "changes")
    found = []
    for state in TONES:
        count = sum(row["state"] == state for row in every)
        found.append(Tile(state.capitalize(), count, number(count), "rows", good=0, of="changes"))
    return found


def _largest(report: Report) -> Picture | None:
    every = [row for row in rows(report, "changes") if amount(row, "weight")]
    drawn = [
        Bar(f"{brief(row, 'row')} ({text(row, 'section')})", amount(row, "weight"),
            text(row, "said"), TONES[text(row, "state")])
        for row in every[:SHOWN]
    ]  # fmt: skip
    if not drawn:
        return None
    title = "The largest changes"
    note = "Each against the sum over its section."
    return Picture(title, note, bars(title, drawn), more(len(every), len(drawn), "rows"))
