"""A hash of 64 bits for a record, equal wherever the record is copied to.

It covers what the producer sent: key, value, headers and timestamp. Not the offset, nor how the
batch around it was made. The bytes go through two checksums of different polynomials, CRC-32C and
CRC-32, and these with the timestamp through the mixing steps of SplitMix64, so that two records
which exchange a part of themselves do not add up to the same. It finds accidents; whoever wants to
forge a record of the same hash can.

Compiled, ``hashing.pxd`` has functions of C for the same names; this file is left out then.
"""

from __future__ import annotations

from zlib import crc32

from pykafka_ops.compiled.raw import Record
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.varint import read_varint, varint
from pykafka_ops.errors import CorruptBatchError

_MASK = 2**64 - 1
_OF_TIME = 0x9E37_79B9_7F4A_7C15
_FIRST = 0xBF58_476D_1CE4_E5B9
_SECOND = 0x94D0_49BB_1331_11EB
_STEP = 0xD6E8_FEB8_6659_FD93


def record_hash(data: bytes | memoryview, start: int, end: int, timestamp: int) -> int:
    """The hash of the record whose content (``disk.contents``) is ``data[start:end]``."""
    content = bytes(data[start:end])
    return mixed(crc32c(content) << 32 | crc32(content), timestamp)


def mixed(pair: int, timestamp: int) -> int:
    """The hash of two checksums in 64 bits, and a timestamp (ms)."""
    value = pair ^ timestamp * _OF_TIME & _MASK
    value = (value ^ value >> 30) * _FIRST & _MASK
    value = (value ^ value >> 27) * _SECOND & _MASK
    return value ^ value >> 31


def added(total: int, value: int) -> int:
    """The sum of two numbers of 64 bits."""
    return total + value & _MASK


def chained(before: int, value: int) -> int:
    """A number that depends on the order of all values chained so far; begins with 0."""
    return before * _STEP + value & _MASK


def content_start(data: bytes | memoryview, record: Record) -> int:
    """Where the content of a record begins that was read (``compiled.raw.record``); -1 where its
    lengths are not all written in the fewest bytes, or null not as -1."""
    end, _, _, key_at, key_size, value_at, value_size, rest = record
    key = varint(key_size)
    start = key_at - len(key)
    behind = key_at + key_size if key_size > 0 else key_at
    if key_size < -1 or value_size < -1 or value_at - behind != len(varint(value_size)):
        return -1
    if start < 0 or data[start:key_at] != key:
        return -1
    return start if not data[rest] or _are_short(bytes(data[rest:end])) else -1


def _are_short(data: bytes) -> bool:
    """Whether headers are written in the fewest bytes."""
    try:
        count, at = read_varint(data, 0)
        short = at == len(varint(count))
        for _ in range(2 * count):
            before = at
            size, at = read_varint(data, at)
            short = short and size >= -1 and at - before == len(varint(size))
            at += max(size, 0)
    except (IndexError, CorruptBatchError):
        return False
    return short and at == len(data)


def joined(before: int, after: int, count: int) -> int:
    """What chaining the values of ``before``, then the ``count`` values of ``after`` gives."""
    return before * pow(_STEP, count, 2**64) + after & _MASK
