"""The retention report: how old data is, when disks are full, and whose unread data goes."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis import compaction as cleaning
from pykafka_ops.analysis import retention as policy
from pykafka_ops.analysis.lag.unread import AT_RISK, LOSING
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.charts.frame import legend
from pykafka_ops.page.charts.runway import DAY, tone
from pykafka_ops.page.charts.stacked import Stack, stacked
from pykafka_ops.page.markup import join
from pykafka_ops.page.units import NONE, number, size, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.disks import (
    DISKS,
    directories,
    growth,
    place,
    unforeseen,
    until_full,
    why_dark,
)
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    blank,
    brief,
    lacking,
    least,
    listed,
    more,
    num,
    plural,
    rows,
    sentence,
    text,
    unknown,
    unknown_partitions,
)
from pykafka_ops.spark.page.retained import (
    kept_too_long,
    threatened,
    uncleaned,
    unjudged,
    unsure,
)

TONES = {
    policy.OVER: "stop",
    policy.BLOCKED: "stall",
    policy.OVERHANG: "warn",
    policy.BY_SIZE: "rewind",
    cleaning.STUCK: "stop",
    cleaning.OVERDUE: "stall",
    cleaning.DUE: "warn",
    LOSING: "lost",
    AT_RISK: "stop",
    "SAFE": "ok",
    policy.UNKNOWN: "unknown",
    policy.OK: "ok",
    cleaning.CLEAN: "ok",
}
AGES = 7
"""Ages that have a tone of their own."""


def view(report: Report) -> View:
    """The page of a retention report."""
    grown = [growth(report, r) for r in directories(report)[:DISKS]]
    pictures = [
        _risk(report),
        _ages(report),
        until_full(report),
        *grown,
        _leaving(report),
        _debt(report),
    ]
    return View(
        "Retention",
        headline(report),
        _tone(report),
        tiles(report),
        [p for p in pictures if p is not None],
        "topics",
        TONES,
        "" if unknown(report, "topics") else _brief(report),
        0,
    )


def _brief(report: Report) -> str:
    """The first thing that is wrong."""
    if lost := threatened(report):
        return _loss(lost).rstrip(".")
    full = [r for r in directories(report) if tone(num(r, "days_to_full")) != "ok"]
    if full:
        return f"{place(full[0])} is full in {span(amount(full[0], 'days_to_full') * DAY)}"
    if over := kept_too_long(report):
        return f"{plural(len(over), 'topic keeps', 'topics keep')} data for too long"
    if stuck := uncleaned(report):
        return f"the cleaner does not get to {plural(len(stuck), 'partition')}"
    return ""


def headline(report: Report) -> str:
    """In a few sentences: what is lost, what is full, what stays too long."""
    said = []
    if lost := threatened(report):
        said.append(_loss(lost))
    full = [r for r in directories(report) if tone(num(r, "days_to_full")) != "ok"]
    if full:
        days = amount(full[0], "days_to_full") * DAY
        said.append(sentence(f"{place(full[0])} is full in {span(days)}."))
    if over := kept_too_long(report):
        names = listed([text(r, "topic") for r in over])
        verb = "keeps" if len(over) == 1 else "keep"
        said.append(f"{names} {verb} data for longer than the policy says.")
    if stuck := uncleaned(report):
        topics = list(dict.fromkeys(text(r, "topic") for r in stuck))
        said.append(f"The cleaner does not get to {listed(topics)}.")
    if not said and not unknown(report, "topics"):
        held = len(rows(report, "topics"))
        count = held - len(unjudged(report))
        kept = f"{plural(count, 'topic keeps', 'topics keep')} what the policies say, and "
        first = kept if count else "" if held else "there are no topics, and "
        said.append(sentence(f"{first}no disk {_filling(report)}."))
    if why := unknown(report, "topics"):
        said.append(f"Not known: {why}.")
    elif why := unknown(report, "at_risk"):
        said.append(f"Who loses unread data is not known: {why}.")
    elif count := unsure(report):
        said.append(f"Of {plural(count, 'group')} it is not known whether it goes unread.")
    if dark := unjudged(report):
        keep = "keeps" if len(dark) == 1 else "keep"
        names = listed([text(r, "topic") for r in dark])
        said.append(f"Whether {names} {keep} what the policy says is not known.")
    return " ".join(said)


def _filling(report: Report) -> str:
    """What no disk does, as far as volumes are known."""
    dark = unknown(report, "dirs") or why_dark(report)
    return "is known to fill up soon" if dark else "fills up soon"


def _loss(lost: Sequence[Row]) -> str:
    """Who loses unread data of which topic, and when the first of it goes."""
    groups = list(dict.fromkeys(text(r, "group") for r in lost))
    first = least(lost, "deleted_in_seconds") or lost[0]
    topic, soon = brief(first, "topic"), amount(first, "deleted_in_seconds")
    who, others = brief(first, "group"), len(groups) - 1
    if soon <= 0:
        said = f"{who} is losing unread data of {topic}"
    else:
        said = f"{who} loses unread data of {topic} in {span(soon)}"
    later = f", {plural(others, 'more group')} later" if others else ""
    return f"{said}{later}."


def _tone(report: Report) -> str:
    days = [tone(num(r, "days_to_full")) for r in rows(report, "dirs")]
    if threatened(report) or "stop" in days:
        return "bad"
    dark = any(unknown(report, name) for name in ("topics", "at_risk", "dirs"))
    dark = dark or bool(num(report.summary, "untold_brokers"))
    dark = dark or bool(unforeseen(report) or unsure(report) or unjudged(report))
    dark = dark or bool(unknown_partitions(report))
    return "warn" if dark or "warn" in days or kept_too_long(report) or uncleaned(report) else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    lost, dirs = threatened(report), directories(report)
    debt, stuck = rows(report, "compaction"), uncleaned(report)
    dirty = sum(amount(r, "dirty_bytes") for r in debt)
    first = num(dirs[0], "days_to_full") if dirs else None
    groups = list(dict.fromkeys(text(r, "group") for r in lost))
    why = why_dark(report)
    dark = bool(why)
    made = [
        _losing(report, groups),
        Tile("First disk full", first,
             span(first * DAY) if first is not None else NONE if dark else "none in sight",
             place(dirs[0]) if dirs and first is not None else why,
             "warn" if first is None and dark else {"stop": "bad"}.get(tone(first), tone(first)),
             1, "days", of="dirs"),
        _on_disk(report),
        _leaves(report),
        _kept(report),
        Tile("Compaction debt", dirty, size(dirty), plural(len(stuck), "stuck partition"),
             "warn" if stuck else "ok", unit="bytes", of="compaction"),
    ]  # fmt: skip
    return [blank(tile) if unknown(report, tile.of) else tile for tile in made]


def _on_disk(report: Report) -> Tile:
    """Bytes of all replicas, or of one where that is all there is to know."""
    topics = rows(report, "topics")
    found = [num(r, "replica_bytes") or num(r, "bytes") for r in topics]
    known = [held for held in found if held is not None]
    lacks = lacking(report)
    note = f"at least: {lacks}" if lacks else f"{plural(len(topics), 'topic')}, all replicas"
    tile = Tile("On disk", sum(known), size(sum(known)), note, good=0, unit="bytes", of="topics")
    return blank(tile) if topics and not known else tile


def _kept(report: Report) -> Tile:
    """What is beyond the policies, as far as that is known."""
    over, dark = kept_too_long(report), len(unjudged(report))
    late = sum(amount(r, "over_bytes") for r in over)
    lacks = f"at least: {plural(dark, 'topic')} not known" if dark else ""
    note = listed([text(r, "topic") for r in over], 2) or lacks
    tile = Tile("Kept too long", late, size(late), note, "warn" if over or dark else "ok",
                unit="bytes", of="topics")  # fmt: skip
    return blank(tile) if dark and dark == len(rows(report, "topics")) else tile


def _losing(report: Report, groups: Sequence[str]) -> Tile:
    """How many groups lose unread data, as far as that is known."""
    name, others = "Groups losing unread data", unsure(report)
    if others and not groups:
        return Tile(name, None, NONE, f"{plural(others, 'group')} not known", "warn", of="at_risk")
    note = f"at least: {others:,} not known" if others else listed(groups, 2)
    return Tile(name, len(groups), f"{len(groups):,}", note, "bad" if groups else "ok",
                of="at_risk")  # fmt: skip


def _leaves(report: Report) -> Tile:
    """What leaves in a day, of the topics of which that is known."""
    found = [r for r in rows(report, "leaving") if num(r, "within_seconds") == DAY]
    known = [held for r in found if (held := num(r, "bytes")) is not None]
    lacks = len(found) - len(known)
    day = sum(known) if known else None
    note = f"of {len(known):,} of {plural(len(found), 'topic')}" if lacks else ""
    return Tile("Leaves in 24 hours", day, NONE if day is None else size(day), note,
                "warn" if lacks else "", good=0, unit="bytes", of="leaving")  # fmt: skip


def _risk(report: Report) -> Picture | None:
    lost = threatened(report)
    if not lost:
        return None
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in lost:
        pairs.setdefault((text(row, "group"), text(row, "topic")), []).append(row)
    shown = sorted(pairs.items(), key=lambda p: min(amount(r, "deleted_in_seconds") for r in p[1]))
    made = [_risk_bar(f"{g} on {t}", own) for (g, t), own in shown[:SHOWN]]
    tones = {b.tone for b in made}
    meanings = [(TONES[s], s.replace("_", " ").lower()) for s in (LOSING, AT_RISK)]
    title = "Until unread data is deleted"
    return Picture(
        title,
        "Time until retention takes the next record that a group has not read, where the group "
        "does not get there first.",
        join(legend([m for m in meanings if m[0] in tones]),
             bars(title, made)),
        more(len(shown), len(made), "groups and topics"),
    )  # fmt: skip


def _risk_bar(name: str, own: Sequence[Row]) -> Bar:
    """A group in a topic: the first of its partitions to lose something."""
    first = min(own, key=lambda r: amount(r, "deleted_in_seconds"))
    soon = amount(first, "deleted_in_seconds")
    losing = any(text(r, "status") == LOSING for r in own)
    records, where = sum(amount(r, "records_lost") for r in own), plural(len(own), "partition")
    return Bar(
        name,
        soon,
        f"{_soon(soon)} · {where}",
        TONES[LOSING if losing else AT_RISK],
        tip=f"{name}: {number(records)} records of {where} go unread, the first "
        f"{'now' if soon <= 0 else f'in {span(soon)}'}; catches up {_catch_up(first)}",
    )


def _soon(seconds: float) -> str:
    return "now" if seconds <= 0 else span(seconds)


def _catch_up(row: Row) -> str:
    seconds = num(row, "catch_up_seconds")
    return "never at this rate" if seconds is None else f"in {span(seconds)}"


def _bounds(report: Report, section: str, column: str) -> list[float | None]:
    """The classes of a section, from the least up; None, for what is older, last."""
    found = {num(r, column) for r in rows(report, section)}
    return [*sorted(b for b in found if b is not None), *([None] if None in found else [])]


def _ages(report: Report) -> Picture | None:
    bounds = _bounds(report, "ages", "up_to_seconds")
    found: dict[str, dict[float | None, float]] = {}
    for row in rows(report, "ages"):
        held = found.setdefault(text(row, "topic"), {})
        bound = num(row, "up_to_seconds")
        held[bound] = held.get(bound, 0.0) + amount(row, "bytes")
    ordered = sorted(found.items(), key=lambda f: -sum(f[1].values()))
    named = {b: _age(b) for b in bounds}
    tones = {b: f"a{_shade(i, len(bounds))}" for i, b in enumerate(bounds)}
    made = [
        Stack(name, size(sum(held.values())),
              [(tones[b], held[b], f"{name}, {named[b]}: {size(held[b])}")
               for b in bounds if b in held])
        for name, held in ordered[:SHOWN]
    ]  # fmt: skip
    if not made:
        return None
    title = "Bytes by age"
    return Picture(
        title,
        "How old the data of each topic is, by the timestamps of its records.",
        stacked(title, made,
                [(tones[b], named[b]) for b in bounds]),
        more(len(ordered), len(made), "topics"),
    )  # fmt: skip


def _age(bound: float | None) -> str:
    if bound is None:
        return "older"
    return f"to {span(bound)}" if bound > 0 else "in the future"


def _shade(index: int, count: int) -> int:
    """One of seven shades for the index-th of ``count`` classes, young to old."""
    return index if count <= AGES else index * (AGES - 1) // (count - 1)


def _leaving(report: Report) -> Picture | None:
    horizons = _bounds(report, "leaving", "within_seconds")
    found: dict[str, float] = {}
    dark = {text(r, "topic") for r in rows(report, "leaving") if num(r, "bytes") is None}
    for row in rows(report, "leaving"):
        found[text(row, "topic")] = max(found.get(text(row, "topic"), 0.0), amount(row, "bytes"))
    if not any(found.values()):
        return None
    heavy = sorted((t for t in found if found[t] > 0), key=lambda t: -found[t])[:5]
    tones = {t: f"s{i}" for i, t in enumerate(heavy)}
    made = [_horizon(report, h, tones) for h in horizons if h is not None]
    others = [("s5", "other topics")] if len([t for t in found if found[t] > 0]) > 5 else []
    title = "Bytes that leave"
    return Picture(
        title,
        "What retention deletes within the time, counted from now, by topic.",
        stacked(title, made,
                [*((tones[t], t) for t in heavy), *others]),
        f"{plural(len(dark), 'topic')} not known" if dark else "",
    )  # fmt: skip


def _horizon(report: Report, seconds: float, tones: dict[str, str]) -> Stack:
    own = [r for r in rows(report, "leaving") if num(r, "within_seconds") == seconds]
    held = {text(r, "topic"): amount(r, "bytes") for r in own}
    label = f"within {span(seconds)}"
    parts = [(tones[t], held.get(t, 0.0), f"{t} {label}: {size(held.get(t, 0.0))}") for t in tones]
    rest = sum(v for t, v in held.items() if t not in tones)
    return Stack(label, size(sum(held.values())),
                 [*parts, ("s5", rest, f"other topics {label}: {size(rest)}")])  # fmt: skip


def _debt(report: Report) -> Picture | None:
    found = sorted(rows(report, "compaction"), key=lambda r: -amount(r, "dirty_bytes"))
    if not found:
        return None
    shown = found[:SHOWN]
    made = [_debt_stack(r) for r in shown]
    title = "Compaction debt"
    return Picture(
        title,
        "Compacted logs: what is clean, what waits for the cleaner, what it may not touch yet.",
        stacked(title, made,
                [("ok", "clean"), ("warn", "waits"), ("a1", "not yet")]),
        more(len(found), len(shown), "partitions"),
    )  # fmt: skip


def _debt_stack(row: Row) -> Stack:
    name = f"{text(row, 'topic')}-{text(row, 'partition')}"
    parts: Sequence[tuple[str, str, str]] = (
        ("ok", "clean_bytes", "clean"),
        ("warn", "dirty_bytes", "waits for the cleaner"),
        ("a1", "uncleanable", "may not be cleaned yet"),
    )
    said = f"{amount(row, 'dirty_ratio') * 100:.0f} % dirty · {text(row, 'status')}"
    return Stack(
        name,
        said,
        [(t, amount(row, c), f"{name}: {size(amount(row, c))} {w}") for t, c, w in parts],
    )
