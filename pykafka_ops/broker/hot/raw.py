"""What the path does with single bytes beyond ``compiled.raw``, and what it asks of the system.

Compiled, ``raw.pxd`` has functions of C for the same names; this file is left out then.
"""

from __future__ import annotations

import os
import time

import pykafka_ops.compiled.raw as base

Fields = base.Fields
CODEC = base.CODEC
COMPILED = base.COMPILED
HEADER_SIZE = base.HEADER_SIZE
RECORDS_AT = base.RECORDS_AT
TRANSACTIONAL = base.TRANSACTIONAL
checksum = base.checksum
covered = base.covered
header = base.header
holds = base.holds
length = base.length
pair = base.pair
plus = base.plus
record = base.record
stamp = base.stamp

REFUSED = 0x28
"""Attributes of a batch that is not the usual one of a client: LogAppendTime, control."""
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


def api(view: memoryview) -> int:
    """The API key of a request, which is below 256."""
    return view[1]


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


def monotonic_clock() -> float:
    """Monotonic ms."""
    return time.monotonic_ns() / 1e6
