"""Two runs of a report: what is new, gone, more or less."""

from __future__ import annotations

from pykafka_ops.analysis.run_changes import CHANGED, GONE, NEW
from pykafka_ops.page.charts.bars import Bar
from pykafka_ops.page.units import number
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    barred,
    brief,
    listed,
    num,
    plural,
    rows,
    text,
)
from pykafka_ops.spark.reports.compare.verdicts import BETTER, WORSE

TONES = {NEW: "plain", GONE: "even", CHANGED: "plain", WORSE: "stop", BETTER: "ok"}
_STATES = (NEW, GONE, CHANGED)


def view(report: Report) -> View:
    """The page of a comparison."""
    picture = _largest(report)
    tone = "warn" if worse(report) else "ok"
    return View("What changed", headline(report), tone, tiles(report),
                [] if picture is None else [picture], "changes", TONES)  # fmt: skip


def worse(report: Report) -> list[Row]:
    """Rows whose verdict got worse, those first that did by most."""
    return [row for row in rows(report, "changes") if row.get("turn") == WORSE]


def headline(report: Report) -> str:
    """In a sentence or two: what got worse, how many rows differ, and the largest change."""
    every = rows(report, "changes")
    since = f"between {report.summary.get('before')} and {report.summary.get('after')}"
    if not every:
        return f"Nothing changed {since}."
    counts = {state: sum(row["state"] == state for row in every) for state in _STATES}
    said = [f"{number(n)} {state}" for state, n in counts.items() if n]
    whole = (
        f"{plural(len(every), 'row')} differ{'s' if len(every) == 1 else ''} {since}: "
        f"{', '.join(said)}"
    )
    if bad := worse(report):
        names = listed([f"{text(r, 'row')} ({text(r, 'verdict')})" for r in bad])
        return f"Worse: {names}. {whole}."
    first = next((row for row in every if num(row, "weight") != 0), every[0])
    return (
        f"{whole}; first of all {brief(first, 'row')} of {text(first, 'section')}, "
        f"{text(first, 'figure')} {text(first, 'said')}."
    )


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    every = rows(report, "changes")
    bad = worse(report)
    found = [
        Tile("Worse", len(bad), number(len(bad)), listed([text(r, "row") for r in bad], 2),
             "warn" if bad else "ok", of="changes"),
    ]  # fmt: skip
    for state in _STATES:
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
    note = "Each against the sum over its section."
    return barred("The largest changes", note, drawn, len(every), "rows")
