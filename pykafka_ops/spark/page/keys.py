"""Heavy keys in the skew report: how much of which topic they are, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.sampled import ALL
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.units import share, size
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    amount,
    band,
    barred,
    brief,
    more,
    num,
    rows,
    text,
)

HEAVY = 0.01
"""Of a topic's bytes: keys below that are not worth a bar."""


def share_text(key: Row) -> str:
    """The share of a key, with its band."""
    said = _reach(key)
    return share(amount(key, "share")) + (f" ({said})" if said else "")


def _reach(key: Row) -> str:
    return band(key, "share", ("share_low", "share_high"), "share")


def named(key: Row) -> str:
    """A key, its topic, and how far its share may be off."""
    said = _reach(key)
    return f"{brief(key, 'key')} in {brief(key, 'topic')}" + (f", {said}" if said else "")


def _sampled_keys(report: Report) -> Picture | None:
    """Shares with their bands, where keys were counted in a sample."""
    ordered = sorted(rows(report, "keys"), key=lambda r: -amount(r, "share"))
    shown = [r for r in ordered if amount(r, "share") >= HEAVY][:SHOWN]
    made = [
        Bar(f"{text(r, 'key')}  in {text(r, 'topic')}", num(r, "share"), share_text(r), "plain",
            num(r, "share_low"), num(r, "share_high"),
            f"key {text(r, 'key')} in {text(r, 'topic')}: {share_text(r)} of its topic{_where(r)}")
        for r in shown
    ]  # fmt: skip
    note = (
        "Share of a topic's bytes, by a sample; the line is the band of 95 %. Keys that are not"
        " told from noise are left out."
    )
    return barred("Heaviest keys", note, made, len(ordered), "keys")


def heaviest(report: Report) -> Picture | None:
    """The heaviest keys of all topics."""
    if any(r.get("basis") not in (None, ALL) for r in rows(report, "keys")):
        return _sampled_keys(report)
    ordered = sorted(rows(report, "keys"), key=lambda r: -amount(r, "bytes"))
    shown = [r for r in ordered if amount(r, "share") >= HEAVY][:SHOWN]
    if not shown:
        return None
    made = [
        Bar(f"{text(r, 'key')}  in {text(r, 'topic')}", num(r, "bytes"),
            f"{size(amount(r, 'bytes'))} · {share(amount(r, 'share'))}", "plain",
            num(r, "bytes"), amount(r, "bytes") + amount(r, "error"),
            f"key {text(r, 'key')} in {text(r, 'topic')}: {size(amount(r, 'bytes'))}, "
            f"at most {size(amount(r, 'error'))} more{_where(r)}")
        for r in shown
    ]  # fmt: skip
    return Picture(
        "Heaviest keys",
        "Bytes of the records of a key; the line behind a bar is what may have been missed.",
        bars("Heaviest keys", made),
        more(len(ordered), len(shown), "keys"),
    )


def _where(row: Row) -> str:
    found = row.get("partitions")
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return ""
    parts = [p for p in found if isinstance(p, Mapping)]
    said = [f"{text(p, 'partition')} ({share(amount(p, 'share'))})" for p in parts[:4]]
    return f"; in partition {', '.join(said)}" if said else ""
