"""Snappy as Kafka stores it: raw blocks behind the xerial (snappy-java) header.

Counterpart of snappy-java's ``SnappyOutputStream``/``SnappyInputStream``. Some clients send one
raw block without the header; Kafka reads that too, and so do we.
"""

from __future__ import annotations

from struct import Struct

from cramjam import DecompressionError, snappy

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.pieces import Unpacked
from pykafka_ops.errors import CorruptBatchError

_MAGIC = b"\x82SNAPPY\x00"
_HEADER = _MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"  # version 1, readable since 1
_BLOCK = 32 * 1024
_LENGTH = Struct(">i")
# No snappy block grows more than this: a 3-byte copy element yields at most 64 bytes.
_MAX_RATIO = 22


def compress(data: Buffer) -> bytes:
    """Compress in 32 KiB blocks with the xerial header, as the Java client does."""
    view = memoryview(data)
    out = [_HEADER]
    for start in range(0, len(view), _BLOCK):
        block = bytes(snappy.compress_raw(view[start : start + _BLOCK]))
        out.append(_LENGTH.pack(len(block)))
        out.append(block)
    return b"".join(out)


def unpack(data: Buffer, to: Unpacked) -> None:
    """Unpack xerial-framed or raw snappy.

    Raises CorruptBatchError when it is malformed, or more than there may be; every block says its
    size beforehand, so nothing over the limit is allocated.
    """
    view = memoryview(data)
    if bytes(view[:8]) != _MAGIC:
        _block(view, to)
        return
    if len(view) < len(_HEADER):
        raise CorruptBatchError("snappy data ends inside its header")
    pos, end = len(_HEADER), len(view)
    while pos < end:
        if view[pos] == _MAGIC[0] and bytes(view[pos : pos + 8]) == _MAGIC:
            pos += len(_HEADER)  # one stream after the other
            continue
        if end - pos < 4:
            raise CorruptBatchError("snappy data ends inside a block length")
        (size,) = _LENGTH.unpack_from(view, pos)
        pos += 4
        if size <= 0 or size > end - pos:
            raise CorruptBatchError(f"snappy block of {size} bytes, {end - pos} bytes remain")
        _block(view[pos : pos + size], to)
        pos += size


def _block(block: memoryview, to: Unpacked) -> None:
    """One raw block; its claimed size is checked before anything is allocated."""
    size = _claimed_size(block)
    if size > to.left:
        raise CorruptBatchError(f"snappy data expands to more than the limit of {to.left} bytes")
    if size > len(block) * _MAX_RATIO:
        raise CorruptBatchError(f"snappy block of {len(block)} bytes claims {size} bytes")
    if not size:
        return
    try:
        made = snappy.decompress_raw_into(block, to.room(size))
    except DecompressionError as e:
        raise CorruptBatchError(str(e)) from None
    if made != size:
        raise CorruptBatchError(f"snappy block gave {made} of {size} bytes")
    to.filled(size)


def _claimed_size(block: memoryview) -> int:
    value = shift = 0
    for byte in block[:5]:
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7
    raise CorruptBatchError("snappy block without a length")
