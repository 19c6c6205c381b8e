"""Compression of record batches behind one table (Kafka: ``CompressionType``, ``Compression``).

The codecs' library is loaded when the first batch needs it: it takes 2 MB of memory.
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from functools import cache
from types import ModuleType

from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.pieces import PIECE, Unpacked
from pykafka_ops.errors import CorruptBatchError


class Codec(IntEnum):
    """The low three bits of a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


CODEC_NAMES = ("none", "gzip", "snappy", "lz4", "zstd")
# Producers write one gzip member; each further one costs a copy of the rest.
DECOMPRESSED_LIMIT = 256 << 20
"""Bytes that a stored batch may take decompressed: twice what a broker takes from a producer."""
_MAX_MEMBERS = 256


def codec_of(attributes: int) -> Codec:
    """The codec in ``attributes``; CorruptBatchError on ids 5 to 7, which name none."""
    code = attributes & 7
    if code > 4:
        raise CorruptBatchError(f"Unknown compression type id: {code}")
    return Codec(code)


def compress(
    codec: Codec, data: Buffer, level: int | None = None, *, v0_header: bool = False
) -> bytes:
    """``data`` compressed as Kafka would store it.

    ``level`` is the codec's own scale (gzip 1-9, lz4 1-17, zstd -131072-22; snappy has none);
    ``v0_header`` writes the lz4 header checksum that message format v0 needs.
    """
    if codec is Codec.NONE:
        return bytes(data)
    if codec is Codec.GZIP:
        packer = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    if codec is Codec.SNAPPY:
        from pykafka_ops.disk import snappy

        return snappy.compress(data)
    if codec is Codec.LZ4:
        from pykafka_ops.disk import lz4

        chosen = lz4.DEFAULT_LEVEL if level is None else level
        return lz4.compress(data, chosen, v0_header=v0_header)
    from pykafka_ops.disk import zstd

    return zstd.compress(data, 3 if level is None else level)


def decompress(codec: Codec, data: Buffer, limit: int, *, v0_header: bool = False) -> bytes:
    """``data`` decompressed; ``v0_header`` where it stands in a message of format v0.

    Raises CorruptBatchError when it is malformed or gives more than ``limit`` bytes; not more
    than about the limit is ever allocated, whatever the data claims.
    """
    whole = unpack(codec, data, Unpacked(limit), v0_header=v0_header)
    return whole if isinstance(whole, bytes) else bytes(whole)


def unpack(
    codec: Codec, data: Buffer, to: Unpacked, *, v0_header: bool = False
) -> bytes | memoryview:
    """The same, in the memory that ``to`` has for it, where the codec can do that."""
    if codec is Codec.ZSTD:
        from pykafka_ops.disk import zstd

        zstd.unpack(data, to)
    elif codec is Codec.LZ4:
        from pykafka_ops.disk import lz4

        lz4.unpack(data, to, v0_header=v0_header)
    elif codec is Codec.SNAPPY:
        from pykafka_ops.disk import snappy

        snappy.unpack(data, to)
    elif codec is Codec.GZIP:
        return _gunzip(data, to.left)
    elif len(data) > to.left:
        raise CorruptBatchError(f"data of {len(data)} bytes is over the limit of {to.left} bytes")
    else:
        return bytes(data)
    return to.whole()


@cache
def _zlib() -> ModuleType:
    """zlib-ng where it is installed: the same streams, in two thirds of the time or less."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:
        return zlib
    return zlib_ng


def _gunzip(data: Buffer, limit: int) -> bytes:
    """All members of a gzip stream."""
    out: list[bytes] = []
    rest: Buffer = data
    room = limit + 1
    members, library = 0, _zlib()
    while bytes(rest[:2]) == b"\x1f\x8b":  # like Java, what follows the last member is ignored
        if members == _MAX_MEMBERS:
            raise CorruptBatchError(f"gzip data of more than {_MAX_MEMBERS} members")
        members += 1
        unpacker = library.decompressobj(31)
        while not unpacker.eof:
            try:
                plain = unpacker.decompress(rest, min(room, PIECE))
            except library.error as e:
                raise CorruptBatchError(f"gzip: {e}") from None
            room -= len(plain)
            if room <= 0:
                raise CorruptBatchError(
                    f"gzip data expands to more than the limit of {limit} bytes"
                )
            out.append(plain)
            rest = unpacker.unconsumed_tail
            if not (plain or rest or unpacker.eof):
                raise CorruptBatchError("gzip data ends too early")
        rest = unpacker.unused_data
    if not members:
        raise CorruptBatchError("gzip data does not start with a gzip header")
    return out[0] if len(out) == 1 else b"".join(out)
