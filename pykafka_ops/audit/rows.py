"""What a comparison found, as rows of plain values; ``FIELDS`` are what conditions may ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pykafka_ops.analysis.books.compare import STATES, BucketPair
from pykafka_ops.analysis.books.latest import KeyPair
from pykafka_ops.analysis.books.line import NO_TIME
from pykafka_ops.analysis.books.told_apart import Finding
from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.audit.comparing import PartitionCompared

Row = dict[str, object]

_NUMBER: Final = ConditionField()
_WORST: Final = ("missing", "extra", "altered", "reordered", "partial", "open", "equal")
_TOLD: Final = ("missing", "extra", "duplicates", "altered", "reordered")
FIELDS: Final[Mapping[str, ConditionField]] = {
    "topic": ConditionField("text"),
    "partition": ConditionField(spare=True),
    "state": ConditionField("text", STATES),
    "records_a": _NUMBER,
    "records_b": _NUMBER,
    **dict.fromkeys(_TOLD, _NUMBER),
    "pending": _NUMBER,
    "buckets": _NUMBER,
    "differing": _NUMBER,
    "partial": _NUMBER,
    "behind_ms": _NUMBER,
}


def partition_row(found: PartitionCompared, findings: Sequence[Finding] | None) -> Row:
    """A partition. Without ``findings`` of its records, missing and extra are the least there can
    be where buckets differ, and what was doubled, altered or reordered is not known."""
    row: Row = {
        "topic": found.topic,
        "partition": found.partition if found.partition >= 0 else None,
        "state": _state(found),
        "records_a": found.records[0],
        "records_b": found.records[1],
        **_told(found, findings),
        "pending": sum(pair.pending for pair in found.pairs)
        + sum(finding.kind == "pending" for finding in findings or ()),
        "buckets": 0 if found.compacted else len(found.pairs),
        "differing": len(found.wrong),
        "partial": found.count("partial"),
        "behind_ms": found.behind_ms if found.behind_ms >= 0 else None,
        "compacted": found.compacted,
        "detailed": found.compacted or findings is not None or not found.wrong,
    }
    if found.compacted:
        row["pending"] = found.count("open")
        row["differing"] = found.count("missing", "extra", "altered")
    return row


def _state(found: PartitionCompared) -> str:
    if found.compacted:
        return next((state for state in _WORST if found.key_counts.get(state)), "equal")
    present = {pair.state for pair in found.pairs}
    return next((state for state in _WORST if state in present), "equal")


def _told(found: PartitionCompared, findings: Sequence[Finding] | None) -> Row:
    if found.compacted:
        return {kind: found.count(kind) for kind in _TOLD}
    if findings is not None:
        counts = Counter[str](finding.kind for finding in findings)
        counts["duplicates"] = counts["duplicate"]
        return {kind: counts[kind] for kind in _TOLD}
    wrong = found.wrong
    unknown = None if wrong else 0
    return {
        "missing": sum(pair.missing for pair in wrong),
        "extra": sum(pair.extra for pair in wrong),
        "duplicates": unknown,
        "altered": unknown,
        "reordered": unknown,
    }


def says_less(row: Mapping[str, object], field: str) -> bool:
    """Whether a figure of a row may be less than the truth: nobody looked at the records."""
    return field in _TOLD and not row.get("detailed")


def bucket_row(pair: BucketPair) -> Row:
    """A bucket in both tiers; checksums in hex."""
    row: Row = {"bucket": pair.start if pair.start != NO_TIME else None, "state": pair.state}
    for name, line in (("a", pair.a), ("b", pair.b)):
        row |= {
            f"records_{name}": line.records,
            f"bytes_{name}": line.bytes,
            f"checksum_{name}": f"{line.checksum:016x}",
            f"offsets_{name}": [line.first_offset, line.last_offset] if line.records else None,
        }
    return row


def finding_row(finding: Finding, keys: Mapping[tuple[int, int], bytes | None]) -> Row:
    """A record that differs; ``keys`` by tier (0, 1) and offset."""
    a, b = finding.a, finding.b
    record = a or b
    key = keys.get((0, a.offset)) if a else keys.get((1, b.offset)) if b else None
    return {
        "what": finding.kind,
        "key": key_text(key),
        "offset_a": a.offset if a else None,
        "offset_b": b.offset if b else None,
        "timestamp": record.timestamp if record else None,
        "timestamp_b": b.timestamp if a and b and b.timestamp != a.timestamp else None,
    }


def key_rows(
    pairs: Sequence[KeyPair], keys: Mapping[tuple[int, int], bytes | None]
) -> Iterator[Row]:
    """The keys of a compacted partition that differ; ``keys`` as in ``finding_row``."""
    for pair in pairs:
        a, b = pair.a, pair.b
        offsets = [(n, value.offset) for n, value in enumerate((a, b)) if value is not None]
        key = next((keys[place] for place in offsets if place in keys), None)
        yield {
            "what": "pending" if pair.state == "open" else pair.state,
            "key": key_text(key),
            "offset_a": a.offset if a else None,
            "offset_b": b.offset if b else None,
            "timestamp": a.timestamp if a else b.timestamp if b else None,
            "timestamp_b": b.timestamp if a and b and b.timestamp != a.timestamp else None,
        }


def key_text(key: bytes | None) -> str | None:
    """A key as text where it is text, else in hex."""
    if key is None:
        return None
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError:
        return f"0x{key.hex()}"
    return text if text.isprintable() else f"0x{key.hex()}"
