"""Tiers that ``pko audit`` has counted: how far, and whether they agree."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from pykafka_ops.monitor.pages.frame import (
    ROWS,
    PageColumn,
    PageRequest,
    block,
    document,
    table,
)
from pykafka_ops.monitor.tiers.books import BooksSeen, PairSeen
from pykafka_ops.monitor.tiers.settings import TierPair
from pykafka_ops.monitor.wording.text import plain, safe
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import NONE, moment, value_text

TITLE: Final = "Tiers"


def _time(value: object) -> str:
    return f"{moment(value)} UTC" if isinstance(value, int) else NONE


def _number(value: object, unit: str = "records") -> str:
    return value_text(value, unit) if isinstance(value, int) else NONE


def _tone(value: object) -> str:
    if value == "equal":
        return "good"
    return "warn" if value in ("open", "partial") else "bad"


def _count_tone(value: object) -> str:
    return "bad" if value else ""


_TIERS: Final = (
    PageColumn("tier", "Tier", sorts=False),
    PageColumn("where", "Where", sorts=False),
    PageColumn("topics", "Topics", _number, True, sorts=False),
    PageColumn("partitions", "Partitions", _number, True, sorts=False),
    PageColumn("newest", "Latest record", _time, sorts=False),
    PageColumn("counted_at", "Counted at", _time, sorts=False),
)
_SUMS: Final = (
    PageColumn("state", "State", tone=_tone, status=True, sorts=False),
    PageColumn("records_a", "Records A", _number, True, sorts=False),
    PageColumn("records_b", "Records B", _number, True, sorts=False),
    PageColumn("missing", "Missing", _number, True, tone=_count_tone, sorts=False),
    PageColumn("extra", "Extra", _number, True, tone=_count_tone, sorts=False),
    PageColumn("pending", "Pending", _number, True, sorts=False),
    PageColumn("differing", "Buckets that differ", _number, True, sorts=False),
    PageColumn("behind_ms", "Behind", partial(_number, unit="ms"), True, sorts=False),
)
_BUCKETS: Final = (
    PageColumn("bucket", "Bucket", _time, sorts=False),
    *_SUMS[:3],
    PageColumn("checksum_a", "Checksum A", sorts=False),
    PageColumn("checksum_b", "Checksum B", sorts=False),
    PageColumn("offsets_a", "Offsets A", lambda value: _span(value), sorts=False),
    PageColumn("offsets_b", "Offsets B", lambda value: _span(value), sorts=False),
)


def _span(value: object) -> str:
    return f"{value[0]} to {value[1]}" if isinstance(value, list) else NONE


def tiers_page(asked: PageRequest, seen: BooksSeen) -> str:
    """The page of all tiers, and of those that should agree."""
    problem = None
    if seen.problem:
        problem = el("p", f"not known: {safe(seen.problem)}", class_="stale warn")
    tiers = block(
        f"Tiers: {len(seen.tiers)}", "pko audit list",
        table(_TIERS, seen.tiers, "nothing was counted yet: pko audit collect TIER", label=TITLE),
    )  # fmt: skip
    pairs = [_pair(number, pair) for number, pair in enumerate(seen.pairs)]
    return document(asked, None, TITLE, problem, None if problem else tiers, *pairs, live=False)


def _pair(number: int, seen: PairSeen) -> Markup:
    pair = seen.pair
    title = f"{pair.a} and {pair.b}"
    if seen.problem:
        said = el("p", f"not known: {safe(seen.problem)}", class_="stale warn")
        return block(title, command(pair), said)
    place = (
        PageColumn("topic", "Topic", link=partial(_link, number), sorts=False),
        PageColumn("partition", "Partition", plain, True, sorts=False),
    )
    more = None
    if len(seen.rows) > ROWS:
        more = el("p", f"{ROWS} of {len(seen.rows):,} partitions", class_="more")
    agree = f"all {seen.equal:,} partitions agree" if seen.equal else "no partition to compare"
    rows = seen.rows[:ROWS]
    shown = table((*place, *_SUMS), rows, agree, label=title)
    some = el("p", f"{seen.equal:,} partitions agree.", class_="note") if seen.rows else None
    return block(title, command(pair), some, shown, more)


def _link(number: int, row: Mapping[str, Any]) -> str:
    query = {"pair": number, "topic": row["topic"], "partition": row["partition"]}
    return f"/tiers/buckets?{urlencode(query)}"


def command(pair: TierPair, *more: str) -> str:
    """The command that shows the same."""
    words = ["pko", "audit", "compare", pair.a, pair.b]
    if pair.prefix:
        words += ["--prefix", pair.prefix]
    return shlex.join([*words, *more])


def buckets_page(
    asked: PageRequest,
    pair: TierPair,
    place: tuple[str, int],
    rows: Sequence[Mapping[str, Any]],
    problem: str,
) -> str:
    """The page of a partition's buckets that differ."""
    topic, partition = place
    said = None
    if problem:
        said = el("p", f"not known: {safe(problem)}", class_="stale warn")
    more = None
    if len(rows) > ROWS:
        more = el("p", f"{ROWS} of {len(rows):,} buckets", class_="more")
    shown = table(_BUCKETS, rows[:ROWS], "all buckets agree", label="Buckets")
    title = f"{pair.a} and {pair.b}: {topic}-{partition}"
    return document(
        asked, None, title,
        el("p", el("a", "all tiers", href="/tiers"), class_="note"), said,
        block("Buckets that differ", command(pair, "--topic", topic, "--records"), shown, more),
        live=False,
    )  # fmt: skip
