"""The cost report: what is dear, whose it is, what could be saved."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.cost import FOUND
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.units import NONE, money, number, share, size, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    blank,
    brief,
    more,
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
    known = [row for row in topics if num(row, "cost") is not None]
    if not known:
        return f"What {plural(len(topics), 'topic')} cost is not known."
    least = "at least " if _is_least(report) else ""
    said = f"{plural(len(topics), 'topic')} cost {least}{_sum(report, known, 'cost')} a month"
    first = max(known, key=lambda row: amount(row, "cost"))
    if len(topics) > 1 and amount(first, "cost"):
        said += f"; {brief(first, 'topic')} is the dearest with {share(amount(first, 'share'))}"
    saved = rows(report, "savings")
    if any(num(row, "saving") for row in saved):
        said += f". {_sum(report, saved, 'saving')} could be saved by keeping less"
    return f"{said}."


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    topics, saved = rows(report, "topics"), rows(report, "savings")
    lacking = sum(num(row, "cost") is None for row in topics)
    note = f"{plural(lacking, 'topic')} not known" if lacking else "a month"
    least = "at least, " if _is_least(report) else ""
    found = [
        _tile(report, "Cost", topics, "cost", f"{least}{note}", "warn" if lacking else ""),
        _tile(report, "At rest", topics, "storage_cost", "a month"),
        Tile("All replicas", sum(amount(r, "replica_bytes") for r in topics),
             size(sum(amount(r, "replica_bytes") for r in topics)), plural(len(topics), "topic"),
             unit="bytes", of="topics"),
        _growth(topics),
    ]  # fmt: skip
    if unknown(report, "topics"):
        found = [blank(tile) for tile in found]
    last = _tile(report, "Could be saved", saved, "saving", plural(len(saved), "topic"))
    return [*found, blank(last) if unknown(report, "savings") else last]


def _tile(
    report: Report, name: str, every: Sequence[Row], field: str, note: str, tone: str = ""
) -> Tile:
    known = [row for row in every if num(row, field) is not None]
    if every and not known:
        return Tile(name, None, NONE, "not known, or without a price", "warn", of="topics")
    section = "savings" if field == "saving" else "topics"
    return Tile(name, sum(amount(r, field) for r in known), _sum(report, known, field), note, tone,
                unit="money", of=section)  # fmt: skip


def _growth(topics: Sequence[Row]) -> Tile:
    known = [row for row in topics if num(row, "growth_per_month") is not None]
    if topics and not known:
        return Tile("Growth in a month", None, NONE, "not known", "warn", of="topics")
    total = sum(amount(row, "growth_per_month") for row in known)
    note = f"of {len(known)} of {plural(len(topics), 'topic')}"
    return Tile("Growth in a month", total, size(total), note, unit="bytes", of="topics")


def _is_least(report: Report) -> bool:
    """Whether the sum may be less than the truth."""
    topics = rows(report, "topics")
    return any(num(row, "cost") is None or row.get("basis") == FOUND for row in topics)


def _tone(report: Report) -> str:
    return "warn" if unknown(report, "topics") or _is_least(report) else "ok"


def _sum(report: Report, every: Sequence[Row], field: str) -> str:
    return _money(report, sum(amount(row, field) for row in every))


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
    return _picture("The dearest topics", "Cost per month.", drawn, len(every), "topics")


def _owners(report: Report) -> Picture | None:
    every = [row for row in rows(report, "owners") if amount(row, "cost")]
    every.sort(key=lambda row: -amount(row, "cost"))
    drawn = [
        Bar(brief(row, "owner"), amount(row, "cost"),
            f"{_money(report, amount(row, 'cost'))} · "
            f"{plural(int(amount(row, 'topics')), 'topic')}")
        for row in every[:SHOWN]
    ]  # fmt: skip
    return _picture("By owner", "Cost per month, as far as it is known.", drawn, len(every),
                    "owners")  # fmt: skip


def _savings(report: Report) -> Picture | None:
    every = rows(report, "savings")
    drawn = [
        Bar(brief(row, "topic"), amount(row, "bytes"),
            f"{size(amount(row, 'bytes'))} · {span(amount(row, 'proposed_ms') / 1000)} is enough",
            "warn" if text(row, "kind") == "unread" else "plain")
        for row in every[:SHOWN]
    ]  # fmt: skip
    note = f"Bytes of all replicas that {number(len(every))} topics keep longer than is read."
    return _picture("What could be saved", note, drawn, len(every), "topics")


def _picture(title: str, note: str, drawn: Sequence[Bar], count: int, what: str) -> Picture | None:
    if not drawn:
        return None
    return Picture(title, note, bars(title, drawn), more(count, len(drawn), what))
