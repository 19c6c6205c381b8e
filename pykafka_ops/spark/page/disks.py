"""Directories in the retention report: when they are full, and how they grow."""

from __future__ import annotations

from pykafka_ops.page.charts.band import Grown, band
from pykafka_ops.page.charts.runway import DAY, Runway, runway
from pykafka_ops.page.ticks import sizes
from pykafka_ops.page.units import NONE, size, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import SHOWN, Picture, amount, brief, more, num, plural, rows

DISKS = 2
"""Directories whose growth is drawn."""


def directories(report: Report) -> list[Row]:
    """Directories, the one that is full first on top."""

    def left(row: Row) -> float:
        days = num(row, "days_to_full")
        return float("inf") if days is None else days

    return sorted(rows(report, "dirs"), key=left)


def unforeseen(report: Report) -> int:
    """How many directories have no forecast, since of one of their logs nobody knows how it
    grows."""
    return sum("basis" in row and row["basis"] is None for row in rows(report, "dirs"))


def why_dark(report: Report) -> str:
    """Why it is not known when disks are full; empty where it is."""
    if silent := int(amount(report.summary, "untold_brokers")):
        return f"{plural(silent, 'broker')} not known"
    if any(num(r, "total_bytes") is None for r in rows(report, "dirs")):
        return "size not known"
    return "growth not known" if unforeseen(report) else ""


def place(row: Row) -> str:
    """``broker 1``, ``broker 1 /data1``, or the path alone where nobody knows whose it is."""
    named = f"broker {brief(row, 'broker')}" if row.get("broker") is not None else ""
    where = brief(row, "log_dir") if row.get("log_dir") is not None else ""
    return f"{named} {where}".strip()


def until_full(report: Report) -> Picture | None:
    """Directories that are full within a year, the first on top."""
    every = directories(report)
    dirs = [r for r in every if num(r, "days_to_full") is not None]
    if not dirs:
        return None
    made = [
        Runway(place(r), num(r, "days_to_full"), num(r, "days_to_full_low"),
               num(r, "days_to_full_high"))
        for r in dirs[:SHOWN]
    ]  # fmt: skip
    title = "Until disks are full"
    said = "; ".join(f"{i.label}: {NONE if i.days is None else span(i.days * DAY)}" for i in made)
    return Picture(
        title,
        "At the present growth; the line is the interval of the forecast. A year at most is drawn.",
        runway(title, said, made),
        "; ".join(filter(None, [
            more(len(dirs), len(made), "directories"),
            f"{len(every) - len(dirs):,} not within a year, or not known"
            if len(every) > len(dirs) else "",
        ])),
    )  # fmt: skip


def growth(report: Report, disk: Row) -> Picture | None:
    """How the bytes of a directory went, and where they go."""
    own = [
        r for r in rows(report, "growth")
        if r.get("broker") == disk.get("broker") and r.get("log_dir") == disk.get("log_dir")
        and num(r, "time") is not None and num(r, "bytes") is not None
    ]  # fmt: skip
    if len(own) < 2:  # no line, where neither past nor future is known
        return None
    points = [
        Grown(int(amount(r, "time")), amount(r, "bytes"), num(r, "low"), num(r, "high"),
              r.get("forecast") is True)
        for r in sorted(own, key=lambda r: amount(r, "time"))
    ]  # fmt: skip
    top = max(p.value if p.high is None else max(p.value, p.high) for p in points)
    title = f"Growth of {place(disk)}"
    ticks = sizes(top)
    return Picture(
        title,
        "Bytes of all logs in the directory: measured, and expected if nothing changes.",
        band(title, f"{size(points[0].value)} to {size(points[-1].value)}", points, ticks, size,
             num(disk, "total_bytes")),
    )  # fmt: skip
