"""Produce requests with batches for one topic, straight from their bytes to the log.

What requests of a :class:`ProducePath` have in common is known: API, version, client, acks, timeout
and topic. :meth:`ProducePath.find` compares the bytes and reads what differs: correlation id,
partition, records. :meth:`TopicPath.append` appends the records. It declines (None) and leaves
everything as it was where

* this broker does not lead the partition, or nobody has used its log yet,
* acks=all has to wait for followers, or the topic wants records flushed first (``owed``),
* the batch is not the usual one, or something is due before it (:mod:`append`).

Then the ordinary code appends them. A write that fails is not declined: a part of the batch may be
in the file, which is to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any

from pykafka_ops.broker.hot.append import TRANSACTIONAL, checked, is_due, write
from pykafka_ops.broker.hot.heads import PartitionHead
from pykafka_ops.errors import WireError
from pykafka_ops.wire.varint import read_varint

FLEXIBLE = 9
"""First version with compact lengths and tagged fields."""

ZSTD_FROM = 7
"""Since which one that has record batches they may be of zstd (KIP-110)."""

HEAD = Struct(">ii")
"""API key and version as one number, correlation id; or partition and size of its records."""
HEAD_SIZE = 8
PARTITION_SIZE = 8
"""Bytes of the partition without records: its number and what says that there are none."""
NO_TAGS = bytes(3)
"""Ends partition, topic and request where they are flexible."""
ALL = -1

_unpack = HEAD.unpack_from
_CODEC = 7
_LZ4, _ZSTD = 3, 4

FoundBatch = tuple[int, int, int, int]
"""What differs between requests: correlation id, partition, first and last + 1 byte of the
records."""


class WriteFailedError(Exception):
    """A batch that was to stand at ``position`` of the active segment could not be written, or not
    all of it; ``__cause__`` says why."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class TopicPath:
    """Appends to partitions of a topic, for requests of one version and ``acks``; ``has_id`` says
    that they name a transactional id. ``clock()`` is the wall clock in ms; ``appended(key)`` wakes
    who waits for records of a partition."""

    __slots__ = ("_acks", "_appended", "_clock", "_has_id", "_known", "_most_codec")

    def __init__(
        self,
        version: int,
        acks: int,
        *,
        has_id: bool,
        clock: Callable[[], int],
        appended: Callable[[tuple[str, int]], None],
    ) -> None:
        self._acks = acks
        self._most_codec = _LZ4 if 3 <= version < ZSTD_FROM else _ZSTD
        self._has_id = has_id
        self._clock = clock
        self._appended = appended
        self._known: dict[int, PartitionHead] = {}

    def look_up(self, index: int) -> PartitionHead | None:
        """The partition of the topic, if it is hosted here."""
        raise NotImplementedError

    def append(self, index: int, records: memoryview) -> tuple[int, int, int] | None:
        """First and last offset of the batch, and log start offset; None, and nothing is done,
        where the ordinary code has to append it. Raises WriteFailedError."""
        partition = self._known.get(index) or self._meet(index)
        if partition is None:
            return None
        if partition.leader != partition.local_id or partition.used_log is None:
            self._known.clear()  # it may be another one next time
            return None
        if self._acks == ALL and (partition.in_sync is not None or not partition.isr):
            return None
        tail = partition.used_log.tail
        epoch = partition.leader_epoch
        active = tail.active
        if active is None or tail.owed >= 0 or epoch != tail.latest_epoch:
            return None
        fields = checked(tail, records)
        if fields is None or is_due(tail, active, fields) or self._clock() >= tail.look_at:
            return None
        flags = fields[5]
        if flags & _CODEC > self._most_codec or (flags & TRANSACTIONAL and not self._has_id):
            return None
        position = active.size
        try:
            first = write(tail, active, records, fields, epoch)
        except Exception as error:
            raise WriteFailedError(position) from error
        meter = partition.meter
        meter.produces += 1
        meter.bytes_in += len(records)
        meter.messages_in += fields[12]
        if partition.in_sync is not None:
            partition.advance_high_watermark()
        elif tail.first_unstable < 0:
            tail.high_watermark = tail.end
        else:
            tail.move_high_watermark(tail.end)
        self._appended(partition.key)
        return first, tail.end - 1, tail.start

    def _meet(self, index: int) -> PartitionHead | None:
        partition = self.look_up(index)
        if partition is not None:
            self._known[index] = partition
        return partition


class ProducePath(TopicPath):
    """Requests of one shape for one partition: ``head`` are their bytes from behind the correlation
    id to before the partition, ``key`` the number that API and version are."""

    __slots__ = ("_end", "_head", "_key", "_version")

    def __init__(self, key: int, head: bytes, version: int, acks: int, **more: Any) -> None:
        super().__init__(version, acks, **more)
        self._key = key
        self._head = head
        self._end = HEAD_SIZE + len(head)
        self._version = version

    def find(self, frame: memoryview) -> FoundBatch | None:
        """What the request has; None if it has another shape."""
        key, correlation_id = _unpack(frame)
        at, size = self._end, len(frame)
        if key != self._key or size < at + PARTITION_SIZE or frame[HEAD_SIZE:at] != self._head:
            return None
        index, length = _unpack(frame, at)
        start = at + PARTITION_SIZE
        if self._version >= FLEXIBLE:
            length, start = frame[at + 4], at + 5
            if length > 127:
                try:
                    length, start = read_varint(frame, at + 4)
                except (IndexError, WireError):
                    return None
            length -= 1
            size -= len(NO_TAGS)
            if frame[size:] != NO_TAGS:
                return None
        if length < 0 or start + length != size:
            return None
        return correlation_id, index, start, size
