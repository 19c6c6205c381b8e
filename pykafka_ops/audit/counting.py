"""Batches of a log taken one by one, as a consumer with read_committed sees them.

``LogFeed`` walks over the bytes of a log in whatever pieces they come, and hands what counts to a
taker: markers, aborted transactions and what is beyond the end asked for are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol

from pykafka_ops.analysis.books.line import BookLine, Lines, continued
from pykafka_ops.disk.aborted import AbortedBatches
from pykafka_ops.disk.batch import BatchHeader, check_crc, next_batch_size, read_header, scan
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.contents import content_of
from pykafka_ops.disk.hot.tally import Tally
from pykafka_ops.disk.legacy import check_message_crc, iter_message, read_message_header
from pykafka_ops.disk.record import Record, iter_records, payload
from pykafka_ops.errors import CorruptBatchError

_MAGIC_AT: Final = 16
_MOST_LINES: Final = 4_096
"""Buckets that are held: timestamps may be anything."""

Aborted = Iterable[tuple[int, int]]
"""Producer id and first offset of aborted transactions."""


class BadBatchError(CorruptBatchError):
    """The batch from ``offset`` on cannot be read; what a taker has is not to be used."""

    def __init__(self, offset: int, why: str) -> None:
        super().__init__(f"the batch at offset {offset} cannot be read: {why}")
        self.offset, self.why = offset, why


class Taker(Protocol):
    """What batches are handed to. All but ``usual`` may raise CorruptBatchError."""

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        """Take as many batches from byte ``place`` on as are simple; where the first is that is
        not, and the offset behind those taken (-1: none was)."""

    def batch(self, data: bytes, header: BatchHeader) -> None:
        """Take the plain records of a batch v2."""

    def old(self, records: Iterator[Record]) -> None:
        """Take the records of a message v0 or v1."""

    def ends_at(self, stop: int) -> None:
        """Nothing from this offset on counts."""

    @property
    def is_full(self) -> bool:
        """Whether it holds so much that it should be taken from it."""


class TransactionEnds(NamedTuple):
    """How the transactions end whose batches come: those that were aborted, and from where on some
    are still open."""

    aborted: list[tuple[int, int]]
    stable: int


class LogFeed:
    """One partition's log from ``first`` up to before ``stop``.

    ``look`` is asked once, at the first batch of a transaction; without it the aborted ones are
    told with the bytes.
    """

    def __init__(
        self,
        taker: Taker,
        first: int,
        stop: int,
        look: Callable[[int], TransactionEnds] | None = None,
    ) -> None:
        self.taker, self.first, self.position, self.stop = taker, first, first, stop
        self._look = look
        self._aborted = AbortedBatches(None, DECOMPRESSED_LIMIT)

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return self.position >= self.stop

    def feed(self, data: bytes | memoryview, aborted: Aborted | None = None) -> int:
        """Take the whole batches in ``data``, which go on where the last ended; bytes taken.

        Raises BadBatchError.
        """
        if aborted is not None:
            self._aborted = AbortedBatches(aborted, DECOMPRESSED_LIMIT)
        place = 0
        while not self.done:
            try:
                place, reached = self.taker.usual(data, place)
            except CorruptBatchError as error:
                raise BadBatchError(_malformed_from(data, place), str(error)) from None
            self.position = max(self.position, min(reached, self.stop))
            try:
                size = next_batch_size(data, place)
            except CorruptBatchError as error:
                raise BadBatchError(self.position, str(error)) from None
            if size is None or self.done:
                break
            self._one(bytes(data[place : place + size]))
            place += size
        return place

    def _one(self, part: bytes) -> None:
        if part[_MAGIC_AT] < 2:
            self._message(part)
            return
        header = read_header(part)
        if header.base_offset >= self.stop:
            self.position = self.stop
            return
        if not check_crc(part, 0, header):
            raise BadBatchError(header.base_offset, f"wrong CRC (stored {header.crc})")
        if header.next_offset <= self.position:
            return
        if header.is_transactional and not self._is_counted(part, header):
            if not self.done:
                self.position = header.next_offset
            return
        if not header.is_control:
            try:
                self.taker.batch(payload(part, 0, header, DECOMPRESSED_LIMIT), header)
            except CorruptBatchError as error:
                raise BadBatchError(header.base_offset, str(error)) from None
        self.position = header.next_offset

    def _message(self, part: bytes) -> None:
        header = read_message_header(part)
        if header.offset >= self.stop:
            self.position = self.stop
            return
        if not check_message_crc(part, 0, header):
            raise BadBatchError(header.offset, f"wrong CRC (stored {header.crc})")
        if header.offset < self.position:
            return
        try:
            self.taker.old(iter_message(part, 0, header, DECOMPRESSED_LIMIT))
        except CorruptBatchError as error:
            raise BadBatchError(header.offset, str(error)) from None
        self.position = header.offset + 1

    def _is_counted(self, part: bytes, header: BatchHeader) -> bool:
        """Whether a batch of a transaction, or its marker, counts."""
        if self._look is not None:
            outlook = self._look(self.position)
            self._look = None
            self._aborted = AbortedBatches(outlook.aborted, DECOMPRESSED_LIMIT)
            self.stop = min(self.stop, outlook.stable)
            self.taker.ends_at(self.stop)
            if header.base_offset >= self.stop:
                self.position = self.stop
                return False
        return not self._aborted.drops(part, header)


def _malformed_from(data: bytes | memoryview, place: int) -> int:
    """The offset of the first of some whole batches v2 whose records are malformed."""
    for position, header in scan(data, place):
        try:
            for _ in iter_records(data, position, header, DECOMPRESSED_LIMIT):
                pass
        except CorruptBatchError:
            return header.base_offset
    return read_header(data, place).base_offset


class BookTaker:
    """Takes batches into lines of a book, of ``width`` ms."""

    def __init__(self, width: int, first: int, stop: int) -> None:
        self.width, self.first, self.stop = width, first, stop
        self.tally = Tally(width, first, stop)
        self._given: dict[int, BookLine] = {}

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        return self.tally.usual(data, place)

    def batch(self, data: bytes, header: BatchHeader) -> None:
        self.tally.records(data, 0, header)

    def old(self, records: Iterator[Record]) -> None:
        for record in records:
            content = content_of(record)
            self.tally.count(content, 0, len(content), record.offset, record.timestamp)

    def ends_at(self, stop: int) -> None:
        self.stop = self.tally.stop = stop

    @property
    def is_full(self) -> bool:
        return len(self.tally.buckets) + len(self._given) >= _MOST_LINES

    def add(self, lines: Lines) -> None:
        """Lines that were counted elsewhere, of records that come next."""
        self._given = continued(self._given, lines)

    def take_lines(self) -> dict[int, BookLine]:
        """The lines so far; new ones are counted from now on."""
        found = {
            start: BookLine(
                b.records, b.bytes, b.checksum, b.order,
                b.first_offset, b.last_offset, b.first_ms, b.last_ms,
            )
            for start, b in self.tally.buckets.items()
            if b.records
        }  # fmt: skip
        self.tally = Tally(self.width, self.first, self.stop)
        given, self._given = self._given, {}
        return continued(given, found) if given else found
