"""``pko audit export``: a book as Parquet, for whatever reads that."""

from __future__ import annotations

import os
from typing import Final

from pykafka_ops.analysis.books.line import NO_TIME
from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.history import KeptField, parquet_of
from pykafka_ops.audit.rows import Row
from pykafka_ops.commands.audit.report import find_tier
from pykafka_ops.commands.audit.tiers_of import open_audit_book, wanted_topics
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import StorageError

_FIELDS: Final = {
    "tier": KeptField("text", "Tier"),
    "topic": KeptField("text", "Topic"),
    "partition": KeptField("number", "Partition"),
    "bucket": KeptField("time", "Bucket", "ms", "empty: records without a timestamp"),
    "bucket_ms": KeptField("number", "Length", "ms"),
    "records": KeptField("number", "Records", "records"),
    "bytes": KeptField("number", "Bytes", "bytes", "of keys, values and headers"),
    "checksum": KeptField("unsigned", "Checksum", "", "sum of the records' hashes mod 2**64"),
    "order": KeptField("unsigned", "Order", "", "depends on the records' order, too"),
    "first_offset": KeptField("number", "First offset"),
    "last_offset": KeptField("number", "Last offset"),
    "first_ms": KeptField("time", "First", "ms"),
    "last_ms": KeptField("time", "Last", "ms"),
}


def export(run: Run) -> int:
    """Write the lines of all tiers, or of those that are named, into a file."""
    path = run.args.text("file") or ""
    with open_audit_book(run, must_exist=True) as book:
        names = run.args.names("tiers")
        tiers = [find_tier(book, name) for name in names] or book.tiers()
        rows = [row for tier in tiers for row in _rows(run, book, tier)]
    data = parquet_of(rows, _FIELDS)
    hidden = f"{path}.{os.getpid()}"
    try:
        with open(hidden, "wb") as file:
            file.write(data)
        os.replace(hidden, path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
    run.note(f"wrote {len(rows)} lines of {len(tiers)} tiers to {path}")
    return 0


def _rows(run: Run, book: AuditBook, tier: Tier) -> list[Row]:
    wanted = wanted_topics(run.args)
    return [
        {
            "tier": tier.name,
            "topic": place.topic,
            "partition": place.partition,
            "bucket": start if start != NO_TIME else None,
            "bucket_ms": tier.width,
            **line._asdict(),
        }
        for place in book.places(tier)
        if wanted(place.topic)
        for start, line in sorted(book.book(place).lines.items())
    ]
