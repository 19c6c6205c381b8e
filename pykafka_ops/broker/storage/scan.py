"""Walk the batches of a ``.log`` file by their headers, any magic (``FileLogInputStream``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct

from pykafka_ops.broker.storage.files import File
from pykafka_ops.disk.batch import (
    CRC_START,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MIN_LENGTH,
    BatchHeader,
    check_crc,
)
from pykafka_ops.disk.checksum import crc32, crc32c
from pykafka_ops.errors import CorruptBatchError

UP_TO_MAGIC = 17
"""Bytes that tell offset, length and magic; a file with fewer left has no further batch."""

_HEADER = Struct(">qiibIhiqqqhii")
_LEGACY = Struct(">qiIbb")
_TIMESTAMP = Struct(">q")
_CHUNK = 1 << 16
_new = tuple.__new__

Buffer = bytes | bytearray | memoryview
Usual = Callable[[memoryview, int], int]
"""Deals with whole batches from a byte on that it knows, and says where the next begins."""


def header_at(buf: Buffer, pos: int) -> BatchHeader:
    """The header of the batch or old message at ``pos``; all of it must be in ``buf``.

    An old message (magic 0, 1) looks like a batch of one record; a compressed one has only its
    last offset, which then is first and last. Raises CorruptBatchError on an impossible length.
    """
    magic = buf[pos + 16]
    if 2 <= magic < 128:
        header = _new(BatchHeader, _HEADER.unpack_from(buf, pos))
        if header.batch_length < HEADER_SIZE - LOG_OVERHEAD:
            raise CorruptBatchError(
                f"Record batch is corrupt (the size {header.size} is smaller than the minimum "
                f"allowed overhead {HEADER_SIZE})"
            )
        return header
    offset, length, crc, signed_magic, attributes = _LEGACY.unpack_from(buf, pos)
    if length < MIN_LENGTH:
        raise CorruptBatchError(
            f"Found record size {length} smaller than minimum record overhead ({MIN_LENGTH})"
        )
    timestamp = -1
    if magic == 1 and length >= MIN_LENGTH + 8:
        (timestamp,) = _TIMESTAMP.unpack_from(buf, pos + 18)
    fields = (offset, length, -1, signed_magic, crc, attributes, 0, timestamp, timestamp)
    return BatchHeader(*fields, -1, -1, -1, 1)


def check(buf: Buffer, pos: int, header: BatchHeader) -> bool:
    """Whether the batch at ``pos``, whole in ``buf``, matches its checksum."""
    if header.magic >= 2:
        return check_crc(buf, pos, header)
    return crc32(memoryview(buf)[pos + 16 : pos + header.size]) == header.crc


def batches(
    file: File, position: int, end: int, *, chunk: int = _CHUNK
) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of every whole batch in ``[position, end)``; reads little but headers.

    Raises CorruptBatchError where a length cannot be.
    """
    data: Buffer = b""
    start = position
    while position + UP_TO_MAGIC < end:
        if position + HEADER_SIZE > start + len(data):
            start = position
            data = file.read(min(chunk, end - position), position)
            if len(data) < min(HEADER_SIZE, end - position):
                return
        found = _header_within(data, position - start, end - position)
        if found is None:
            return
        yield position, found
        position += found.size


def _header_within(data: Buffer, pos: int, left: int) -> BatchHeader | None:
    """The header at ``pos`` if the batch is whole, that is, not longer than ``left``."""
    if len(data) - pos < HEADER_SIZE:
        if data[pos + 16] >= 2:
            length = int.from_bytes(data[pos + 8 : pos + 12], "big", signed=True)
            if length >= MIN_LENGTH and length + LOG_OVERHEAD > left:
                return None
            raise CorruptBatchError(f"Record batch of {length} bytes is smaller than its header")
        if len(data) - pos < 26:
            data = bytes(data[pos:]) + bytes(26)
            pos = 0
    header = header_at(data, pos)
    return header if header.size <= left else None


def checked_batches(
    file: File, position: int, end: int, *, chunk: int = 1 << 20, usual: Usual | None = None
) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """As :func:`batches`, with the bytes of each batch and its checksum verified. Those that
    ``usual`` has dealt with are left out.

    Raises CorruptBatchError at the first batch that is damaged.
    """
    data = memoryview(b"")
    start = position
    while position + UP_TO_MAGIC < end:
        pos = position - start
        if pos + HEADER_SIZE > len(data):
            start, pos = position, 0
            data = memoryview(file.read(min(chunk, end - position), position))
        if usual is not None and (after := usual(data, pos)) > pos:
            position = start + after
            continue
        header = _header_within(data, pos, end - position)
        if header is None:
            return
        size = header.size
        if pos + size > len(data):
            start, pos = position, 0
            data = memoryview(file.read(min(max(chunk, size), end - position), position))
        batch = data[pos : pos + size]
        if header.magic >= 2 and len(batch) == size:
            right = crc32c(batch[CRC_START:]) == header.crc
        else:
            right = check(data, pos, header)
        if not right:
            raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")
        yield position, header, batch
        position += size
