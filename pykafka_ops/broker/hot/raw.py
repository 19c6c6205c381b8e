"""What the path does with single bytes: numbers read and written in place, checksums.

Not compiled these are calls into the standard library. Compiled, ``raw.pxd`` has functions of C for
the same names, with bounds checked by themselves; this file is left out then.
"""

from __future__ import annotations

import os
import time
from struct import Struct

from pykafka_ops.disk.checksum import crc32c

COMPILED = False
"""Whether the path is compiled."""

HEADER_SIZE = 61
"""Bytes of a batch's header."""
CRC_COVERS = 21
"""From which byte of a batch on its checksum counts."""
RECORDS_AT = HEADER_SIZE - CRC_COVERS

CODEC = 7
"""Bits of a batch's attributes: the codec,"""
TRANSACTIONAL = 0x10
"""part of a transaction,"""
REFUSED = 0x28
"""LogAppendTime or control: not the usual batch of a client."""
MOST_DELTA = 1 << 14
"""An offset delta of a batch that takes not long is below it."""
MAX_SEQUENCE = 2**31 - 1
"""After it comes 0."""
WINDOW = 5
"""Batches remembered per producer: what a client may have in flight and send again."""

MAX_RELATIVE = 2**31 - 1
"""The offsets of a segment reach at most this far above its base."""
UNKNOWN = -2
"""A timestamp that has not been looked up yet (-1 is Kafka's "none")."""
PLACES = 256
"""Of so many batches at the end it is known where they stand."""

LOOK = 16
"""After so many requests of one client in a row it is looked at the clock."""

ALL = -1
"""``acks``: all in sync."""
HEAD_SIZE = 8
"""Bytes of API key, version, correlation id."""
PARTITION_SIZE = 8
"""Bytes of a partition without records: its number and what says that there are none."""
NO_TAGS = 3
"""Zeros that end partition, topic and request where they are flexible."""
CREATE_TIME = -1
"""As append time of a batch: its records' own timestamps count."""

header = Struct(">qiibIhiqqqhii").unpack_from
"""The fields of the header of the batch v2 that begins at byte 0; at least 61 bytes are there."""

pair = Struct(">ii").unpack_from
"""Two numbers of 32 bits at ``(view, place)``; the bytes are there."""

_length = Struct(">i").unpack_from


def length(view: memoryview, place: int) -> int:
    """A number of 32 bits; the bytes are there."""
    found: int = _length(view, place)[0]
    return found


def api(view: memoryview) -> int:
    """The API key of a request, which is below 256."""
    return view[1]


_stamp = Struct(">qii").pack_into


def stamp(view: memoryview, first: int, length: int, leader_epoch: int) -> None:
    """Write base offset, length and leader epoch into the batch that begins at byte 0."""
    _stamp(view, 0, first, length, leader_epoch)


def covered(view: memoryview) -> bytes:
    """What the checksum of a batch covers."""
    return bytes(view[CRC_COVERS:])


checksum = crc32c
"""CRC-32C."""


def holds(view: memoryview, place: int, wanted: bytes) -> bool:
    """Whether these bytes stand at ``place``."""
    return view[place : place + len(wanted)] == wanted


def write(fd: int, data: bytes | bytearray | memoryview, start: int) -> int:
    """Write ``data`` from ``start`` on; how many bytes. Raises OSError."""
    return os.write(fd, memoryview(data)[start:] if start else data)


def end_of(fd: int) -> int:
    """Where the file ends that was just appended to. Raises OSError."""
    return os.lseek(fd, 0, os.SEEK_CUR)


def ends(view: memoryview, size: int) -> bool:
    """Whether ``view`` ends behind ``size`` bytes and three zeros."""
    return view[size:] == bytes(NO_TAGS)


def reply(frame: bytes, place: int, numbers: int, *values: int) -> bytes:
    """For :class:`~pykafka_ops.broker.hot.reply.ProduceReply`, which needs it compiled only."""
    raise NotImplementedError


def wall_clock() -> int:
    """ms since 1970."""
    return time.time_ns() // 1_000_000
