"""One segment of a log: ``.log``, ``.index``, ``.timeindex`` and, if needed, ``.txnindex``.

Counterpart of ``LogSegment``. File handles and indexes are made at first use, so that an
unused segment costs nothing. Raises ``OSError``; the log's owner decides what that means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pykafka_ops.broker.hot.heads import SegmentHead, ShortenedError
from pykafka_ops.broker.hot.raw import MAX_RELATIVE, UNKNOWN
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.files import File, Files
from pykafka_ops.broker.storage.indexes import OffsetIndex, TimeIndex
from pykafka_ops.broker.storage.scan import batches, header_at
from pykafka_ops.disk import names
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader
from pykafka_ops.disk.txn_index import ENTRY_SIZE, AbortedTxn, pack_aborted, read_txn_index
from pykafka_ops.errors import CorruptBatchError

_LOCATE_CHUNK = 4096


class Place(NamedTuple):
    """Where a batch stands in the file: position and size in bytes, first and next offset."""

    position: int
    size: int
    base_offset: int
    next_offset: int


class Segment(SegmentHead):
    """``base_offset`` names it. ``size`` is in bytes; ``created_ms`` and ``modified_ms`` count
    where records have no timestamps; ``max_timestamp`` (ms) belongs to the batch that ends at
    ``max_timestamp_offset``. ``side_files`` has the sizes of the index files, by kind, as a
    listing just found them (None: not known)."""

    __slots__ = (
        "_no_aborted",
        "_offset_index",
        "_time_index",
        "_txn_file",
        "config",
        "created_ms",
        "directory",
        "files",
        "jitter_ms",
        "modified_ms",
        "side_files",
        "suffix",
    )

    def __init__(
        self,
        files: Files,
        directory: str,
        base_offset: int,
        config: TopicConfig,
        *,
        size: int = 0,
        created_ms: int = 0,
        modified_ms: int = 0,
    ) -> None:
        self.files = files
        self.directory = directory
        self.base_offset = base_offset
        self.configure(config)
        self.size = size
        self.created_ms = created_ms
        self.modified_ms = modified_ms
        self.suffix = ""
        self.side_files: dict[str, int] | None = None
        self.bytes_since_index = 0
        self.index_full = False
        self.max_timestamp_offset = base_offset
        self.jitter_ms = 0
        if config.segment_jitter_ms:
            import random  # few need it

            self.jitter_ms = random.randrange(min(config.segment_jitter_ms, config.segment_ms))
        self.oldest = UNKNOWN
        self.latest = UNKNOWN
        self.log_file: File | None = None
        self._offset_index: OffsetIndex | None = None
        self._time_index: TimeIndex | None = None
        self._txn_file: File | None = None
        self._no_aborted = False

    @classmethod
    def create(
        cls, files: Files, directory: str, base_offset: int, config: TopicConfig, now: int
    ) -> Segment:
        """A new, empty segment; leftovers of the same name are replaced. On an error nothing of
        it stays."""
        segment = cls(files, directory, base_offset, config, created_ms=now, modified_ms=now)
        segment.oldest = segment.latest = -1
        try:
            segment.log_file = files.open(segment.path(names.LOG_SUFFIX), create=True)
            if config.preallocate:
                segment.log_file.reserve(config.segment_bytes)
            files.write(segment.path(names.INDEX_SUFFIX), b"")
            files.write(segment.path(names.TIME_INDEX_SUFFIX), b"")
        except OSError:
            for suffix in names.SEGMENT_SUFFIXES:
                files.remove(segment.path(suffix))
            raise
        return segment

    def configure(self, config: TopicConfig) -> None:
        """Use these topic settings from now on."""
        self.config = config
        self.index_interval_bytes = config.index_interval_bytes

    # -- files -----------------------------------------------------------------------------------

    def path(self, kind: str) -> str:
        """Full name of the file of a ``kind`` (``.log``, ``.index``...)."""
        return f"{self.directory}/{self.base_offset:020d}{kind}{self.suffix}"

    @property
    def log(self) -> File:
        """The ``.log`` file."""
        return self.log_file or self.open_log()

    def open_log(self) -> File:
        """As :attr:`log`, where it was not used yet."""
        self.log_file = self.files.open(self.path(names.LOG_SUFFIX))
        return self.log_file

    @property
    def offset_index(self) -> OffsetIndex:
        """The ``.index`` file; made if it is missing."""
        if self._offset_index is None:
            file, size = self._index_file(names.INDEX_SUFFIX)
            limit = self.config.segment_index_bytes
            self._offset_index = OffsetIndex(file, self.base_offset, limit, size // 8)
            self.index_full = self.index_full or self._offset_index.is_full
        return self._offset_index

    @property
    def time_index(self) -> TimeIndex:
        """The ``.timeindex`` file; made if it is missing."""
        if self._time_index is None:
            file, size = self._index_file(names.TIME_INDEX_SUFFIX)
            limit = self.config.segment_index_bytes
            self._time_index = TimeIndex(file, self.base_offset, limit, size // 12)
            self.index_full = self.index_full or self._time_index.is_full
        return self._time_index

    def _index_file(self, kind: str) -> tuple[File, int]:
        file = self.files.open(self.path(kind))
        try:
            return file, file.size()
        except FileNotFoundError:
            return self.files.open(self.path(kind), create=True), 0

    def open_files(self) -> list[File]:
        """The files that may hold unsynced bytes: all that were used."""
        found = [self.log_file, self._txn_file]
        if self._offset_index is not None:
            found.append(self._offset_index.file)
        if self._time_index is not None:
            found.append(self._time_index.file)
        return [f for f in found if f is not None]

    def close(self) -> None:
        """Give descriptors back; everything opens again when used. Nothing is written."""
        for file in self.open_files():
            file.close()
        self.log_file = self._txn_file = self._offset_index = self._time_index = None
        self._no_aborted = False

    def rename(self, suffix: str) -> None:
        """Change the suffix of all files (``.deleted``, ``.swap``, or "" for a live segment)."""
        self.close()
        for kind in names.SEGMENT_SUFFIXES:
            old = self.path(kind)
            new = f"{self.directory}/{self.base_offset:020d}{kind}{suffix}"
            if kind == names.LOG_SUFFIX or self.files.exists(old):
                self.files.rename(old, new)
        self.suffix = suffix

    def remove(self) -> None:
        """Remove all files; those already gone are no error."""
        self.close()
        for kind in names.SEGMENT_SUFFIXES:
            self.files.remove(self.path(kind))

    # -- writing -----------------------------------------------------------------------------------

    def should_roll(self, size: int, max_timestamp: int, last_offset: int, now: int) -> bool:
        """Whether a batch of ``size`` bytes must go to a new segment."""
        config = self.config
        if self.size + size > config.segment_bytes:
            return True
        if self.size:
            first = self.first_timestamp
            waited = max_timestamp - first if first >= 0 else now - self.created_ms
            if waited > config.max_segment_ms - self.jitter_ms:
                return True
        return self.index_full or last_offset - self.base_offset > MAX_RELATIVE

    def check_intact(self) -> None:
        """Raise ShortenedError if the log is not as long as it was made, or has no name."""
        try:
            if self.log.is_intact(self.size):
                return
        except FileNotFoundError:
            pass
        raise ShortenedError(self.log.path)

    def add_index_entry(self, last_offset: int, position: int) -> None:
        """The batch that ends at ``last_offset`` stands at ``position``."""
        self.bytes_since_index = 0
        if last_offset - self.base_offset > MAX_RELATIVE:
            return  # a segment of old releases; found by scanning
        offsets = self._offset_index or self.offset_index
        times = self._time_index or self.time_index
        offsets.append(last_offset, position)
        times.append(self.max_timestamp, self.max_timestamp_offset)
        self.index_full = offsets.is_full or times.is_full

    def append_aborted(self, txn: AbortedTxn) -> None:
        """Add an aborted transaction to the ``.txnindex``, which is made at the first."""
        if self._txn_file is None:
            path = self.path(names.TXN_INDEX_SUFFIX)
            missing = not self.files.exists(path)
            self._txn_file = self.files.open(path, create=missing)
        self._no_aborted = False
        self._txn_file.append(pack_aborted(txn))

    def write_indexes(self, *, final: bool = False) -> None:
        """Write waiting index entries; ``final`` first adds the largest timestamp (roll, close)."""
        if final and self.latest != UNKNOWN and self.size:
            self.time_index.append(self.max_timestamp, self.max_timestamp_offset)
        if final and self.config.preallocate:
            self.log.truncate(self.size)  # gives back what was set aside
        if self._offset_index is not None:
            self._offset_index.write_out()
        if self._time_index is not None:
            self._time_index.write_out()

    def truncate_log(self, size: int) -> None:
        """Take back what a failed append left behind ``size``."""
        self.log.truncate(size)
        self.size = size

    def truncate_to(self, offset: int, now: int) -> int:
        """Drop everything at and above ``offset``; the bytes dropped."""
        place = self.locate(offset)
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.truncate_aborted(offset)
        self.index_full = self.offset_index.is_full or self.time_index.is_full
        dropped = 0
        if place is not None:
            dropped = self.size - place.position
            self.log.truncate(place.position)
            self.size = place.position
        if not self.size:
            self.created_ms = now
            self.oldest = -1
        self.bytes_since_index = 0
        self.latest = UNKNOWN
        self._find_max_timestamp()
        return dropped

    def truncate_aborted(self, offset: int) -> None:
        """Drop transactions that ended at or above ``offset``, and a torn entry."""
        path = self.path(names.TXN_INDEX_SUFFIX)
        if not self.files.exists(path):
            return
        entries = self.aborted()
        keep = next((n for n, t in enumerate(entries) if t.last_offset >= offset), len(entries))
        if self._txn_file is None:
            self._txn_file = self.files.open(path)
        if self._txn_file.size() != keep * ENTRY_SIZE:
            self._txn_file.truncate(keep * ENTRY_SIZE)

    # -- reading -----------------------------------------------------------------------------------

    def batches(
        self, position: int = 0, *, chunk: int = 1 << 16
    ) -> Iterator[tuple[int, BatchHeader]]:
        """(position, header) of the batches from ``position`` on."""
        return batches(self.log, position, self.size, chunk=chunk)

    def locate(self, offset: int) -> Place | None:
        """The first batch that ends at or after ``offset``; None if the segment ends before it."""
        known, position = self.offset_index.lookup(offset)
        if position:
            try:
                return self._scan_for(offset, position, known)
            except CorruptBatchError:
                pass  # the index lies; the log itself decides
        return self._scan_for(offset, 0, offset)

    def _scan_for(self, offset: int, position: int, known: int) -> Place | None:
        """Scan from ``position``, where a batch that begins at or below ``known`` must stand."""
        first = True
        for at, header in batches(self.log, position, self.size, chunk=_LOCATE_CHUNK):
            if first and position and not self.base_offset <= header.base_offset <= known:
                raise CorruptBatchError("no such batch at the indexed position")
            first = False
            if header.last_offset >= offset:
                return Place(at, header.size, header.base_offset, header.next_offset)
        if first and position < self.size and position:
            raise CorruptBatchError("no whole batch at the indexed position")
        return None

    def find_end(self) -> tuple[int, int]:
        """(offset, position) after the last whole batch, found from the last index entry."""
        known, position = self.offset_index.last_entry
        try:
            return self._end_from(position, known)
        except CorruptBatchError:
            return self._end_from(0, self.base_offset)

    def _end_from(self, position: int, known: int) -> tuple[int, int]:
        end, next_offset = position, -1
        for at, header in self.batches(position):
            if next_offset < 0 < position and not self.base_offset <= header.base_offset <= known:
                raise CorruptBatchError("no such batch at the indexed position")
            end, next_offset = at + header.size, header.next_offset
        if next_offset < 0 < position:
            raise CorruptBatchError("no whole batch at the indexed position")
        return (self.base_offset, 0) if next_offset < 0 else (next_offset, end)

    def aborted(self) -> list[AbortedTxn]:
        """The transactions aborted by a marker in this segment."""
        if self._no_aborted:  # not looked for at every read
            return []
        try:
            return read_txn_index(self.files.read(self.path(names.TXN_INDEX_SUFFIX)))
        except FileNotFoundError:
            self._no_aborted = True
            return []

    # -- timestamps --------------------------------------------------------------------------------

    @property
    def first_timestamp(self) -> int:
        """Largest timestamp of the first batch (ms): the age of the segment; -1 if none."""
        if self.oldest == UNKNOWN:
            data = self.log.read(HEADER_SIZE, 0)
            data += bytes(HEADER_SIZE - len(data))
            self.oldest = header_at(data, 0).max_timestamp if self.size else -1
        return self.oldest

    @property
    def max_timestamp(self) -> int:
        """Largest timestamp (ms), -1 if none."""
        return self.read_latest() if self.latest == UNKNOWN else self.latest

    def read_latest(self) -> int:
        """As :attr:`max_timestamp`, from the time index."""
        self.latest, self.max_timestamp_offset = self.time_index.last_entry
        return self.latest

    @property
    def largest_timestamp(self) -> int:
        """What retention by time looks at: ``max_timestamp``, else the file's time."""
        return self.max_timestamp if self.max_timestamp >= 0 else self.modified_ms

    def _find_max_timestamp(self) -> None:
        """Trust the time index up to its last entry and look at the batches after it."""
        best, where = self.time_index.last_entry
        _, position = self.offset_index.lookup(where)
        for _, header in self.batches(position):
            if header.max_timestamp > best:
                best, where = header.max_timestamp, header.last_offset
        self.latest, self.max_timestamp_offset = best, where

    def position_for_time(self, timestamp: int, start_offset: int) -> int:
        """Where to begin looking for the first batch with ``timestamp`` (ms) or later."""
        _, offset = self.time_index.lookup(timestamp)
        return self.offset_index.lookup(max(offset, start_offset))[1]
