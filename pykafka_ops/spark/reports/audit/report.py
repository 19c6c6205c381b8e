"""The audit report: what a tier holds, and whether another has the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.books.compare import WRONG
from pykafka_ops.analysis.books.line import EMPTY, NO_TIME, Lines, total
from pykafka_ops.audit.book import AuditBook, CountedPlace
from pykafka_ops.audit.collect import CollectResult
from pykafka_ops.audit.comparing import CompareAsk, PartitionCompared, TierSide, compared
from pykafka_ops.audit.rows import bucket_row, partition_row
from pykafka_ops.spark.model import Problem, Report, Row, Section
from pykafka_ops.spark.reports.audit import columns

NOTHING: Final = "nothing was compared: --against names the tier that has what this one should have"


class AuditCounts(NamedTuple):
    """A tier, and what this run has counted of it."""

    side: TierSide
    result: CollectResult


def build(
    now: int,
    source: Mapping[str, object],
    counts: AuditCounts,
    against: AuditCounts | TierSide | None,
    ask: CompareAsk,
) -> Report:
    """``against`` is A, ``counts`` B of the comparison. Raises UsageError, StorageError."""
    every = [one for one in (counts, against) if isinstance(one, AuditCounts)]
    problems = [
        Problem(item, str(error))
        for one in every
        for item, error in sorted(one.result.failed.items())
    ]
    reference = against.side if isinstance(against, AuditCounts) else against
    found = None if reference is None else list(compared(reference, counts.side, ask))
    sections = [*_comparison(found), *_counted(counts)]
    notes = [note for one in every for note in one.result.notes]
    summary = _summary(sections, found)
    return Report("audit", now, {**source, "notes": notes}, summary, sections, problems)


def _comparison(found: Sequence[PartitionCompared] | None) -> list[Section]:
    unknown = NOTHING if found is None else ""
    rows = [partition_row(one, None) for one in found or ()]
    rows.sort(key=lambda row: row["state"] not in WRONG)
    fine = [
        {"topic": one.topic, "partition": one.partition if one.partition >= 0 else None,
         **bucket_row(pair)}
        for one in found or () for pair in one.pairs if pair.state != "equal"
    ]  # fmt: skip
    return [
        Section("partitions", "Partitions", columns.PARTITIONS, rows, unknown=unknown),
        Section("buckets", "Time buckets that differ", columns.BUCKETS, fine, unknown=unknown),
    ]


def _counted(counts: AuditCounts) -> list[Section]:
    book, tier = counts.side
    wanted = {(row.topic, row.partition): row.records for row in counts.result.rows}
    places = [p for p in book.places(tier) if (p.topic, p.partition) in wanted]
    rows: list[Row] = []
    fine: list[Row] = []
    for place in places:
        lines = {} if place.compacted else book.book(place).lines
        rows.append(_place_row(book, place, lines, wanted[place.topic, place.partition]))
        fine += _line_rows(place, lines)
    return [
        Section("counted", "Counted", columns.COUNTED, rows),
        Section("lines", "By time bucket", columns.LINES, fine),
    ]


def _place_row(book: AuditBook, place: CountedPlace, lines: Lines, new: int) -> Row:
    whole = EMPTY if place.compacted else total(lines)
    return {
        "topic": place.topic,
        "partition": place.partition,
        "new": new,
        "records": None if place.compacted else whole.records,
        "bytes": None if place.compacted else whole.bytes,
        "keys": book.count_keys(place) if place.compacted else None,
        "checksum": None if place.compacted else f"{whole.checksum:016x}",
        "first": place.first,
        "next": place.next,
        "newest": place.newest_ms if place.newest_ms >= 0 else None,
    }


def _line_rows(place: CountedPlace, lines: Lines) -> Iterator[Row]:
    for start, line in sorted(lines.items()):
        timeless = start == NO_TIME
        yield {
            "topic": place.topic,
            "partition": place.partition,
            "bucket": None if timeless else start,
            "records": line.records,
            "bytes": line.bytes,
            "checksum": f"{line.checksum:016x}",
            "order": f"{line.order:016x}",
            "first_offset": line.first_offset,
            "last_offset": line.last_offset,
            "first_ms": None if timeless else line.first_ms,
            "last_ms": None if timeless else line.last_ms,
        }


def _summary(sections: Sequence[Section], found: Sequence[PartitionCompared] | None) -> Row:
    named = {section.name: section.rows for section in sections}

    def of(rows: Sequence[Row], name: str) -> int:
        return sum(value for row in rows if isinstance(value := row[name], int))

    parts = named["partitions"]
    known = found is not None
    return {
        "partitions": len(named["counted"]),
        "records": of(named["counted"], "records"),
        "bytes": of(named["counted"], "bytes"),
        "new": of(named["counted"], "new"),
        "compared": len(parts) if known else None,
        "differing": sum(row["state"] in WRONG for row in parts) if known else None,
        "missing": of(parts, "missing") if known else None,
        "extra": of(parts, "extra") if known else None,
    }
