"""What the books say now: read when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pykafka_ops.analysis.books.compare import CompareRules
from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.comparing import CompareAsk, TierSide, compared
from pykafka_ops.audit.rows import bucket_row, partition_row
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.tiers.settings import BookSettings, TierPair

Row = Mapping[str, Any]


class PairSeen(NamedTuple):
    """Two tiers: their partitions that do not agree, how many do, or why nothing is known."""

    pair: TierPair
    rows: Sequence[Row]
    equal: int
    problem: str = ""
    behind_ms: int | None = None
    """How far the partition of the second that is furthest behind is."""


class BooksSeen(NamedTuple):
    """The tiers, those compared, or why nothing is known."""

    tiers: Sequence[Row]
    pairs: Sequence[PairSeen]
    problem: str = ""


def look(settings: BookSettings) -> BooksSeen:
    """All that the page of tiers shows."""
    path = str(Path(settings.file).expanduser())
    try:
        with AuditBook(path, read_only=True) as book:
            tiers = [_tier(book, tier) for tier in book.tiers()]
            return BooksSeen(tiers, [_pair(book, pair) for pair in settings.pairs])
    except PkoError as error:
        return BooksSeen([], [], str(error))


def buckets(settings: BookSettings, pair: TierPair, topic: str, partition: int) -> Sequence[Row]:
    """The buckets of a partition that differ. Raises PkoError."""
    path = str(Path(settings.file).expanduser())
    with AuditBook(path, read_only=True) as book:
        for found in compared(*_sides(book, pair), _ask(book, pair, topic)):
            if found.partition == partition:
                return [bucket_row(one) for one in found.pairs if one.state != "equal"]
    return []


def _tier(book: AuditBook, tier: Tier) -> Row:
    places = book.places(tier)
    read = [place.read_ms for place in places if place.read_ms >= 0]
    newest = [place.newest_ms for place in places if place.newest_ms >= 0]
    where = tier.source.get("directories") or tier.source.get("bootstrap")
    return {
        "tier": tier.name,
        "where": ", ".join(where) if isinstance(where, list) else where,
        "topics": len({place.topic for place in places}),
        "partitions": len(places),
        "counted_at": max(read, default=None),
        "newest": max(newest, default=None),
    }


def _pair(book: AuditBook, pair: TierPair) -> PairSeen:
    try:
        every = [
            partition_row(found, None)
            for found in compared(*_sides(book, pair), _ask(book, pair, None))
        ]
    except PkoError as error:
        return PairSeen(pair, [], 0, str(error))
    rows = [row for row in every if row["state"] != "equal"]
    known = [row["behind_ms"] for row in every if isinstance(row["behind_ms"], int)]
    return PairSeen(pair, rows, len(every) - len(rows), behind_ms=max(known, default=None))


def _sides(book: AuditBook, pair: TierPair) -> tuple[TierSide, TierSide]:
    a, b = (_named(book, name) for name in (pair.a, pair.b))
    return TierSide(book, a), TierSide(book, b)


def _named(book: AuditBook, name: str) -> Tier:
    tier = book.tier(name)
    if tier is None:
        raise UsageError(f"{name}: there is no such tier in the book; pko audit collect {name}")
    return tier


def _ask(book: AuditBook, pair: TierPair, topic: str | None) -> CompareAsk:
    rules = CompareRules(_named(book, pair.a).width, pair.grace_ms)
    return CompareAsk(
        rules, lambda name: topic is None or name == topic, lambda name: pair.prefix + name
    )
