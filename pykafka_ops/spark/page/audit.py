"""The audit report: does a tier hold what it should?"""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.books.compare import WRONG
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.units import number, size
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    blank,
    brief,
    listed,
    more,
    plural,
    rows,
    text,
    unknown,
)

TONES = {
    "missing": "stop",
    "extra": "stop",
    "altered": "stop",
    "reordered": "stall",
    "partial": "warn",
    "open": "even",
    "equal": "ok",
}


def view(report: Report) -> View:
    """The page of an audit."""
    compared = not unknown(report, "partitions")
    pictures = [_differing(report) if compared else _counted(report)]
    return View(
        "Audit",
        headline(report),
        _tone(report),
        tiles(report),
        [picture for picture in pictures if picture is not None],
        "partitions" if compared else "counted",
        TONES,
    )


def headline(report: Report) -> str:
    """In a sentence: whether both tiers hold the same, or what was counted."""
    if unknown(report, "partitions"):
        counted = rows(report, "counted")
        records = sum(amount(row, "records") for row in counted)
        return f"{number(records)} records in {plural(len(counted), 'partition')} are counted."
    parts = rows(report, "partitions")
    bad = _wrong(parts)
    if not parts:
        return "Neither tier has such a topic."
    if not bad:
        settled = sum(text(row, "state") == "equal" for row in parts)
        waiting = len(parts) - settled
        rest = f", {waiting} are not settled yet" if waiting else ""
        return f"{settled} of {plural(len(parts), 'partition')} agree{rest}."
    names = listed([f"{text(row, 'topic')}-{text(row, 'partition')}" for row in bad])
    missing = sum(amount(row, "missing") for row in bad)
    extra = sum(amount(row, "extra") for row in bad)
    said = [f"at least {number(n)} {what}" for n, what in
            ((missing, "are missing"), (extra, "are too many")) if n]  # fmt: skip
    return f"{len(bad)} of {plural(len(parts), 'partition')} differ: {names}." + (
        f" Of records {' and '.join(said)}." if said else ""
    )


def _wrong(parts: Sequence[Row]) -> list[Row]:
    found = [row for row in parts if text(row, "state") in WRONG]
    return sorted(found, key=lambda row: -amount(row, "missing") - amount(row, "extra"))


def _tone(report: Report) -> str:
    if unknown(report, "partitions"):
        return "ok"
    parts = rows(report, "partitions")
    if _wrong(parts):
        return "bad"
    return "ok" if parts and all(text(r, "state") == "equal" for r in parts) else "warn"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    parts, counted = rows(report, "partitions"), rows(report, "counted")
    bad = len(_wrong(parts))
    records = sum(amount(row, "records") for row in counted)
    bytes_ = sum(amount(row, "bytes") for row in counted)
    found = [_sum(parts, "missing", "Missing"), _sum(parts, "extra", "Extra")]
    found.insert(0, Tile("Partitions that differ", bad, number(bad), f"of {len(parts):,}",
                         "bad" if bad else "ok", of="partitions"))  # fmt: skip
    if unknown(report, "partitions"):
        found = [blank(tile) for tile in found]
    return [
        *found,
        Tile("Records", records, number(records), plural(len(counted), "partition"), good=0,
             unit="records", of="counted"),
        Tile("Bytes", bytes_, size(bytes_), "keys, values, headers", good=0, unit="bytes",
             of="counted"),
    ]  # fmt: skip


def _sum(parts: Sequence[Row], name: str, title: str) -> Tile:
    count = sum(amount(row, name) for row in parts)
    return Tile(title, count, number(count), "records, at least", "bad" if count else "ok",
                unit="records", of="partitions")  # fmt: skip


def _place(row: Row) -> str:
    return f"{brief(row, 'topic')}-{text(row, 'partition')}"


def _differing(report: Report) -> Picture | None:
    bad = _wrong(rows(report, "partitions"))
    if not bad:
        return None
    drawn = [
        Bar(_place(row), amount(row, "differing"),
            f"{number(amount(row, 'differing'))} · {text(row, 'state')}",
            TONES.get(text(row, "state"), "plain"))
        for row in bad[:SHOWN]
    ]  # fmt: skip
    note = "Time buckets that differ, by partition"
    rest = more(len(bad), SHOWN, "partitions")
    return Picture("Where tiers differ", note, bars("Where tiers differ", drawn), rest)


def _counted(report: Report) -> Picture | None:
    counted = sorted(rows(report, "counted"), key=lambda row: -amount(row, "bytes"))
    if not counted:
        return None
    drawn = [Bar(_place(row), amount(row, "bytes"), size(amount(row, "bytes")))
             for row in counted[:SHOWN]]  # fmt: skip
    rest = more(len(counted), SHOWN, "partitions")
    return Picture("The largest partitions", "Bytes of keys, values and headers",
                   bars("The largest partitions", drawn), rest)  # fmt: skip
