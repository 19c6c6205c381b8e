"""Entries of ``.index`` and ``.timeindex`` files, looked up in memory.

Counterparts: ``OffsetIndex`` (8 bytes an entry: offset relative to the segment int32, position
int32) and ``TimeIndex`` (12 bytes: timestamp int64 ms, relative offset int32), big endian, rising.
Both classes keep native arrays (a lookup is one ``bisect``); ``append`` gives the bytes to write.
A live broker of Kafka leaves zeros behind the last entry: ``used_bytes`` says where they begin.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from struct import Struct

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.errors import CorruptIndexError

OFFSET_ENTRY = Struct(">ii")
TIME_ENTRY = Struct(">qi")
_LITTLE = sys.byteorder == "little"


class OffsetIndex:
    """The offset index of one segment; offsets are absolute outside, relative in the arrays."""

    __slots__ = ("base_offset", "offsets", "positions")

    def __init__(self, base_offset: int, data: Buffer = b"") -> None:
        """Entries of an index file's bytes; a torn last entry is left out, zeros are kept."""
        self.base_offset = base_offset
        words = array("i", bytes(data[: len(data) // 8 * 8]))
        if _LITTLE:
            words.byteswap()
        self.offsets = words[0::2]
        self.positions = words[1::2]

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.offsets)

    def entry(self, n: int) -> tuple[int, int]:
        """(offset, position) of entry ``n``."""
        return self.base_offset + self.offsets[n], self.positions[n]

    @property
    def last_offset(self) -> int:
        """Offset of the last entry, the base offset without entries."""
        return self.base_offset + (self.offsets[-1] if self.offsets else 0)

    def lookup(self, offset: int) -> tuple[int, int]:
        """(offset, position) of the last entry at or below ``offset``; (base offset, 0) if none."""
        slot = bisect_right(self.offsets, offset - self.base_offset) - 1
        return self.entry(slot) if slot >= 0 else (self.base_offset, 0)

    def append(self, offset: int, position: int) -> bytes:
        """Add an entry and give its 8 bytes; CorruptIndexError unless ``offset`` is above the last.

        Also when the offset is more than 2**31 - 1 above the base (the segment must roll before).
        """
        relative = offset - self.base_offset
        if not 0 <= relative < 2**31 or (self.offsets and relative <= self.offsets[-1]):
            raise CorruptIndexError(
                f"Attempt to append an offset ({offset}) to position {len(self)} no larger than "
                f"the last offset appended ({self.last_offset})"
            )
        self.offsets.append(relative)
        self.positions.append(position)
        return OFFSET_ENTRY.pack(relative, position)

    def truncate_to(self, offset: int) -> int:
        """Drop entries at and above ``offset``; the bytes the file then has."""
        keep = bisect_right(self.offsets, offset - self.base_offset - 1)
        del self.offsets[keep:], self.positions[keep:]
        return keep * 8

    def to_bytes(self) -> bytes:
        """The whole file."""
        words = array("i", bytes(len(self) * 8))
        words[0::2] = self.offsets
        words[1::2] = self.positions
        if _LITTLE:
            words.byteswap()
        return words.tobytes()


class TimeIndex:
    """The time index of one segment; offsets are absolute outside, relative in the arrays."""

    __slots__ = ("base_offset", "offsets", "timestamps")

    def __init__(self, base_offset: int, data: Buffer = b"") -> None:
        """Entries of a time index file's bytes; a torn last entry is left out, zeros are kept."""
        self.base_offset = base_offset
        rows = list(TIME_ENTRY.iter_unpack(data[: len(data) // 12 * 12]))
        self.timestamps = array("q", [row[0] for row in rows])
        self.offsets = array("i", [row[1] for row in rows])

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.offsets)

    def entry(self, n: int) -> tuple[int, int]:
        """(timestamp, offset) of entry ``n``."""
        return self.timestamps[n], self.base_offset + self.offsets[n]

    @property
    def last_entry(self) -> tuple[int, int]:
        """(timestamp, offset) of the last entry, (-1, base offset) without entries."""
        return self.entry(-1) if self.offsets else (-1, self.base_offset)

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """(timestamp, offset) of the last entry at or below ``timestamp``, else (-1, base)."""
        slot = bisect_right(self.timestamps, timestamp) - 1
        return self.entry(slot) if slot >= 0 else (-1, self.base_offset)

    def append(self, timestamp: int, offset: int) -> bytes:
        """Add an entry and give its 12 bytes, b"" when ``timestamp`` is not above the last one.

        CorruptIndexError when ``offset`` goes back or is 2**31 or more above the base.
        """
        relative = offset - self.base_offset
        last_timestamp, last_offset = self.last_entry
        if (self.offsets and offset < last_offset) or not 0 <= relative < 2**31:
            raise CorruptIndexError(
                f"Attempt to append an offset ({offset}) to slot {len(self)} no larger than "
                f"the last offset appended ({last_offset})"
            )
        if timestamp <= last_timestamp:
            return b""
        self.timestamps.append(timestamp)
        self.offsets.append(relative)
        return TIME_ENTRY.pack(timestamp, relative)

    def truncate_to(self, offset: int) -> int:
        """Drop entries at and above ``offset``; the bytes the file then has."""
        keep = bisect_right(self.offsets, offset - self.base_offset - 1)
        del self.offsets[keep:], self.timestamps[keep:]
        return keep * 12

    def to_bytes(self) -> bytes:
        """The whole file."""
        pack = TIME_ENTRY.pack
        return b"".join(map(pack, self.timestamps, self.offsets))


def used_bytes(data: Buffer, entry_size: int) -> int:
    """Bytes of ``data`` before its zero padding, in whole entries of ``entry_size`` (8 or 12).

    An entry of only zeros may stand first (the base offset at position 0), so one is kept when
    nothing else is there and the file has just that one.
    """
    whole = len(data) // entry_size * entry_size
    used = len(bytes(data[:whole]).rstrip(b"\x00"))
    used = -(-used // entry_size) * entry_size
    return whole if not used and whole == entry_size else used


def check_offset_index(data: Buffer, base_offset: int, name: str) -> None:
    """Kafka's sanity check of an ``.index`` file; CorruptIndexError in its words."""
    whole = len(data) // 8 * 8
    if whole and (relative := OFFSET_ENTRY.unpack_from(data, whole - 8)[0]) < 0:
        raise CorruptIndexError(
            f"Corrupt index found, index file {name} has non-zero size but the last offset is "
            f"{base_offset + relative} which is less than the base offset {base_offset}"
        )
    if len(data) % 8:
        raise CorruptIndexError(
            f"Index file {name} is corrupt, found {len(data)} bytes which is neither positive "
            "nor a multiple of 8"
        )


def check_time_index(data: Buffer, base_offset: int, name: str) -> None:
    """Kafka's sanity check of a ``.timeindex`` file; CorruptIndexError in its words."""
    whole = len(data) // 12 * 12
    if whole:
        first = TIME_ENTRY.unpack_from(data)[0]
        last, relative = TIME_ENTRY.unpack_from(data, whole - 12)
        if last < first:
            raise CorruptIndexError(
                f"Corrupt time index found, time index file ({name}) has non-zero size but the "
                f"last timestamp is {last} which is less than the first timestamp {first}"
            )
        if relative < 0:
            raise CorruptIndexError(
                f"Corrupt time index found, time index file ({name}) has non-zero size but the "
                f"last offset is {base_offset + relative} which is less than the first offset "
                f"{base_offset}"
            )
    if len(data) % 12:
        raise CorruptIndexError(
            f"Time index file {name} is corrupt, found {len(data)} bytes which is neither positive "
            "nor a multiple of 12"
        )
