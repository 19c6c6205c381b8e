"""Takes batches of a compacted log: of each key the last record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pykafka_ops.analysis.books.latest import LastValue
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.contents import content_of
from pykafka_ops.disk.hot.hashing import record_hash
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.walk import read_headers, walk

_MOST_VALUES: Final = 100_000


def key_hash(key: bytes | None) -> int:
    """The hash that stands for a key."""
    return record_hash(key or b"", 0, len(key or b""), -1 if key is None else 0)


class LatestTaker:
    """Remembers the last record of each key from offset ``first`` up to before ``stop``."""

    def __init__(self, first: int, stop: int) -> None:
        self._first, self._stop = first, stop
        self._found: dict[int, LastValue] = {}

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        """Nothing is simple here."""
        return place, -1

    def batch(self, data: bytes, header: BatchHeader) -> None:
        """As ``Taker``."""
        self._take(records_of(data, header))

    def old(self, records: Iterator[Record]) -> None:
        """As ``Taker``."""
        self._take(records)

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if self._first <= record.offset < self._stop:
                content, key = content_of(record), key_hash(record.key)
                value = record_hash(content, 0, len(content), record.timestamp)
                self._found[key] = LastValue(
                    key, record.offset, value, record.timestamp, record.value is None
                )

    def ends_at(self, stop: int) -> None:
        """As ``Taker``."""
        self._stop = stop

    @property
    def is_full(self) -> bool:
        """As ``Taker``."""
        return len(self._found) >= _MOST_VALUES

    def add(self, values: Iterable[LastValue]) -> None:
        """Values that were found elsewhere, of records that come next."""
        self._found.update((value.key, value) for value in values)

    def take_values(self) -> list[LastValue]:
        """The last values so far; they are forgotten here."""
        found, self._found = list(self._found.values()), {}
        return found


def records_of(data: bytes, header: BatchHeader) -> Iterator[Record]:
    """The records in ``data``, the plain records section of a batch. Raises CorruptBatchError."""
    for offset, timestamp, _, key_at, key_size, value_at, value_size, rest in walk(data, header):
        key = data[key_at : key_at + key_size] if key_size >= 0 else None
        value = data[value_at : value_at + value_size] if value_size >= 0 else None
        yield Record(offset, timestamp, key, value, read_headers(data, rest) if data[rest] else ())
