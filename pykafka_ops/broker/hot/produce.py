"""A Produce request that looks like one before, with one batch for one partition, straight through.

What all requests of a :class:`ProducePath` have in common is known: API, version, client, acks,
timeout and topic. :meth:`ProducePath.find` compares the bytes and reads what differs: correlation
id, partition, records. :meth:`ProducePath.serve` appends the records and packs the answer. It
declines (None) and leaves everything as it was where

* the request has another shape, or more to it than one batch,
* this broker does not lead the partition, or nobody has used its log yet,
* acks=all has to wait for followers, or the topic wants records flushed first (``owed``),
* the batch is not the usual one, or something is due before it (:mod:`append`).

Then the ordinary code serves the request. A write that fails is not declined: a part of the batch
may be in the file, which :meth:`ProducePath.write_failed` takes back.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any, Protocol

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


class ProduceReply(Protocol):
    """The answer to an append that went well."""

    def pack(
        self, correlation_id: int, index: int, base_offset: int, log_start_offset: int, /
    ) -> bytes:
        """Its frame, for a topic with CreateTime."""


class ProducePath:
    """Requests of one shape: ``head`` are their bytes from behind the correlation id to before the
    partition, ``key`` the number that API and version are; ``has_id`` says that they name a
    transactional id. ``clock()`` is the wall clock in ms;
    ``appended(key)`` wakes who waits for records of a partition."""

    __slots__ = (
        "_acks",
        "_appended",
        "_clock",
        "_end",
        "_has_id",
        "_head",
        "_key",
        "_known",
        "_most_codec",
        "_reply",
        "_version",
    )

    def __init__(
        self,
        key: int,
        head: bytes,
        version: int,
        acks: int,
        *,
        has_id: bool,
        reply: ProduceReply,
        clock: Callable[[], int],
        appended: Callable[[tuple[str, int]], None],
    ) -> None:
        self._key = key
        self._head = head
        self._end = HEAD_SIZE + len(head)
        self._version = version
        self._acks = acks
        self._most_codec = _LZ4 if 3 <= version < ZSTD_FROM else _ZSTD
        self._has_id = has_id
        self._reply = reply
        self._clock = clock
        self._appended = appended
        self._known: dict[int, PartitionHead] = {}

    def look_up(self, index: int) -> PartitionHead | None:
        """The partition of the topic, if it is hosted here."""
        raise NotImplementedError

    def write_failed(
        self, found: FoundBatch, frame: memoryview, position: int, error: Exception
    ) -> Any:
        """The answer after the batch that was to stand at ``position`` could not be written."""
        raise NotImplementedError

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

    def serve(self, found: FoundBatch, frame: memoryview) -> Any:
        """The answer's frame (empty with acks=0), or what ``write_failed`` gave; None, and nothing
        is done, where the ordinary code has to serve the request."""
        correlation_id, index, start, end = found
        partition = self._known.get(index) or self._meet(index)
        if partition is None:
            return None
        if partition.leader != partition.local_id or partition.used_log is None:
            self._known.clear()  # it may be another one next time
            return None
        acks = self._acks
        if acks == ALL and (partition.in_sync is not None or not partition.isr):
            return None
        tail = partition.used_log.tail
        epoch = partition.leader_epoch
        active = tail.active
        if active is None or tail.owed >= 0 or epoch != tail.latest_epoch:
            return None
        records = frame[start:end]
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
            return self.write_failed(found, frame, position, error)
        meter = partition.meter
        meter.produces += 1
        meter.bytes_in += end - start
        meter.messages_in += fields[12]
        if partition.in_sync is not None:
            partition.advance_high_watermark()
        elif tail.first_unstable < 0:
            tail.high_watermark = tail.end
        else:
            tail.move_high_watermark(tail.end)
        self._appended(partition.key)
        return self._reply.pack(correlation_id, index, first, tail.start) if acks else b""

    def _meet(self, index: int) -> PartitionHead | None:
        partition = self.look_up(index)
        if partition is not None:
            self._known[index] = partition
        return partition
