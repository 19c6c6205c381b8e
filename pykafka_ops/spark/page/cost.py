"""The cost report: what is dear, whose it is, what could be saved."""

from __future__ import annotations

from pykafka_ops.page.charts.bars import Bar
from pykafka_ops.page.units import NONE, money, number, share, size, span
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    barred,
    blank,
    brief,
    num,
    plural,
    rows,
    text,
    unknown,
)


def view(report: Report) -> View:
    """The page of a cost report."""
    pictures = [_topics(report), _owners(report), _savings(report)]
    return View(
        "Cost",
        headline(report),
        _tone(report),
        tiles(report),
        [picture for picture in pictures if picture is not None],
        "topics",
        order=8,
    )


def headline(report: Report) -> str:
    """In a sentence: what all costs, what is dearest, what could be saved."""
    topics = rows(report, "topics")
    if unknown(report, "topics"):
        return "What the topics cost is not known."
    if not topics:
        return "There are no topics."
    count = plural(int(amount(report.summary, "topics")), "topic")
    if num(report.summary, "cost") is None:
        return f"What {count} cost is not known."
    least = "at least " if _lacking(report) else ""
    said = f"{count} cost {least}{_money(report, amount(report.summary, 'cost'))} a month"
    first = max(topics, key=lambda row: amount(row, "cost"))
    if len(topics) > 1 and amount(first, "cost"):
        said += f"; {brief(first, 'topic')} is the dearest with {share(amount(first, 'share'))}"
    if saved := num(report.summary, "saving"):
        said += f". {_money(report, saved)} could be saved by keeping less"
    return f"{said}."


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    lacking, topics = _lacking(report), plural(int(amount(report.summary, "topics")), "topic")
    note = f"at least, {plural(lacking, 'topic')} may cost more" if lacking else "a month"
    held = num(report.summary, "replica_bytes")
    stored = Tile("All replicas", held, size(held or 0), topics, unit="bytes", of="topics")
    found = [
        _tile(report, "Cost", "cost", note, "warn" if lacking else ""),
        _tile(report, "At rest", "storage_cost", "a month"),
        blank(stored) if held is None else stored,
        _growth(report),
    ]
    if unknown(report, "topics"):
        found = [blank(tile) for tile in found]
    count = plural(len(rows(report, "savings")), "topic")
    last = _tile(report, "Could be saved", "saving", count)
    return [*found, blank(last) if unknown(report, "savings") else last]


def _tile(report: Report, name: str, field: str, note: str, tone: str = "") -> Tile:
    value = num(report.summary, field)
    if value is None:
        return Tile(name, None, NONE, "not known, or without a price", "warn", of="topics")
    section = "savings" if field == "saving" else "topics"
    return Tile(name, value, _money(report, value), note, tone, unit="money", of=section)


def _growth(report: Report) -> Tile:
    name, total = "Growth in a month", num(report.summary, "growth_per_month")
    if total is None:
        return Tile(name, None, NONE, "not known", "warn", of="topics")
    topics = rows(report, "topics")
    known = sum(num(row, "growth_per_month") is not None for row in topics)
    note = f"of {known} of {plural(len(topics), 'topic')}"
    return Tile(name, total, size(total), note, unit="bytes", of="topics")


def _lacking(report: Report) -> int:
    """How many topics may cost more than is known."""
    return int(amount(report.summary, "unknown_topics"))


def _tone(report: Report) -> str:
    return "warn" if unknown(report, "topics") or _lacking(report) else "ok"


def _money(report: Report, value: float) -> str:
    currency = report.source.get("currency")
    return f"{money(value)} {currency}" if currency else money(value)


def _topics(report: Report) -> Picture | None:
    known = [row for row in rows(report, "topics") if amount(row, "cost")]
    every = sorted(known, key=lambda row: -amount(row, "cost"))
    drawn = [
        Bar(brief(row, "topic"), amount(row, "cost"),
            f"{_money(report, amount(row, 'cost'))} · {size(amount(row, 'replica_bytes'))}")
        for row in every[:SHOWN]
    ]  # fmt: skip
    return barred("The dearest topics", "Cost per month.", drawn, len(every), "topics")


def _owners(report: Report) -> Picture | None:
    every = [row for row in rows(report, "owners") if amount(row, "cost")]
    every.sort(key=lambda row: -amount(row, "cost"))
    drawn = [
        Bar(brief(row, "owner"), amount(row, "cost"),
            f"{_money(report, amount(row, 'cost'))} · "
            f"{plural(int(amount(row, 'topics')), 'topic')}")
        for row in every[:SHOWN]
    ]  # fmt: skip
    return barred("By owner", "Cost per month, as far as it is known.", drawn, len(every),
                    "owners")  # fmt: skip


def _savings(report: Report) -> Picture | None:
    every = [row for row in rows(report, "savings") if num(row, "bytes") is not None]
    drawn = [
        Bar(brief(row, "topic"), amount(row, "bytes"),
            f"{size(amount(row, 'bytes'))} · {span(amount(row, 'proposed_ms') / 1000)} is enough",
            "warn" if text(row, "kind") == "unread" else "plain")
        for row in every[:SHOWN]
    ]  # fmt: skip
    note = f"Bytes of all replicas that {number(len(every))} topics keep longer than is read."
    return barred("What could be saved", note, drawn, len(every), "topics")
