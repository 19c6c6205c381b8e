"""Records of a partition for a look: so many from an offset, or the newest; bounded in bytes.

Reads without a group: no consumer is disturbed, nothing is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import end_of, fetch, records_from
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError

MOST: Final = 100
"""Records on a page."""
PAGE_BYTES: Final = 1 << 20
"""Bytes that one request reads; a leader gives a larger batch whole."""
REQUESTS: Final = 8
"""Requests for a page: where batches are small or hold no records."""
KEPT_BYTES: Final = 16 << 10
"""Bytes of each key, value and header that are kept for the eye."""
HEADERS: Final = 50
"""Headers that are kept."""


class SeenRecord(NamedTuple):
    """A record, cut for the eye; ``key_size`` and ``value_size`` are the bytes that there are."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    key_size: int
    value_size: int
    headers: Sequence[tuple[str, bytes | None]]


class RecordPage(NamedTuple):
    """``start`` and ``end`` of the log, ``at`` the offset asked for, ``next``: where to go on."""

    start: int
    end: int
    at: int
    next: int
    records: Sequence[SeenRecord]


def read_page(cluster: Cluster, topic: str, partition: int, offset: int = -1) -> RecordPage:
    """The records from ``offset`` on, -1: the last ``MOST``. Raises PkoError."""
    place = topic, partition
    start = _edge(cluster, place, EARLIEST)
    end = _edge(cluster, place, LATEST)
    at = max(start, end - MOST) if offset < 0 else min(max(start, offset), end)
    found: list[SeenRecord] = []
    position = at
    for _ in range(REQUESTS):
        if position >= end or len(found) >= MOST:
            break
        answer = fetch(cluster, {place: position}, partition_bytes=PAGE_BYTES)[place]
        if isinstance(answer, PkoError):
            raise answer
        if not answer.records:
            break
        for record in records_from(answer.records, position):
            found.append(_seen(record))
            if len(found) >= MOST:
                break
        behind = end_of(answer.records, position)
        if len(found) >= MOST:
            position = found[-1].offset + 1
        elif behind > position:
            position = behind
        else:
            break
    return RecordPage(start, end, at, position, found)


def _edge(cluster: Cluster, place: tuple[str, int], which: int) -> int:
    found = list_offsets(cluster, {place: which})[place]
    if isinstance(found, Offset):
        return found.offset
    raise found


def _seen(record: Record) -> SeenRecord:
    return SeenRecord(
        record.offset,
        record.timestamp,
        _cut(record.key),
        _cut(record.value),
        len(record.key or b""),
        len(record.value or b""),
        [(name, _cut(value)) for name, value in record.headers[:HEADERS]],
    )


def _cut(data: bytes | None) -> bytes | None:
    return None if data is None else bytes(data[:KEPT_BYTES])
