"""Partitions read from log directories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Final

from pykafka_ops.audit.counting import BadBatchError, LogFeed, TransactionEnds
from pykafka_ops.audit.directories import HERE, LogFolder, LogSegment, end_of, folders, pieces
from pykafka_ops.audit.source import AuditPlace, PartitionKey, PlaceReading, Settle
from pykafka_ops.audit.transactions import TransactionScan, transaction_ends
from pykafka_ops.audit.tree import FileTree
from pykafka_ops.errors import CorruptError, PkoError, StorageError

_STRIDE: Final = 4 << 20
"""Bytes that are read at once."""
_MOST: Final = 256 << 20
"""Bytes of the largest batch that is believed."""
_SETTLE: Final = 256 << 20
"""Bytes after which what was counted is kept."""


class AuditedFiles:
    """Log directories; of a partition that is in several, the longest log counts.

    ``compacted`` says which topics are, beyond those that a broker noted to have cleaned.
    """

    def __init__(
        self,
        paths: Sequence[str],
        now_ms: Callable[[], int],
        compacted: Callable[[str], bool] = lambda topic: False,
        tree: Callable[[str], tuple[FileTree, str]] = lambda path: (HERE, path),
    ) -> None:
        """``tree``: which file system a path is in, and its name there."""
        self._paths, self._now_ms, self._compacted = paths, now_ms, compacted
        self._tree = tree
        self._folders: dict[PartitionKey, LogFolder] = {}

    def places(
        self, wanted: Callable[[str], bool]
    ) -> tuple[Sequence[AuditPlace], Mapping[str, PkoError]]:
        """As ``PartitionSource``. Raises UsageError, StorageError."""
        found: dict[PartitionKey, AuditPlace] = {}
        failed: dict[str, PkoError] = {}
        now = self._now_ms()
        for path in self._paths:
            try:
                tree, name = self._tree(path)
                every = folders(name, wanted, tree)
            except OSError as error:
                raise StorageError(f"{path}: {error.strerror}") from None
            for folder in every:
                try:
                    place = self._place(folder, now)
                except (OSError, CorruptError) as error:
                    failed[folder.path] = told(folder.path, error)
                    continue
                if place.key not in found or place.log_end > found[place.key].log_end:
                    found[place.key] = place
                    self._folders[place.key] = folder
        return [found[key] for key in sorted(found)], failed

    def bytes_from(self, place: AuditPlace, offset: int) -> int:
        """About how many bytes of a partition stand at or behind an offset."""
        total = 0
        for segment in self._folders[place.key].from_offset(offset):
            with suppress(OSError):
                total += self._folders[place.key].tree.size(segment.path)
        return total

    def folder(self, key: PartitionKey) -> LogFolder:
        """The directory of a partition that ``places`` found."""
        return self._folders[key]

    def _place(self, folder: LogFolder, now: int) -> AuditPlace:
        log_end = end_of(folder)
        end = log_end if folder.committed is None else min(log_end, folder.committed)
        topic, partition = folder.key
        compacted = folder.cleaned or self._compacted(topic)
        start = min(folder.start, log_end)
        return AuditPlace(
            topic, partition, folder.topic_id, start, max(start, end), log_end, now, compacted
        )

    def read(
        self, readings: Sequence[PlaceReading], settle: Settle
    ) -> Mapping[PartitionKey, PkoError]:
        """As ``PartitionSource``."""
        failed: dict[PartitionKey, PkoError] = {}
        for reading in readings:
            folder, place = self._folders[reading.place.key], reading.place
            look = _look_ahead(folder, place.end)
            try:
                read_folder(folder, reading, settle, look)
            except (OSError, CorruptError) as error:
                failed[place.key] = told(folder.path, error)
        return failed


def read_folder(
    folder: LogFolder,
    reading: PlaceReading,
    settle: Settle,
    look: Callable[[int], TransactionEnds],
) -> None:
    """Feed what is read of a partition; ``look`` says how its transactions end. Raises OSError,
    CorruptError."""
    feed = LogFeed(reading.taker, reading.first, reading.stop, look)
    for segment in folder.from_offset(reading.first):
        if not feed.done:
            _segment(folder, segment, feed, lambda: settle(feed, reading))
    settle(feed, reading)


def _segment(
    folder: LogFolder, segment: LogSegment, feed: LogFeed, settle: Callable[[], None]
) -> None:
    """Feed a segment from the feed's position on. Raises OSError, CorruptError."""
    position = folder.position_of(segment, feed.position)
    # One piece of memory for all: what is new each time, the system must clear each time.
    room, unsettled = memoryview(bytearray(_STRIDE)), 0
    with closing(folder.tree.open(segment.path)) as file:
        while not feed.done and (size := file.read_into(room, position)):
            used = feed.feed(room[:size])
            position += used
            unsettled += used
            if not used:
                if size < len(room) or size >= _MOST:
                    return  # what is not written yet, or torn off
                room = memoryview(bytearray(4 * size))
            if unsettled >= _SETTLE or feed.taker.is_full:
                settle()
                unsettled = 0


def scan_transactions(folder: LogFolder, scan: TransactionScan) -> TransactionScan:
    """Show a scan the batches of its stretch of a log. Raises OSError, CorruptError."""
    for segment in folder.from_offset(scan.first):
        if segment.base >= scan.stop:
            break
        with closing(folder.tree.open(segment.path)) as file:
            for data in pieces(file, folder.position_of(segment, scan.first)):
                if not scan.take(data):
                    break
    return scan


def _look_ahead(folder: LogFolder, stop: int) -> Callable[[int], TransactionEnds]:
    """Finds out how transactions end, by the markers further on in a log."""

    def ahead(offset: int) -> TransactionEnds:
        found = scan_transactions(folder, TransactionScan(offset, stop)).found
        ended, stable = transaction_ends([found], stop)
        return TransactionEnds([(one.producer, one.first) for one in ended], stable)

    return ahead


def told(path: str, error: OSError | CorruptError) -> PkoError:
    """What went wrong in a directory, as an error that people read."""
    if isinstance(error, BadBatchError):
        return error
    if isinstance(error, CorruptError):
        return StorageError(f"{path}: {error}; pko dump-log verify says more")
    if isinstance(error, FileNotFoundError):
        return StorageError(f"{path}: a segment was deleted while it was read; collect again")
    return StorageError(f"{path}: {error.strerror}")
