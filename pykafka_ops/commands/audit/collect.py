"""``pko audit collect``: count what is new of a tier."""

from __future__ import annotations

import os
from typing import Final

from pykafka_ops.analysis.books.line import WIDTH
from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.collect import CollectResult
from pykafka_ops.audit.collect import collect as counted
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.source import PartitionSource
from pykafka_ops.commands.audit.tiers_of import (
    Opened,
    absent_topics,
    now_ms,
    open_audit_book,
    place_of_tier,
    wanted_topics,
)
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import PLACE, Column, Table, numbers, with_sizes
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.watch import watched
from pykafka_ops.errors import UsageError

COLUMNS = (
    *PLACE,
    *numbers("records", "bytes", "first", "next"),
    Column("compacted", optional=True),
)

_WORTH_IT: Final = 256 << 20
"""Below that many bytes starting processes takes longer than the work."""


def collect(run: Run) -> Result:
    """A row for each partition with what was new."""
    width = run.args.span("bucket") or 0
    if not 1_000 <= width <= 86_400_000:
        raise UsageError("--bucket: from 1s to 1d")
    opened = Opened(run)
    with open_audit_book(run) as book:
        try:
            return watched(run, lambda: _once(run, book, opened, width))
        finally:
            opened.close()


def _once(run: Run, book: AuditBook, opened: Opened, width: int) -> Table:
    name = run.args.text("tier") or ""
    place = place_of_tier(run)
    known = book.tier(name)
    if known is not None and run.args.has("bucket") and known.width != width:
        raise UsageError(
            f"--bucket: {name} has buckets of {known.width // 1000}s; pko audit forget {name} first"
        )
    source = opened.here(place)
    tier = book.put_tier(name, place, known.width if known else width or WIDTH)
    found = _counted(run, book, tier, source)
    _forget_old(run, book, tier)
    items = [row._asdict() for row in found.rows]
    rows = [row for row in items if row["records"] or run.output not in ("table", "wide")]
    errors = [item_error(item, error) for item, error in sorted(found.failed.items())]
    errors += absent_topics(run, place, {row.topic for row in found.rows})
    total = sum(row.records for row in found.rows)
    notes = list(found.notes)
    if found.rows or not errors:
        notes.append(f"{total} records in {len(found.rows)} partitions are new")
    shown = [with_sizes(row) for row in rows]
    return Table("audit-collected", COLUMNS, shown, items=items, errors=errors, notes=notes)


def _counted(run: Run, book: AuditBook, tier: Tier, source: PartitionSource) -> CollectResult:
    """By one process, or by several where that is worth it."""
    wanted, workers = wanted_topics(run.args), run.args.number("workers")
    if not isinstance(source, AuditedFiles) or book.path == ":memory:" or workers == 1:
        return counted(book, tier, source, wanted)
    if workers is None:
        known = {(p.topic, p.partition): p.next for p in book.places(tier)}
        sizes = [
            size
            for place in source.places(wanted)[0]
            if (size := source.bytes_from(place, known.get(place.key, place.start)))
        ]
        workers = min(len(sizes), os.cpu_count() or 1) if sum(sizes) >= _WORTH_IT else 1
    if workers < 2:
        return counted(book, tier, source, wanted)
    from pykafka_ops.audit.parallel import collect_by

    return collect_by(workers, book, tier, source, wanted)


def _forget_old(run: Run, book: AuditBook, tier: Tier) -> None:
    keep = run.args.span("keep")
    if keep:
        book.prune(tier, (now_ms() - keep) // tier.width * tier.width)
