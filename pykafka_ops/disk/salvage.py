"""Reading a log that may be damaged: every sound batch, and where the damage between them lies.

Kafka truncates a log at the first wrong byte. To see what is still there, a reader must go on
behind it. A batch is sound when it is whole, of a known format and codec, and its CRC is right.
Behind damage the log goes on with the next sound batch whose offset is above the last one seen.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.batch import HEADER_SIZE, LOG_OVERHEAD, MIN_LENGTH, BatchHeader, read_header
from pykafka_ops.disk.checksum import crc32, crc32c
from pykafka_ops.disk.legacy import MessageHeader, read_message_header
from pykafka_ops.errors import CorruptBatchError

Bytes = bytes | mmap.mmap

_TO_MAGIC = 17
_CRC_END = 21
_FRAME = Struct(">qi")
_V2 = re.compile(rb"\x02[\s\S]{4}\x00[\x00-\x7f]")
_OLD = re.compile(rb"(?:[\x00\x01][\x00-\x0f])|\x02(?=[\s\S]{4}\x00[\x00-\x7f])")
_NOT_ZERO = re.compile(rb"[^\x00]")
#: How much resynchronising may read again for CRCs of what only looks like a batch.
_SPARE = 64 << 20


class SoundBatch(NamedTuple):
    """A batch v2, or a message v0/v1; ``tail`` are its bytes behind the CRC field.

    ``position`` is in bytes. Of a batch v2 the records, as stored, begin at ``tail[40]``.
    """

    position: int
    header: BatchHeader | MessageHeader
    tail: bytes


class DamagedBytes(NamedTuple):
    """``size`` bytes from ``position`` on that hold no sound batch, and why the first is none."""

    position: int
    size: int
    reason: str


class _RefusedError(Exception):
    """There is no sound batch at a position; ``size`` is the length it claims, 0 if impossible."""

    def __init__(self, reason: str, size: int = 0) -> None:
        super().__init__(reason)
        self.size = size


def sound_batches(
    data: Bytes, start: int = 0, *, base_offset: int | None = None, complete: bool = True
) -> Iterator[SoundBatch | DamagedBytes]:
    """Every sound batch from byte ``start`` on, and the damage between and behind them, in order.

    ``base_offset`` is the segment's, or what offsets must not be below; None where that is not
    known. Without ``complete``, ``data`` is only a part of a log, and it ends at the first batch
    that is not sound or not all there. Nothing is raised.
    """
    position, end, last, old = start, len(data), None, False
    while position < end:
        try:
            batch = _read(data, position, end)
        except _RefusedError as refused:
            if not complete:
                return
            reason = str(refused)
            following = _resume(data, position, refused.size, (base_offset, last, old))
            stop = end if following is None else following
            if data[position:end][:1] == b"\x00" and not _NOT_ZERO.search(data, position, end):
                reason = "only zeros from here on"
            yield DamagedBytes(position, stop - position, reason)
            position = stop
            continue
        yield batch
        header = batch.header
        if isinstance(header, BatchHeader):
            last, old = header.last_offset, False
        else:
            last, old = header.offset, True
        position += header.size


def _read(data: Bytes, position: int, end: int) -> SoundBatch:
    """The batch at ``position``; _RefusedError where there is no sound one."""
    left = end - position
    if left < _TO_MAGIC:
        raise _RefusedError(f"{left} bytes after the last whole batch")
    length = _FRAME.unpack_from(data, position)[1]
    size = LOG_OVERHEAD + length
    if length < MIN_LENGTH:
        raise _RefusedError(f"a batch of length {length}, less than any can have")
    if size > left:
        raise _RefusedError(f"a batch of {size} bytes of which {left} are there", size)
    magic = data[position + 16]
    if magic == 2:
        return _batch(data, position, size)
    if magic > 2:
        raise _RefusedError(f"unknown magic {magic}", size)
    try:
        message = read_message_header(data[position : position + 34], 0)
    except CorruptBatchError as e:
        raise _RefusedError(str(e), size) from None
    tail = data[position + 16 : position + size]
    if crc32(tail) != message.crc:
        raise _RefusedError(f"wrong CRC (stored {message.crc})", size)
    if message.attributes & 7 > 4:
        raise _RefusedError(f"unknown codec {message.attributes & 7}", size)
    return SoundBatch(position, message, tail)


def _batch(data: Bytes, position: int, size: int) -> SoundBatch:
    if size < HEADER_SIZE:
        raise _RefusedError(f"a batch of {size} bytes, less than its header takes", size)
    header = read_header(data[position : position + HEADER_SIZE])
    tail = data[position + _CRC_END : position + size]
    if crc32c(tail) != header.crc:
        raise _RefusedError(f"wrong CRC (stored {header.crc})", size)
    if header.attributes & 7 > 4:
        raise _RefusedError(f"unknown codec {header.attributes & 7}", size)
    if header.last_offset_delta < 0 or header.record_count < 0:
        raise _RefusedError(
            f"{header.record_count} records up to offset delta {header.last_offset_delta}", size
        )
    return SoundBatch(position, header, tail)


def _resume(
    data: Bytes, position: int, size: int, seen: tuple[int | None, int | None, bool]
) -> int | None:
    """Where the log goes on behind the damage at ``position``; None where it does not.

    First where the damaged batch says that it ends, if its own offsets lead right to the batch
    there, or its header is in order and it ends with the file: then its length is right, and what
    looks like a batch inside it is a payload.
    """
    end = len(data)
    follower = position + size
    if size and follower + _TO_MAGIC <= end:
        try:
            found = _read(data, follower, end)
        except _RefusedError:
            pass
        else:
            if _leads_to(data, position, size, found):
                return follower
    elif size and follower == end:
        return None if _plausible(data, position, seen) else _search(data, position + 1, seen)
    return _search(data, position + 1, seen)


def _leads_to(data: Bytes, position: int, size: int, found: SoundBatch) -> bool:
    """Whether the offsets of the damaged batch end where those of ``found`` begin."""
    if size < HEADER_SIZE or not isinstance(found.header, BatchHeader):
        return False
    claimed = read_header(data[position : position + HEADER_SIZE])
    return claimed.magic == 2 and claimed.next_offset == found.header.base_offset


def _plausible(data: Bytes, position: int, seen: tuple[int | None, int | None, bool]) -> bool:
    """Whether what stands at ``position`` has the header of a batch that may stand here."""
    if not _fits(_FRAME.unpack_from(data, position)[0], seen):
        return False
    if data[position + 16] != 2:
        return data[position + 16] < 2 and data[position + 17] < 16
    if len(data) - position < HEADER_SIZE:
        return False
    header = read_header(data[position : position + HEADER_SIZE])
    odd = header.attributes & ~0x7F or header.attributes & 7 > 4
    return not odd and 0 <= header.record_count <= header.last_offset_delta + 1


def _fits(offset: int, seen: tuple[int | None, int | None, bool]) -> bool:
    base, last, _ = seen
    lowest = max(-1 if last is None else last, -1 if base is None else base - 1)
    return lowest < offset and (lowest < 0 or offset < lowest + 2**31 + 1)


def _search(data: Bytes, start: int, seen: tuple[int | None, int | None, bool]) -> int | None:
    """The first position from ``start`` on with a sound batch whose offset fits."""
    end, (_, last, old) = len(data), seen
    pattern = _OLD if old or last is None else _V2
    spare = 4 * (end - start) + _SPARE
    at = start + 16
    while (hit := pattern.search(data, at, end)) is not None:
        position = hit.start() - 16
        at = hit.start() + 1
        offset, length = _FRAME.unpack_from(data, position)
        if length < MIN_LENGTH:
            if not offset and not length:  # a run of zeros: no header before its last bytes
                beyond = _NOT_ZERO.search(data, position, end)
                if beyond is None:
                    return None
                at = max(at, beyond.start() + 5)
            continue
        if position + LOG_OVERHEAD + length > end or not _fits(offset, seen):
            continue
        spare -= length
        if spare < 0:
            return None
        try:
            _read(data, position, end)
        except _RefusedError:
            continue
        return position
    return None
