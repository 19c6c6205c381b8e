"""``.index`` and ``.timeindex`` of one segment: entries on disk, the newest ones in memory.

A new entry waits in memory and is written with others in one small append: a crash loses at
most those, and recovery makes them again. Look-ups below search the file with a few short
reads, so that an index costs no memory however long it is.
"""

from __future__ import annotations

from struct import Struct
from typing import ClassVar, Generic, TypeVar

from pykafka_ops.broker.storage.files import FULL, File
from pykafka_ops.disk import index as formats
from pykafka_ops.errors import CorruptIndexError

_BLOCK = 512
_WAITING = 256

Format = TypeVar("Format", formats.OffsetIndex, formats.TimeIndex)


class _Index(Generic[Format]):
    """What both kinds share. ``stored`` is the number of entries in the file, ``count`` of all."""

    __slots__ = (
        "_patience",
        "_recent",
        "base_offset",
        "count",
        "file",
        "last_entry",
        "max_entries",
        "stored",
    )
    _entry: ClassVar[Struct]

    def __init__(self, file: File, base_offset: int, max_bytes: int, stored: int = 0) -> None:
        self.file = file
        self.base_offset = base_offset
        self.max_entries = max_bytes // self._entry.size
        self.stored = self.count = stored
        self._patience = stored + _WAITING
        self._recent: Format = self._parse(b"")
        self.last_entry = self._find_last()

    def _parse(self, data: bytes) -> Format:
        raise NotImplementedError

    def _find_last(self) -> tuple[int, int]:
        raise NotImplementedError

    def _stored_fields(self, n: int) -> tuple[int, int]:
        size = self._entry.size
        first, second = self._entry.unpack(self.file.read(size, n * size))
        return first, second

    def _enough(self) -> None:
        """Enough entries wait: write them. A full disk lets them wait longer."""
        try:
            self.write_out()
        except OSError as error:
            if error.errno not in FULL:
                raise
            self._patience += _WAITING

    def write_out(self) -> None:
        """Write the waiting entries to the file."""
        if self.count == self.stored:
            return
        try:
            self.file.append(self._recent.to_bytes())
        except OSError:
            self.file.truncate(self.stored * self._entry.size)
            raise
        self.stored = self.count
        self._patience = self.count + _WAITING
        self._recent = self._parse(b"")

    def _narrow(self, target: int, field: int) -> tuple[int, Format | None]:
        """(number of its first entry, the block of stored entries ``target`` falls in)."""
        low, high = 0, self.stored
        while high - low > _BLOCK:
            middle = (low + high) // 2
            if self._stored_fields(middle)[field] <= target:
                low = middle
            else:
                high = middle
        if high == low:
            return low, None
        size = self._entry.size
        return low, self._parse(self.file.read((high - low) * size, low * size))

    def _cut(self, offset: int, field: int) -> None:
        """Drop entries at and above ``offset``, which is the entries' ``field``."""
        self._recent.truncate_to(offset)
        if not len(self._recent) and self.stored:
            first, block = self._narrow(offset - 1 - self.base_offset, field)
            keep = first
            if block is not None:
                keep += block.truncate_to(offset) // self._entry.size
            if keep < self.stored:
                self.file.truncate(keep * self._entry.size)
                self.stored = keep
        self.count = self.stored + len(self._recent)
        self._patience = self.stored + _WAITING
        self.last_entry = self._find_last()


class OffsetIndex(_Index[formats.OffsetIndex]):
    """Sparse map from offset to file position (``OffsetIndex``); offsets are absolute.

    ``last_entry`` is (offset, position), (base offset, 0) without entries.
    """

    __slots__ = ()
    _entry = formats.OFFSET_ENTRY

    def _parse(self, data: bytes) -> formats.OffsetIndex:
        return formats.OffsetIndex(self.base_offset, data)

    def _find_last(self) -> tuple[int, int]:
        if len(self._recent):
            return self._recent.entry(-1)
        return self._stored_entry(self.stored - 1) if self.stored else (self.base_offset, 0)

    def _stored_entry(self, n: int) -> tuple[int, int]:
        relative, position = self._stored_fields(n)
        return self.base_offset + relative, position

    @property
    def is_full(self) -> bool:
        """Whether no further entry fits."""
        return self.count >= self.max_entries

    def append(self, offset: int, position: int) -> None:
        """Add an entry; CorruptIndexError unless ``offset`` rises."""
        if offset <= self.last_entry[0] and self.count:
            raise CorruptIndexError(
                f"Attempt to append an offset ({offset}) to position {self.count} no larger than "
                f"the last offset appended ({self.last_entry[0]})"
            )
        recent = self._recent
        recent.offsets.append(offset - self.base_offset)
        recent.positions.append(position)
        self.last_entry = (offset, position)
        self.count += 1
        if self.count >= self._patience:
            self._enough()

    def lookup(self, offset: int) -> tuple[int, int]:
        """(offset, position) of the last entry at or below ``offset``; (base offset, 0) if none."""
        if len(self._recent) and offset >= self._recent.entry(0)[0]:
            return self._recent.lookup(offset)
        _, block = self._narrow(offset - self.base_offset, 0)
        return block.lookup(offset) if block is not None else (self.base_offset, 0)

    def above_position(self, position: int) -> int | None:
        """Offset of the first entry at or past ``position``; None if there is none."""
        first, block = self._narrow(position, 1)
        if block is not None:
            for n, at in enumerate(block.positions):
                if at >= position:
                    return block.entry(n)[0]
            if first + len(block) < self.stored:
                return self._stored_entry(first + len(block))[0]
        for n, at in enumerate(self._recent.positions):
            if at >= position:
                return self._recent.entry(n)[0]
        return None

    def truncate_to(self, offset: int) -> None:
        """Drop entries at and above ``offset``."""
        self._cut(offset, 0)


class TimeIndex(_Index[formats.TimeIndex]):
    """Sparse map from the largest timestamp so far (ms) to its batch (``TimeIndex``).

    ``last_entry`` is (timestamp, offset), (-1, base offset) without entries.
    """

    __slots__ = ()
    _entry = formats.TIME_ENTRY

    def _parse(self, data: bytes) -> formats.TimeIndex:
        return formats.TimeIndex(self.base_offset, data)

    def _find_last(self) -> tuple[int, int]:
        if len(self._recent) or not self.stored:
            return self._recent.last_entry
        timestamp, relative = self._stored_fields(self.stored - 1)
        return timestamp, self.base_offset + relative

    @property
    def is_full(self) -> bool:
        """Whether only the entry that closes the segment still fits."""
        return self.count >= self.max_entries - 1

    def append(self, timestamp: int, offset: int) -> None:
        """Add an entry if ``timestamp`` rises."""
        last = self.last_entry
        if timestamp > last[0] and offset >= last[1]:
            recent = self._recent
            recent.timestamps.append(timestamp)
            recent.offsets.append(offset - self.base_offset)
            self.last_entry = (timestamp, offset)
            self.count += 1
            if self.count >= self._patience:
                self._enough()

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """(timestamp, offset) of the last entry at or below ``timestamp``; (-1, base) if none."""
        if len(self._recent) and timestamp >= self._recent.entry(0)[0]:
            return self._recent.lookup(timestamp)
        _, block = self._narrow(timestamp, 0)
        return block.lookup(timestamp) if block is not None else (-1, self.base_offset)

    def truncate_to(self, offset: int) -> None:
        """Drop entries at and above ``offset``."""
        self._cut(offset, 1)
