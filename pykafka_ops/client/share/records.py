"""Records that a member of a share group holds, out of what a broker sent. Pure.

Source: ShareCompletedFetch of Kafka's clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.share.session import Place
from pykafka_ops.disk.batch import LOG_APPEND_TIME_FLAG, scan
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.wire.messages.share_fetch import AcquiredRecords

MOST_HELD: Final = 1 << 20
"""Offsets that a broker may let us hold of one partition: more is no answer of a broker."""


class SharedRecord:
    """A record with where it is from; what formatters ask a message for."""

    __slots__ = ("deliveries", "name", "place", "record", "time_type")

    def __init__(
        self, name: str, place: Place, record: Record, time_type: int, deliveries: int
    ) -> None:
        self.name, self.place, self.record = name, place, record
        self.time_type, self.deliveries = time_type, deliveries

    def topic(self) -> str:
        """The topic's name."""
        return self.name

    def partition(self) -> int:
        """The partition's number."""
        return self.place[1]

    def offset(self) -> int:
        """The record's offset."""
        return self.record.offset

    def timestamp(self) -> tuple[int, int]:
        """Its type (0 none, 1 CreateTime, 2 LogAppendTime) and the time in ms."""
        known = self.record.timestamp >= 0
        return (self.time_type if known else 0), self.record.timestamp

    def key(self) -> bytes | None:
        """The key's bytes."""
        return self.record.key

    def value(self) -> bytes | None:
        """The value's bytes."""
        return self.record.value

    def headers(self) -> list[tuple[str, bytes | None]]:
        """Names and values."""
        return list(self.record.headers)

    def error(self) -> Any:
        """None: it is a record."""
        return None


class HeldRecords(NamedTuple):
    """What is held of one partition: records, and offsets at which there is none to be had."""

    records: list[SharedRecord]
    gaps: list[int]
    corrupt: list[int]


def held(
    name: str, place: Place, data: memoryview, acquired: Sequence[AcquiredRecords]
) -> HeldRecords:
    """The records among ``data`` that were acquired. Offsets from a batch on that cannot be read
    are ``corrupt``; others without a record (compacted, markers of transactions) are ``gaps``.

    Raises CorruptBatchError where more is acquired than can be.
    """
    counts = _counts(acquired)
    records: list[SharedRecord] = []
    broken = False
    try:
        for position, header in scan(data):
            if header.magic < 2 or header.is_control:
                continue
            kind = 2 if header.attributes & LOG_APPEND_TIME_FLAG else 1
            found = iter_records(data, position, header, DECOMPRESSED_LIMIT)
            records.extend(
                SharedRecord(name, place, record, kind, counts.pop(record.offset))
                for record in found
                if record.offset in counts
            )
    except CorruptBatchError:
        broken = True
    last = records[-1].record.offset if records else -1
    corrupt = [offset for offset in counts if broken and offset > last]
    gaps = [offset for offset in counts if not broken or offset <= last]
    return HeldRecords(records, gaps, corrupt)


def _counts(acquired: Sequence[AcquiredRecords]) -> dict[int, int]:
    """How often each offset acquired was delivered."""
    counts: dict[int, int] = {}
    for part in acquired:
        size = part.last_offset - part.first_offset + 1
        if size < 0 or size + len(counts) > MOST_HELD:
            raise CorruptBatchError(
                f"offsets {part.first_offset} to {part.last_offset} cannot have been acquired"
            )
        counts.update(
            dict.fromkeys(range(part.first_offset, part.last_offset + 1), part.delivery_count)
        )
    return counts
