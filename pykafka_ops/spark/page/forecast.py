"""The forecast: which broker or directory is full when, what grows most, the course of each."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pykafka_ops.analysis import growth as g
from pykafka_ops.page.charts.band import Grown, band
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.charts.runway import DAY, tone
from pykafka_ops.page.ticks import sizes
from pykafka_ops.page.units import NONE, number, share, size, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.disks import place
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    barred,
    blank,
    brief,
    listed,
    more,
    num,
    plural,
    rows,
    sentence,
    text,
)

TONES = {
    g.REACHED: "stop", g.WITHIN: "stall", g.MAYBE: "warn", g.GONE: "warn", g.TOO_FEW: "plain",
    g.NO_CAPACITY: "plain", g.NOT_WITHIN: "ok", g.GROWING: "plain", g.SHRINKING: "plain",
    g.STEADY: "ok",
}  # fmt: skip
_DRAWN = 3
"""Brokers, directories or topics whose course is drawn."""


def view(report: Report) -> View:
    """The page of a forecast."""
    pictures = [_until(report), *_courses(report), _topics(report)]
    return View(
        "Capacity forecast",
        headline(report),
        _tone(report),
        tiles(report),
        [picture for picture in pictures if picture is not None],
        main_section(report),
        TONES,
        order=1,
    )


def main_section(report: Report) -> str:
    """Brokers, else directories, else topics: what is known."""
    known = (name for name in ("brokers", "dirs") if rows(report, name))
    return next(known, "topics")


def filling(report: Report) -> list[Row]:
    """Brokers, or directories, that reach their capacity or may, the most urgent first."""
    every = rows(report, main_section(report))
    return [row for row in every if text(row, "status") in (g.REACHED, g.WITHIN, g.MAYBE)]


def headline(report: Report) -> str:
    """In a sentence: what is full when, or that it is not known."""
    name = main_section(report)
    every = rows(report, name)
    if name == "topics":
        return _of_topics(every)
    one, many = ("broker", "brokers") if name == "brokers" else ("directory", "directories")
    counts = {status: sum(text(r, "status") == status for r in every) for status in g.STATUSES}
    first, days = every[0], number(amount(report.source, "days"))
    said = []
    if full := counts[g.REACHED]:
        names = listed([place(r) for r in every if text(r, "status") == g.REACHED])
        said.append(sentence(f"{names} {'has' if full == 1 else 'have'} reached capacity"))
    if counts[g.WITHIN]:
        row = next(r for r in every if text(r, "status") == g.WITHIN)
        said.append(
            f"{counts[g.WITHIN]} of {plural(len(every), one, many)} will be full within {days} d: "
            f"{place(row)} in {span(amount(row, 'days_expected') * DAY)}, {_bounds(row)}"
        )
    if not said and text(first, "status") == g.MAYBE:
        early = span(amount(first, "days_earliest") * DAY)
        said.append(
            f"{counts[g.MAYBE]} of {plural(len(every), one, many)} may be full within {days} d, "
            f"though it is not expected: {place(first)} in {early} at the earliest"
        )
    if not said and counts[g.NOT_WITHIN]:
        count = plural(counts[g.NOT_WITHIN], one, many)
        said.append(f"{count} will not be full within {days} d")
    said += _not_known(counts, len(every), one, many)
    return f"{'. '.join(said)}."


def _not_known(counts: dict[str, int], total: int, one: str, many: str) -> list[str]:
    found = []
    for status, why in (
        (g.TOO_FEW, "too few runs"),
        (g.NO_CAPACITY, "nobody knows the capacity (--capacity)"),
        (g.GONE, "not in the last run"),
    ):
        if counts[status]:
            found.append(f"Not known of {counts[status]} of {plural(total, one, many)}: {why}")
    return found


def _bounds(row: Row) -> str:
    latest = num(row, "days_latest")
    late = "perhaps not at all" if latest is None else f"{span(latest * DAY)} at the latest"
    return f"{span(amount(row, 'days_earliest') * DAY)} at the earliest, {late}"


def _of_topics(every: Sequence[Row]) -> str:
    if not every:
        return "The runs have no topics."
    rising = [row for row in every if text(row, "trend") == g.GROWING]
    if not any(num(row, "bytes_per_day") is not None for row in every):
        return f"How {plural(len(every), 'topic')} grow is not known: too few runs."
    grow = "grows" if len(rising) == 1 else "grow"
    said = f"{len(rising)} of {plural(len(every), 'topic')} {grow}"
    if rising:
        most = size(amount(rising[0], "bytes_per_day"))
        said += f", {brief(rising[0], 'topic')} most: {most} a day"
    return f"{said}. What brokers hold is not in the runs."


def _tone(report: Report) -> str:
    every = rows(report, main_section(report))
    statuses = {text(row, "status") for row in every}
    if main_section(report) == "topics":
        return "warn"
    soon = any(tone(num(row, "days_expected")) == "stop" for row in filling(report)
               if num(row, "days_expected") is not None)  # fmt: skip
    if g.REACHED in statuses or soon:
        return "bad"
    return "ok" if statuses == {g.NOT_WITHIN} else "warn"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    name = main_section(report)
    every = rows(report, name)
    known = [row for row in every if num(row, "bytes_per_day") is not None]
    slope = sum(amount(row, "bytes_per_day") for row in known)
    kind = {"brokers": "broker", "dirs": "director", "topics": "topic"}[name]
    count = plural(len(every), kind + ("y" if name == "dirs" else ""),
                   kind + ("ies" if name == "dirs" else "s"))  # fmt: skip
    full = [row for row in filling(report) if num(row, "days_expected") is not None]
    first = min(full, key=lambda row: amount(row, "days_expected"), default=None)
    few = sum(text(row, "trend") == g.TOO_FEW for row in every)
    found = [
        Tile("Held", sum(amount(r, "bytes") for r in every),
             size(sum(amount(r, "bytes") for r in every)), count, unit="bytes", of=name),
        Tile("Growth per day", slope, size(slope), f"of {len(known):,} of {count}", unit="bytes",
             of=name) if known else
        Tile("Growth per day", None, NONE, "too few runs", "warn", of=name),
        Tile("First full in", amount(first, "days_expected"),
             span(amount(first, "days_expected") * DAY), place(first),
             {"stop": "bad", "ok": ""}.get(tone(num(first, "days_expected")), "warn"), good=1,
             unit="days", of=name) if first else
        Tile("First full in", None, NONE, *_none_full(report, every), of=name),
        Tile("Too few runs", few, number(few), f"of {count}", "warn" if few else "", of=name),
    ]  # fmt: skip
    if not every:
        return [blank(tile) for tile in found]
    if name == "topics":
        found[2] = blank(found[2])  # nobody knows what brokers hold
    return found


def _none_full(report: Report, every: Sequence[Row]) -> tuple[str, str]:
    """What is said, and in which tone, where nothing is expected to get full."""
    dark = sum(text(row, "status") in (g.TOO_FEW, g.NO_CAPACITY, g.GONE) for row in every)
    if dark and dark == len(every):
        return "not known", "warn"
    said = f"none expected in {_days(report)} d"
    return (f"{said}, not known of {dark:,}", "warn") if dark else (said, "")


def _days(report: Report) -> str:
    return number(amount(report.source, "days"))


def _until(report: Report) -> Picture | None:
    every = filling(report)
    if not every:
        return None
    full = amount(report.source, "days")
    drawn = [_runway(row, full) for row in every[:SHOWN]]
    title = "Until capacity is reached"
    note = f"The line is from the earliest to the latest; the width is {_days(report)} days."
    rest = len(rows(report, main_section(report))) - len(every)
    over = f"{rest:,} not within {_days(report)} d, or not known" if rest else ""
    said = "; ".join(filter(None, [more(len(every), len(drawn), "places"), over]))
    return Picture(title, note, bars(title, drawn, full=full), said)


def _runway(row: Row, full: float) -> Bar:
    expected, latest = num(row, "days_expected"), num(row, "days_latest")
    said = "not expected" if expected is None else span(expected * DAY) if expected else "reached"
    early = amount(row, "days_earliest")
    tip = f"{place(row)}: {said}"
    if expected != 0:
        tip += f" ({_bounds(row)})"
    return Bar(place(row), full if expected is None else expected, said,
               TONES[text(row, "status")] if expected is None else tone(expected), early,
               full if latest is None else latest, tip)  # fmt: skip


def _courses(report: Report) -> list[Picture]:
    """Past and band of those that come first."""
    name = main_section(report)
    what = {"brokers": "broker", "dirs": "directory", "topics": "topic"}[name]
    found = []
    for row in rows(report, name)[:_DRAWN]:
        keys = ("broker",) if name == "brokers" else ("broker", "log_dir")
        key = " ".join(str(row.get(k)) for k in (("topic",) if name == "topics" else keys))
        label = brief(row, "topic") if name == "topics" else place(row)
        picture = _course(report, (what, key), label, row)
        if picture is not None:
            found.append(picture)
    return found


def _course(report: Report, key: tuple[str, str], label: str, row: Row) -> Picture | None:
    own = [r for r in rows(report, "growth") if (r["what"], r["name"]) == key]
    points = [
        Grown(int(amount(r, "time")), amount(r, "bytes"), num(r, "low"), num(r, "high"),
              r.get("forecast") is True)
        for r in own
    ]  # fmt: skip
    if len(points) < 2:
        return None
    top = max(p.value if p.high is None else max(p.value, p.high) for p in points)
    capacity = num(row, "capacity")
    if capacity is not None and capacity < 2 * top:
        top = max(top, capacity)
    title = f"Growth of {label}"
    seen = [p for p in points if not p.forecast]
    said = f"{size(seen[0].value)} to {size(seen[-1].value)}"
    if steps := int(amount(row, "steps")):
        said += f"; {plural(steps, 'jump')} taken out of the trend"
    note = f"{plural(len(seen), 'run')}, {said}."
    return Picture(title, note, band(title, said, points, sizes(top), size, capacity))


def _topics(report: Report) -> Picture | None:
    every = [row for row in rows(report, "topics") if (num(row, "bytes_per_day") or -inf) > 0]
    drawn = [
        Bar(brief(row, "topic"), amount(row, "bytes_per_day"),
            f"{size(amount(row, 'bytes_per_day'))} · {share(amount(row, 'growth_share'))}",
            "plain", max(0.0, amount(row, "bytes_per_day_low")), num(row, "bytes_per_day_high"))
        for row in every[:SHOWN]
    ]  # fmt: skip
    note = "Bytes per day of one replica per partition, and the share of all growth."
    return barred("What grows most", note, drawn, len(every), "topics")
