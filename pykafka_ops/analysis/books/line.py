"""A line of a book: what a tier holds of a partition in one bucket of time.

Two tiers that hold the same records have the same lines but for the offsets: the checksum is a sum
of the records' hashes mod 2**64, ``order`` a chain of them, which depends on their order, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

WIDTH: Final = 600_000
"""Length of a bucket in ms where nothing else is said: 10 minutes, as in LinkedIn's audit."""
NO_TIME: Final = -1
"""Where the bucket of records without a timestamp begins."""
_MASK: Final = 2**64 - 1
_STEP: Final = 0xD6E8_FEB8_6659_FD93
"""As ``disk.hot.hashing``."""

Lines = Mapping[int, "BookLine"]
"""By the start of their bucket (ms)."""


class BookLine(NamedTuple):
    """Records, the bytes of their keys, values and headers, checksums, first and last offset,
    earliest and latest timestamp (ms)."""

    records: int
    bytes: int
    checksum: int
    order: int
    first_offset: int
    last_offset: int
    first_ms: int
    last_ms: int

    def then(self, after: BookLine) -> BookLine:
        """With the records of the same bucket that follow in the log."""
        if not self.records or not after.records:
            return self if self.records else after
        return BookLine(
            self.records + after.records,
            self.bytes + after.bytes,
            self.checksum + after.checksum & _MASK,
            self.order * pow(_STEP, after.records, 2**64) + after.order & _MASK,
            self.first_offset,
            after.last_offset,
            min(self.first_ms, after.first_ms),
            max(self.last_ms, after.last_ms),
        )

    def beside(self, other: BookLine) -> BookLine:
        """With the records of the same bucket in another partition; the order says nothing then."""
        joined = self.then(other)
        return joined._replace(order=0, first_offset=-1, last_offset=-1)

    def same_records(self, other: BookLine) -> bool:
        """Whether both hold the same records, in whatever order."""
        return self[:3] == other[:3]

    def same(self, other: BookLine) -> bool:
        """Whether both hold the same records in the same order."""
        return self[:4] == other[:4]


EMPTY: Final = BookLine(0, 0, 0, 0, -1, -1, -1, -1)


def continued(before: Lines, after: Lines) -> dict[int, BookLine]:
    """The lines of a log that goes on: those of its first part, then those of the second."""
    found = dict(before)
    for start, line in after.items():
        found[start] = found.get(start, EMPTY).then(line)
    return found


def across(parts: Iterable[Lines]) -> dict[int, BookLine]:
    """The lines of several partitions together."""
    found: dict[int, BookLine] = {}
    for lines in parts:
        for start, line in lines.items():
            old = found.get(start)
            found[start] = (EMPTY if old is None else old).beside(line)
    return found


def total(lines: Lines) -> BookLine:
    """All lines of a partition as one; the order says nothing then."""
    found = EMPTY
    for line in lines.values():
        found = found.beside(line)
    return found
