"""Zstandard frames with a cap on their output.

A frame is walked block by block first (RFC 8878 §3.1.1): headers alone bound the output to 128 KiB
a block, so the buffer is never larger than the data can need nor than the caller's limit.
"""

from __future__ import annotations

from cramjam import DecompressionError
from cramjam import zstd as _zstd

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.pieces import PIECE, Unpacked
from pykafka_ops.errors import CorruptBatchError

_BLOCK = 128 * 1024


def compress(data: Buffer, level: int = 3) -> bytes:
    """One zstd frame at ``level`` (Kafka's default is 3)."""
    return bytes(_zstd.compress(data, level=level))


def unpack(data: Buffer, to: Unpacked) -> None:
    """Unpack all frames; CorruptBatchError when malformed, or more than there may be."""
    view, limit = memoryview(data), to.left
    bound, exact = _output_bound(view)
    if exact and bound > limit:
        raise CorruptBatchError(f"zstd data expands to more than the limit of {limit} bytes")
    most = min(bound, limit)
    size = most if exact else min(most, max(PIECE, len(view) * 8))
    while True:
        try:
            made = _zstd.decompress_into(view, to.room(size))
        except DecompressionError as e:
            if size == most or "whole buffer" not in str(e):
                raise CorruptBatchError(f"zstd: {e} (limit {limit} bytes)") from None
            size = min(most, size * 4)
        else:
            to.filled(made)
            return


def _output_bound(view: memoryview) -> tuple[int, bool]:
    """(most bytes the frames can decompress to, whether that is exact)."""
    pos, end, bound, exact = 0, len(view), 0, True
    while pos < end:
        if end - pos < 8:
            raise CorruptBatchError("zstd data ends inside a frame header")
        magic = int.from_bytes(view[pos : pos + 4], "little")
        if magic >> 4 == 0x184D2A5:  # skippable frame
            pos += 8 + int.from_bytes(view[pos + 4 : pos + 8], "little")
            continue
        if magic != 0xFD2FB528:
            raise CorruptBatchError("zstd data does not start with a frame header")
        pos, size, content = _frame(view, pos + 4)
        bound += size if content is None else min(size, content)
        exact = exact and content is not None
    if pos > end or not end:
        raise CorruptBatchError("zstd data ends inside a frame")
    return bound, exact


def _frame(view: memoryview, pos: int) -> tuple[int, int, int | None]:
    """(end of the frame, most bytes its blocks can give, its content size where it says one)."""
    flags = view[pos]
    single = flags & 0x20
    skip = 1 + (0 if single else 1) + (0, 1, 2, 4)[flags & 3]
    width = (1 if single else 0, 2, 4, 8)[flags >> 6]
    start = pos + skip
    content = int.from_bytes(view[start : start + width], "little") if width else None
    if width == 2 and content is not None:
        content += 256
    pos = start + width
    total, end = 0, len(view)
    while pos + 3 <= end:
        header = int.from_bytes(view[pos : pos + 3], "little")
        kind, size = header >> 1 & 3, header >> 3
        pos += 3 + (1 if kind == 1 else size)
        total += _BLOCK if kind == 2 else size
        if header & 1:
            return pos + (4 if flags & 4 else 0), total, content
    raise CorruptBatchError("zstd data ends inside a frame")
