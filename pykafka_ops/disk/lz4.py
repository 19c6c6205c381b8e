"""LZ4 frames as Kafka writes them.

Counterpart of ``Lz4BlockOutputStream``/``Lz4BlockInputStream``: independent blocks of 64 KiB, no
content size, no content checksum. Message format v0 computes the header checksum over the frame's
magic as well (KAFKA-3160).

The frame is taken apart here so that a block is never decompressed past the caller's limit.
"""

from __future__ import annotations

from struct import Struct

from cramjam import DecompressionError
from cramjam import lz4 as _lz4

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.pieces import Unpacked
from pykafka_ops.errors import CorruptBatchError

_MAGIC = b"\x04\x22\x4d\x18"
_FLAGS = b"\x60\x40"  # version 1, independent blocks; blocks of at most 64 KiB
_BLOCK = 64 * 1024
DEFAULT_LEVEL = 9
_LEAST_HIGH = 3
_SIZE = Struct("<I")
_STORED = 0x8000_0000
_MAX_RATIO = 255  # of an LZ4 block: one length byte stands for at most 255 bytes
_PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)


def xxh32(data: bytes) -> int:
    """XXH32 with seed 0 of fewer than 16 bytes, all that a frame header needs."""
    _, p2, p3, p4, p5 = _PRIMES
    mask = 0xFFFF_FFFF
    acc = (p5 + len(data)) & mask
    pos = 0
    while pos + 4 <= len(data):
        acc = (acc + _SIZE.unpack_from(data, pos)[0] * p3) & mask
        acc = ((acc << 17 | acc >> 15) & mask) * p4 & mask
        pos += 4
    for byte in data[pos:]:
        acc = (acc + byte * p5) & mask
        acc = ((acc << 11 | acc >> 21) & mask) * _PRIMES[0] & mask
    acc = (acc ^ acc >> 15) * p2 & mask
    acc = (acc ^ acc >> 13) * p3 & mask
    return acc ^ acc >> 16


_HEADER = _MAGIC + _FLAGS + bytes([xxh32(_FLAGS) >> 8 & 0xFF])
_HEADER_V0 = _MAGIC + _FLAGS + bytes([xxh32(_MAGIC + _FLAGS) >> 8 & 0xFF])


def compress(data: Buffer, level: int = DEFAULT_LEVEL, *, v0_header: bool = False) -> bytes:
    """One frame of independent 64 KiB blocks; ``v0_header`` gives the checksum of format v0.

    ``level`` (1-17) is that of the high compressor; the default means the fast one, as in Kafka.
    """
    view = memoryview(data)
    out = [_HEADER_V0 if v0_header else _HEADER]
    for start in range(0, len(view), _BLOCK):
        plain = view[start : start + _BLOCK]
        block = _pack(plain, level)
        if len(block) < len(plain):
            out.append(_SIZE.pack(len(block)))
            out.append(block)
        else:
            out.append(_SIZE.pack(len(plain) | _STORED))
            out.append(bytes(plain))
    out.append(b"\x00\x00\x00\x00")
    return b"".join(out)


def _pack(plain: memoryview, level: int) -> bytes:
    """One raw block; the library packs such at a level only within a frame of its own."""
    if level == DEFAULT_LEVEL:
        return bytes(_lz4.compress_block(plain, store_size=False))
    packer = _lz4.Compressor(level=max(level, _LEAST_HIGH), block_linked=False)
    packer.compress(bytes(plain))
    frame = memoryview(packer.finish())
    _, _, at = _read_header(frame)
    (size,) = _SIZE.unpack_from(frame, at)
    at += _SIZE.size
    return bytes(plain) if size & _STORED else bytes(frame[at : at + size])


def unpack(data: Buffer, to: Unpacked, *, v0_header: bool = False) -> None:
    """Unpack a frame; CorruptBatchError when malformed, or more than there may be.

    ``v0_header``: do not check the header's checksum, as Kafka does not in message format v0. What
    follows the frame is ignored, as is a checksum of the contents (``Lz4BlockInputStream``).
    """
    view, limit = memoryview(data), to.left
    flags, block_max, pos = _read_header(view, v0_header=v0_header)
    begin, trailer = pos, 4 if flags & 0x10 else 0
    end = len(view)
    while True:
        if end - pos < 4:
            raise CorruptBatchError("lz4 frame ends without its end mark")
        (size,) = _SIZE.unpack_from(view, pos)
        pos += 4
        if not size:
            break
        stored, size = size & _STORED, size & ~_STORED
        if size > block_max or size + trailer > end - pos:
            raise CorruptBatchError(f"lz4 block of {size} bytes, {end - pos} bytes remain")
        block = view[pos : pos + size]
        if not stored:
            _block(block, block_max, to)
        elif size > to.left:
            raise CorruptBatchError(f"lz4 data expands to more than the limit of {limit} bytes")
        else:
            to.room(size)[:] = block
            to.filled(size)
        pos += size + trailer
    if trailer:
        _check_blocks(bytes((flags & 0x70, view[5])), view[begin:pos], limit - to.left)


def _read_header(view: memoryview, *, v0_header: bool = False) -> tuple[int, int, int]:
    """(flags, largest block in bytes, position of the first block)."""
    if len(view) < 7 or bytes(view[:4]) != _MAGIC:
        raise CorruptBatchError("lz4 data does not start with a frame header")
    flags, code = view[4], view[5] >> 4 & 7
    if flags >> 6 != 1 or flags & 0x03 or code < 4 or view[5] & 0x8F:
        raise CorruptBatchError(f"lz4 frame header with flags {flags:#x} {view[5]:#x}")
    if not flags & 0x20:
        raise CorruptBatchError(
            "Dependent block stream is unsupported (BlockIndependence must be set)"
        )
    check = 14 if flags & 0x08 else 6
    if len(view) <= check:
        raise CorruptBatchError("lz4 data ends inside its frame header")
    # 10 bytes stay below the 16 that xxh32 above is good for.
    if not v0_header and view[check] != xxh32(bytes(view[4:check])) >> 8 & 0xFF:
        raise CorruptBatchError("lz4 frame header with a wrong checksum")
    return flags, 1 << (8 + 2 * code), check + 1


def _block(block: memoryview, most: int, to: Unpacked) -> None:
    most = min(most, to.left)
    try:
        made = _lz4.decompress_block_into(block, to.room(min(most, len(block) * _MAX_RATIO)))
    except DecompressionError as e:
        raise CorruptBatchError(f"lz4 block: {e} (limit {most} bytes)") from None
    to.filled(made)


def _check_blocks(descriptor: bytes, blocks: memoryview, size: int) -> None:
    """Let the library check the checksums of the blocks, which no client of Kafka writes."""
    header = _MAGIC + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF])
    try:
        _lz4.decompress_into(header + blocks, bytearray(size))
    except DecompressionError as e:
        raise CorruptBatchError(f"lz4: {e}") from None
