"""The report on formats: what values are made of, what is not compressed, what that would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.page.charts.bars import Bar
from pykafka_ops.page.charts.stacked import Stack, stacked
from pykafka_ops.page.units import NONE, money, number, share, size
from pykafka_ops.payload.kinds import KINDS
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
    more,
    num,
    plural,
    rows,
    text,
    unknown,
)

_TONES = {
    "json": "s0", "avro": "s1", "protobuf": "s2", "json-schema": "s3", "avro-file": "s1",
    "text": "s4", "number": "a3", "uuid": "a2", "binary": "s5", "empty": "a1", "null": "a0",
}  # fmt: skip


def view(report: Report) -> View:
    """The page of a report on formats."""
    pictures = [_savings(report), _kinds(report, "value"), _kinds(report, "key"), _sizes(report)]
    return View(
        "Formats",
        headline(report),
        _tone(report),
        tiles(report),
        [picture for picture in pictures if picture is not None],
        "topics",
        order=9,
    )


def headline(report: Report) -> str:
    """In a sentence: what most topics hold, and what could be saved."""
    every = rows(report, "topics")
    if unknown(report, "topics"):
        return "What the topics are made of is not known."
    if not every:
        return "There are no topics with records."
    counts: dict[str, int] = {}
    for row in every:
        if row.get("value_kind") is not None:
            kind = text(row, "value_kind")
            counts[kind] = counts.get(kind, 0) + 1
    first = sorted(counts, key=lambda kind: (-counts[kind], kind))[:4]
    held = ", ".join(f"{kind} in {number(counts[kind])}" for kind in first)
    count = plural(len(every), "topic")
    said = f"Of {count} values are mostly {held}" if held else f"Nothing of {count} was seen"
    if len(every) == 1 and held:
        said = f"Values of {brief(every[0], 'topic')} are mostly {first[0]}"
    best = every[0]
    if amount(best, "saved_bytes"):
        total = sum(amount(row, "saved_bytes") for row in every)
        said += (
            f". Other codecs would save about {size(total)}, most in {brief(best, 'topic')}"
            f" ({text(best, 'best_codec')}: {size(amount(best, 'saved_bytes'))})"
        )
    return f"{said}."


def _tone(report: Report) -> str:
    every = rows(report, "topics")
    dark = unknown(report, "topics") or any(row.get("best_codec") is None for row in every)
    return "warn" if dark or any(amount(row, "saved_bytes") for row in every) else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    every = rows(report, "topics")
    seen = sum(amount(row, "sampled_records") for row in every)
    of = sum(amount(row, "records") for row in every)
    saved = [row for row in every if num(row, "saved_bytes") is not None]
    total = sum(amount(row, "saved_bytes") for row in saved)
    plain = sum(text(row, "codec") == "none" for row in every if row.get("codec") is not None)
    costs = [row for row in every if num(row, "saving") is not None]
    currency = report.source.get("currency")
    worth = f"{money(sum(amount(row, 'saving') for row in costs))} {currency or ''}".strip()
    note = f"{worth} a month" if costs else f"estimated of {plural(len(saved), 'topic')}"
    found = [
        Tile("Could be saved", total, size(total), note, "warn" if total else "", unit="bytes",
             of="topics") if saved or not every else
        Tile("Could be saved", None, NONE, "not known", "warn", of="topics"),
        Tile("Not compressed", plain, number(plain), f"of {plural(len(every), 'topic')}",
             of="topics"),
        Tile("Looked at", seen, number(seen), f"of {number(of)} records", good=0, of="topics"),
    ]  # fmt: skip
    return [blank(tile) for tile in found] if unknown(report, "topics") else found


def _savings(report: Report) -> Picture | None:
    every = [row for row in rows(report, "topics") if amount(row, "saved_bytes")]
    drawn = [
        Bar(brief(row, "topic"), amount(row, "saved_bytes"),
            f"{size(amount(row, 'saved_bytes'))} · {text(row, 'codec')} → "
            f"{text(row, 'best_codec')}", "warn")
        for row in every[:SHOWN]
    ]  # fmt: skip
    note = "Bytes of all replicas, estimated from sampled batches that were compressed again."
    return barred("What another codec would save", note, drawn, len(every), "topics")


def _kinds(report: Report, side: str) -> Picture | None:
    found: dict[str, dict[str, float]] = {}
    for row in rows(report, "kinds"):
        if text(row, "side") == side:
            held = found.setdefault(text(row, "topic"), {})
            kind = text(row, "kind")
            held[kind] = held.get(kind, 0.0) + amount(row, "records")
    if not found:
        return None
    ordered = sorted(found.items(), key=lambda f: -sum(f[1].values()))
    shown = [kind for kind in KINDS if any(kind in held for _, held in ordered[:SHOWN])]
    made = [_stack(name, held, shown) for name, held in ordered[:SHOWN]]
    title = f"What {side}s are made of"
    note = "Shares of the sampled records of each topic."
    legend = [(_TONES[kind], kind) for kind in shown]
    return Picture(title, note, stacked(title, made, legend),
                   more(len(ordered), len(made), "topics"))  # fmt: skip


def _stack(name: str, held: Mapping[str, float], kinds: Sequence[str]) -> Stack:
    total = sum(held.values())
    first = max(held, key=lambda kind: (held[kind], kind))
    parts = [
        (_TONES[kind], held[kind] / total, f"{name}: {kind} {share(held[kind] / total)}")
        for kind in kinds
        if kind in held
    ]
    return Stack(name, f"{first} {share(held[first] / total)}", parts)


def _sizes(report: Report) -> Picture | None:
    every = [row for row in rows(report, "sizes") if text(row, "side") == "value"]
    every = [row for row in every if num(row, "mean") is not None]
    every.sort(key=lambda row: -amount(row, "mean"))
    drawn = [_size_bar(row) for row in every[:SHOWN]]
    note = "The mean, uncompressed; the line is from the median to the 99th percentile."
    return barred("How large values are", note, drawn, len(every), "topics")


def _size_bar(row: Row) -> Bar:
    said = f"{size(amount(row, 'mean'))} · at most {size(amount(row, 'largest'))}"
    return Bar(brief(row, "topic"), amount(row, "mean"), said, "plain", num(row, "p50"),
               num(row, "p99"))  # fmt: skip
