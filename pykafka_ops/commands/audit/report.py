"""``pko audit report`` and ``list``: what a book says of tiers."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.analysis.books.line import EMPTY, NO_TIME, BookLine
from pykafka_ops.audit.book import AuditBook, CountedPlace, Tier
from pykafka_ops.commands.audit.tiers_of import now_ms, open_audit_book, wanted_topics
from pykafka_ops.commands.audit.words import moment_of, time_limits
from pykafka_ops.commands.framework.output import (
    PLACE,
    Cells,
    Column,
    Table,
    numbers,
    with_sizes,
)
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

_PLACES = (
    *PLACE,
    *numbers("records", "bytes"),
    Column("keys", right=True, optional=True),
    *numbers("first", "next"),
    Column("newest", right=True),
    Column("counted_at", right=True),
)
_BUCKETS = (
    *PLACE,
    Column("bucket", right=True),
    *numbers("records", "bytes"),
    Column("checksum", right=True, wide=True),
    *numbers("first_offset", "last_offset"),
)
_TIERS = (
    Column("tier"),
    Column("where"),
    *numbers("bucket_ms", "topics", "partitions", "records"),
    Column("counted_at", right=True),
)


def find_tier(book: AuditBook, name: str) -> Tier:
    """The tier of a name. Raises UsageError."""
    tier = book.tier(name)
    if tier is None:
        known = ", ".join(one.name for one in book.tiers()) or "none"
        raise UsageError(f"{name}: there is no such tier in {book.path}, which has: {known}")
    return tier


def report(run: Run) -> Table:
    """A row for each partition, or for each of its buckets."""
    wanted = wanted_topics(run.args)
    with open_audit_book(run, must_exist=True) as book:
        tier = find_tier(book, run.args.text("tier") or "")
        places = [place for place in book.places(tier) if wanted(place.topic)]
        if run.args.has("buckets"):
            items = [row for place in places for row in _buckets(run, book, tier, place)]
            return Table("audit-buckets", _BUCKETS, [_shown(r) for r in items], items=items)
        items = [_partition(run, book, tier, place) for place in places]
        return Table("audit-partitions", _PLACES, [_shown(r) for r in items], items=items)


def _shown(row: Cells) -> Cells:
    times = ("bucket", "newest", "counted_at")
    return {k: moment_of(v) if k in times else v for k, v in with_sizes(row).items()}


def _lines(
    run: Run, book: AuditBook, tier: Tier, place: CountedPlace
) -> Iterator[tuple[int, BookLine]]:
    first, end = time_limits(run.args, now_ms())
    for start, line in sorted(book.book(place).lines.items()):
        known = start != NO_TIME or (first is None and end is None)
        if known and (first is None or start + tier.width > first) and (end is None or start < end):
            yield start, line


def _partition(run: Run, book: AuditBook, tier: Tier, place: CountedPlace) -> Cells:
    whole = EMPTY
    for _, line in _lines(run, book, tier, place):
        whole = whole.beside(line)
    return {
        "topic": place.topic,
        "partition": place.partition,
        "records": None if place.compacted else whole.records,
        "bytes": None if place.compacted else whole.bytes,
        "keys": book.count_keys(place) if place.compacted else None,
        "first": place.first,
        "next": place.next,
        "newest": place.newest_ms if place.newest_ms >= 0 else None,
        "counted_at": place.read_ms if place.read_ms >= 0 else None,
    }


def _buckets(run: Run, book: AuditBook, tier: Tier, place: CountedPlace) -> Iterator[Cells]:
    for start, line in _lines(run, book, tier, place):
        yield {
            "topic": place.topic,
            "partition": place.partition,
            "bucket": start if start != NO_TIME else None,
            "records": line.records,
            "bytes": line.bytes,
            "checksum": f"{line.checksum:016x}",
            "order": f"{line.order:016x}",
            "first_offset": line.first_offset,
            "last_offset": line.last_offset,
            "first_ms": line.first_ms,
            "last_ms": line.last_ms,
        }


def list_tiers(run: Run) -> Table:
    """A row for each tier."""
    with open_audit_book(run, must_exist=True) as book:
        items = [_tier(book, tier) for tier in book.tiers()]
    return Table("audit-tiers", _TIERS, [_shown(row) for row in items], items=items)


def _tier(book: AuditBook, tier: Tier) -> Cells:
    places = book.places(tier)
    where = tier.source.get("directories") or tier.source.get("bootstrap")
    query = (
        "SELECT coalesce(sum(records), 0) FROM lines JOIN places ON places.id = place"
        " WHERE tier = ?"
    )
    return {
        "tier": tier.name,
        "where": where,
        "bucket_ms": tier.width,
        "topics": len({place.topic for place in places}),
        "partitions": len(places),
        "records": int(str(book.rows(query, tier.id)[0][0])),
        "counted_at": max((p.read_ms for p in places if p.read_ms >= 0), default=None),
    }
