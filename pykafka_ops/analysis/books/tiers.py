"""What producers and other tiers say they have counted, against what logs hold.

An audit message is JSON with the fields of LinkedIn's audit (KAFKA-260) and of Uber's Chaperone: of
which topic, tier, host and application, which time bucket, how many records and bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

_TEXT: Final = 1024
_MOST: Final = 2**62
MOST_BYTES: Final = 64 << 10
"""Of a message that is read."""


class AuditMessageError(ValueError):
    """A message is none of an audit; the text says why."""


class Published(NamedTuple):
    """What one message says; times in ms, ``uuid`` "" where it has none."""

    topic: str
    tier: str
    host: str
    application: str
    bucket_start: int
    bucket_end: int
    records: int
    bytes: int
    checksum: int | None
    uuid: str
    time: int


def read_message(data: bytes | None) -> Published:
    """An audit message. Raises AuditMessageError."""
    if data is None or len(data) > MOST_BYTES:
        raise AuditMessageError("no value" if data is None else f"{len(data)} bytes")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise AuditMessageError("no JSON") from None
    if not isinstance(found, dict):
        raise AuditMessageError("no JSON object")
    start, end = _number(found, "bucket_start"), _number(found, "bucket_end")
    if end <= start:
        raise AuditMessageError("bucket_end is not behind bucket_start")
    return Published(
        _text(found, "topic"),
        _text(found, "tier"),
        _text(found, "host", ""),
        _text(found, "application", ""),
        start,
        end,
        _number(found, "count"),
        _number(found, "bytes", 0),
        _checksum(found.get("checksum")),
        _text(found, "uuid", ""),
        _number(found, "time", 0),
    )


def _text(found: Mapping[str, object], name: str, otherwise: str | None = None) -> str:
    value = found.get(name, otherwise)
    if not isinstance(value, str) or len(value) > _TEXT:
        raise AuditMessageError(f"{name} is no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise AuditMessageError(f"{name} is no text") from None
    return value


def _number(found: Mapping[str, object], name: str, otherwise: int | None = None) -> int:
    value = found.get(name, otherwise)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise AuditMessageError(f"{name} is no number from 0 on")
    return value


def _checksum(value: object) -> int | None:
    if value is None:
        return None
    try:
        if isinstance(value, str) and len(value) <= 16:
            return int(value, 16)
    except ValueError:
        pass
    raise AuditMessageError("checksum is not hex of 64 bits")


class TierCount(NamedTuple):
    """Records and bytes of a tier in a topic and bucket."""

    topic: str
    bucket: int
    tier: str
    records: int
    bytes: int


BalanceState = Literal["equal", "missing", "extra", "open", "reference"]
STATES: Final = ("equal", "missing", "extra", "open", "reference")


class Balance(NamedTuple):
    """A tier against the one that the others are measured by. ``bucket`` -1: all of them."""

    topic: str
    bucket: int
    tier: str
    records: int
    bytes: int
    missing: int
    extra: int
    state: BalanceState


def balanced(
    counts: Iterable[TierCount], reference: str, width: int, settled_until: int
) -> Iterator[Balance]:
    """Each tier in each topic and bucket of ``width`` ms, tiers without any record too; a bucket
    that ends after ``settled_until`` (ms) is open."""
    table: dict[tuple[str, int], dict[str, list[int]]] = {}
    tiers = {reference}
    for one in counts:
        tiers.add(one.tier)
        row = table.setdefault((one.topic, one.bucket - one.bucket % width), {})
        sums = row.setdefault(one.tier, [0, 0])
        sums[0] += one.records
        sums[1] += one.bytes
    for (topic, bucket), row in sorted(table.items()):
        wanted = row.get(reference, [0, 0])[0]
        for tier in sorted(tiers, key=lambda name: (name != reference, name)):
            records, size = row.get(tier, [0, 0])
            state = _state(tier == reference, records - wanted, bucket + width > settled_until)
            gap = wanted - records if state in ("missing", "extra") else 0
            yield Balance(topic, bucket, tier, records, size, max(gap, 0), max(-gap, 0), state)


def _state(is_reference: bool, more: int, is_open: bool) -> BalanceState:
    if is_reference:
        return "reference"
    if not more:
        return "equal"
    if is_open:
        return "open"
    return "extra" if more > 0 else "missing"


def by_topic(balances: Iterable[Balance]) -> list[Balance]:
    """The sums of all buckets; the state is the worst of them."""
    found: dict[tuple[str, str], Balance] = {}
    for one in balances:
        old = found.get((one.topic, one.tier), one._replace(bucket=-1, records=0, bytes=0,
                                                           missing=0, extra=0))  # fmt: skip
        worst = max(old.state, one.state, key=_badness)
        found[one.topic, one.tier] = Balance(
            one.topic, -1, one.tier, old.records + one.records, old.bytes + one.bytes,
            old.missing + one.missing, old.extra + one.extra, worst,
        )  # fmt: skip
    return list(found.values())


def _badness(state: BalanceState) -> int:
    return ("reference", "equal", "open", "extra", "missing").index(state)
