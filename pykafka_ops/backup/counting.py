"""Counts what a backup holds as ``pko audit`` counts: committed records, bytes, a checksum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pykafka_ops.audit.counting import BookTaker, LogFeed
from pykafka_ops.disk.hot.hashing import added
from pykafka_ops.errors import CorruptBatchError

_ALL_TIMES: Final = 1 << 61
"""Width of a bucket, in ms, that holds every time there is."""
Counts = tuple[int | None, int | None, int | None]


class Counter:
    """Counts one stretch of offsets [start, end) as its bytes come."""

    def __init__(self, start: int, end: int) -> None:
        self._taker = BookTaker(_ALL_TIMES, start, end)
        self._feed = LogFeed(self._taker, start, end)
        self.trouble: str | None = None
        """Why it does not count: records that nobody can read."""

    @property
    def position(self) -> int:
        """The offset behind what was taken."""
        return self._feed.position

    def take(
        self, data: bytes | memoryview, aborted: Iterable[tuple[int, int]] | None = None
    ) -> None:
        """Whole batches; ``aborted`` as a read_committed answer has it."""
        if self.trouble is None:
            try:
                self._feed.feed(data, aborted)
            except CorruptBatchError as error:
                self.trouble = str(error)

    def counts(self, end: int) -> Counts:
        """Records, bytes, checksum of what is below ``end``, behind which nothing was taken; None
        each where that cannot be said."""
        if self.trouble is not None:
            return None, None, None
        records = total = checksum = 0
        for line in self._taker.take_lines().values():
            records += line.records
            total += line.bytes
            checksum = added(checksum, line.checksum)
        return records, total, checksum
