"""Partitions counted in stretches of offsets, each by whoever has time for it.

Lines of stretches that follow each other add up to those of the whole (``BookLine.then``), so what
is counted is to the last bit what one process counts that reads a log from its beginning to its
end. Only how transactions end cannot be seen in a stretch: where there are any, stretches are
looked through for that first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from pykafka_ops.analysis.books.latest import LastValue
from pykafka_ops.analysis.books.line import BookLine, continued
from pykafka_ops.audit.counting import BadBatchError, BookTaker, TransactionEnds
from pykafka_ops.audit.directories import LogFolder
from pykafka_ops.audit.files import read_folder, scan_transactions, told
from pykafka_ops.audit.latest import LatestTaker
from pykafka_ops.audit.source import (
    AuditPlace,
    PartitionKey,
    PlaceReading,
    ReadSoFar,
    Settle,
)
from pykafka_ops.audit.transactions import TransactionScan
from pykafka_ops.errors import CorruptError, PkoError, StorageError


class Cut(NamedTuple):
    """Offsets from ``first`` up to before ``stop``; ``size`` says how much work they are."""

    first: int
    stop: int
    size: int


class AuditStretch(NamedTuple):
    """A cut of the reading of that number. ``width``: of a bucket in ms, 0: its log is compacted.
    ``ends``: how transactions end, if that was found out."""

    number: int
    place: AuditPlace
    cut: Cut
    width: int
    ends: TransactionEnds | None = None


class StretchCounted(NamedTuple):
    """What a stretch has, up to ``position``. ``why`` it could not be read, and from which offset
    on if that is known (-1); ``transactions``: it has some, and nobody knows yet how they end."""

    number: int
    stop: int
    position: int
    lines: Mapping[int, BookLine]
    values: Sequence[LastValue]
    why: str = ""
    bad: int = -1
    transactions: bool = False


class AuditReader(Protocol):
    """Cuts partitions, and reads stretches; it can be sent to another process."""

    least: int
    most: int
    """Limits of a stretch's size."""

    def cut(self, place: AuditPlace, first: int, stop: int, most: int) -> list[Cut]:
        """The offsets from ``first`` up to before ``stop``, in order, in cuts of about ``most``."""

    def count(self, stretches: Sequence[AuditStretch]) -> Iterable[StretchCounted]:
        """Count them, in their order."""

    def scan(self, stretches: Sequence[AuditStretch]) -> Iterable[Any]:
        """What each has of transactions (``TransactionScan.found``), or a PkoError."""


class Workers(Protocol):
    """Whoever does the work."""

    parallel: int

    def run(
        self,
        work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
        tasks: Sequence[Sequence[AuditStretch]],
    ) -> Iterator[Any]:
        """All results of all tasks, in their order."""


class _NoOutlookError(Exception):
    """A batch of a transaction came, and how that ends is not known."""


class FolderReader:
    """Reads log directories."""

    least, most = 4 << 20, 128 << 20

    def __init__(self, folders: Mapping[PartitionKey, LogFolder]) -> None:
        self._folders = folders

    def cut(self, place: AuditPlace, first: int, stop: int, most: int) -> list[Cut]:
        """As ``AuditReader``; sizes in bytes."""
        return list(cut_folder(self._folders[place.key], first, stop, most))

    def count(self, stretches: Sequence[AuditStretch]) -> Iterable[StretchCounted]:
        """As ``AuditReader``."""
        for one in stretches:
            sink = _Sink(one)
            folder = self._folders[one.place.key]
            try:
                read_folder(folder, sink.reading, sink.settle, _known(one))
            except _NoOutlookError:
                yield sink.failed("", transactions=True)
            except BadBatchError as error:
                yield sink.failed(error.why, error.offset)
            except (OSError, CorruptError) as error:
                yield sink.failed(str(told(folder.path, error)))
            else:
                yield sink.result()

    def scan(self, stretches: Sequence[AuditStretch]) -> Iterable[Any]:
        """As ``AuditReader``."""
        for one in stretches:
            folder = self._folders[one.place.key]
            try:
                yield scan_transactions(folder, TransactionScan(*one.cut[:2])).found
            except (OSError, CorruptError) as error:
                yield StorageError(str(told(folder.path, error)))


def _known(one: AuditStretch) -> Callable[[int], TransactionEnds]:
    def look(offset: int) -> TransactionEnds:
        if one.ends is None:
            raise _NoOutlookError
        return one.ends

    return look


def cut_folder(folder: LogFolder, first: int, stop: int, most: int) -> Iterator[Cut]:
    """Cut where segments begin, and large ones where their index knows batches to begin."""
    begin, held = first, 0
    segments = folder.from_offset(first)
    for number, segment in enumerate(segments):
        if segment.base >= stop:
            break
        size, at = 0, 0
        with suppress(OSError):
            size = folder.tree.size(segment.path)
        for behind, position in _batches(folder, segment, size, most):
            if behind <= begin:
                at = position
            elif held + position - at >= most and behind < stop:
                yield Cut(begin, behind, held + position - at)
                begin, held, at = behind, 0, position
        held += max(size - at, 0)
        after = segments[number + 1].base if number + 1 < len(segments) else stop
        if held >= most and begin < after < stop:
            yield Cut(begin, after, held)
            begin, held = after, 0
    if begin < stop:
        yield Cut(begin, stop, held)


def _batches(folder: LogFolder, segment: Any, size: int, most: int) -> Iterator[tuple[int, int]]:
    """The offset behind a batch and its position, of those that the index of a large segment
    knows."""
    if size < most:
        return
    with suppress(OSError, CorruptError):
        index = folder.index_of(segment)
        for number in range(len(index)):
            offset, position = index.entry(number)
            yield offset + 1, position


class _Sink:
    """Takes what is counted of a stretch."""

    def __init__(self, one: AuditStretch) -> None:
        cut = one.cut
        self.taker: BookTaker | LatestTaker = (
            BookTaker(one.width, cut.first, cut.stop)
            if one.width
            else LatestTaker(cut.first, cut.stop)
        )
        self.reading = PlaceReading(one.place, cut.first, cut.stop, self.taker)
        self._number, self._position = one.number, cut.first
        self._lines: dict[int, BookLine] = {}
        self._values: dict[int, LastValue] = {}

    def settle(self, so_far: ReadSoFar, reading: PlaceReading) -> None:
        self._position = so_far.position
        if isinstance(self.taker, BookTaker):
            self._lines = continued(self._lines, self.taker.take_lines())
        else:
            self._values.update((value.key, value) for value in self.taker.take_values())

    def result(self) -> StretchCounted:
        return StretchCounted(
            self._number, self.reading.stop, self._position, self._lines,
            list(self._values.values()),
        )  # fmt: skip

    def failed(self, why: str, bad: int = -1, *, transactions: bool = False) -> StretchCounted:
        return StretchCounted(
            self._number, self.reading.stop, self.reading.first, {}, (), why, bad, transactions
        )


def count_each(
    stretches: Sequence[AuditStretch],
    read: Callable[[Sequence[PlaceReading], Settle], Mapping[PartitionKey, PkoError]],
) -> Iterator[StretchCounted]:
    """Stretches of different partitions counted at once, by a source that knows by itself how
    transactions end."""
    sinks = {one.place.key: _Sink(one) for one in stretches}
    failed = read(
        [sink.reading for sink in sinks.values()],
        lambda so_far, reading: sinks[reading.place.key].settle(so_far, reading),
    )
    for key, sink in sinks.items():
        error = failed.get(key)
        if isinstance(error, BadBatchError):
            yield sink.failed(error.why, error.offset)
        else:
            yield sink.result() if error is None else sink.failed(str(error))


_OFFSETS: Final = 50_000


class OffsetCuts:
    """Cuts by offsets alone, where bytes are not known."""

    least, most = _OFFSETS, 40 * _OFFSETS

    def cut(self, place: AuditPlace, first: int, stop: int, most: int) -> list[Cut]:
        """As ``AuditReader``; sizes in offsets."""
        return [
            Cut(at, min(at + most, stop), min(at + most, stop) - at)
            for at in range(first, stop, most)
        ]
