"""The report on freshness: who breaks the objective, and how much budget is left."""

from __future__ import annotations

from pykafka_ops.analysis.freshness import BROKEN, BURNING, NOT_KNOWN, OK, SLOW
from pykafka_ops.page.charts.bars import Bar
from pykafka_ops.page.charts.heatmap import Cell, heatmap
from pykafka_ops.page.units import NONE, moment, number, share, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    barred,
    blank,
    brief,
    least,
    listed,
    more,
    num,
    plural,
    rows,
    text,
    unknown,
)

TONES = {BROKEN: "stop", BURNING: "stall", SLOW: "warn", NOT_KNOWN: "plain", OK: "ok"}


def view(report: Report) -> View:
    """The page of a report on freshness."""
    pictures = [picture for picture in (_late(report), _days(report)) if picture is not None]
    return View("Freshness", headline(report), _tone(report), tiles(report), pictures,
                "objectives", TONES, order=3)  # fmt: skip


def headline(report: Report) -> str:
    """In a sentence: who breaks the objective."""
    every = rows(report, "objectives")
    if unknown(report, "objectives"):
        return "Whether groups read in time is not known."
    if not every:
        return "No group has committed an offset."
    for status, said in ((BROKEN, "no budget left"), (BURNING, "a budget that burns fast"),
                         (SLOW, "a budget that will not last")):  # fmt: skip
        bad = [row for row in every if text(row, "status") == status]
        if bad:
            names = listed(list(dict.fromkeys(text(row, "group") for row in bad)))
            has = "has" if len(bad) == 1 else "have"
            return f"{len(bad)} of {plural(len(every), 'objective')} {has} {said}: {names}."
    known = [row for row in every if text(row, "status") == OK]
    rest = f", {len(every) - len(known)} not known" if len(known) < len(every) else ""
    return f"{len(known)} of {plural(len(every), 'objective')} are kept{rest}."


def _tone(report: Report) -> str:
    every = rows(report, "objectives")
    statuses = {text(row, "status") for row in every}
    if unknown(report, "objectives") or not every:
        return "warn"
    if statuses & {BROKEN, BURNING}:
        return "bad"
    return "warn" if statuses & {SLOW, NOT_KNOWN} else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    every = rows(report, "objectives")
    broken = sum(text(row, "status") == BROKEN for row in every)
    open_ = sum(text(row, "status") == NOT_KNOWN for row in every)
    worst = least(every, "budget_left")
    found = [
        Tile("Broken", broken, number(broken), f"of {plural(len(every), 'objective')}",
             "bad" if broken else "ok", of="objectives"),
        Tile("Least budget", None if worst is None else amount(worst, "budget_left"),
             NONE if worst is None else share(amount(worst, "budget_left")),
             "" if worst is None else brief(worst, "group"), good=1, unit="share",
             of="objectives"),
        Tile("Not known", open_, number(open_), "objectives", "warn" if open_ else "",
             of="objectives"),
    ]  # fmt: skip
    return [blank(tile) for tile in found] if unknown(report, "objectives") else found


def _late(report: Report) -> Picture | None:
    every = [row for row in rows(report, "objectives") if amount(row, "late_seconds")]
    every.sort(key=lambda row: -amount(row, "late_seconds"))
    drawn = [Bar(_name(row), amount(row, "late_seconds"), _said(row),
                 TONES[text(row, "status")]) for row in every[:SHOWN]]  # fmt: skip
    note = "A partition had an unread record that was older than allowed."
    return barred("Time that was late", note, drawn, len(every), "objectives")


def _name(row: Row) -> str:
    return f"{brief(row, 'group')}: {brief(row, 'topic')}"


def _said(row: Row) -> str:
    left = num(row, "budget_left")
    rest = "" if left is None else f" · budget {share(left)}"
    return f"{span(amount(row, 'late_seconds'))}{rest}"


def _days(report: Report) -> Picture | None:
    """Day by day, the objectives in the order of the table; not of one day alone."""
    days: dict[tuple[str, str], list[Row]] = {}
    for row in rows(report, "days"):
        days.setdefault((text(row, "group"), text(row, "topic")), []).append(row)
    order = [(row, (text(row, "group"), text(row, "topic"))) for row in rows(report, "objectives")]
    every = [(row, days[key]) for row, key in order if key in days]
    if len({row.get("day") for row in rows(report, "days")}) < 2:
        return None
    drawn = [(_name(row), [_cell(day) for day in reversed(own)]) for row, own in every[:SHOWN]]
    title = "Late, day by day"
    note = "The share of a day that was late, of what is known of it."
    return Picture(title, note, heatmap(title, note, drawn, share),
                   more(len(every), len(drawn), "objectives"))  # fmt: skip


def _cell(day: Row) -> Cell:
    start, known = int(amount(day, "day")), num(day, "fresh_share")
    late = None if known is None else 1 - known
    said = "not known" if late is None else f"{share(late)} late"
    return Cell(start, start + 86_400_000, late, f"{moment(start, '%Y-%m-%d')}: {said}")
