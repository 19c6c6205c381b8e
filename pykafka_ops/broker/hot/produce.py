"""Produce requests with batches for one topic, straight from their bytes to the log.

What requests of a :class:`ProducePath` have in common is known: API, version, client, acks, timeout
and topic. :meth:`ProducePath.find` compares the bytes and reads what differs: correlation id,
partition, records. :meth:`TopicPath.append` appends the records. It declines (None) and leaves
everything as it was where

* this broker does not lead the partition, or nobody has used its log yet,
* too few replicas are in sync for acks=all, or the topic wants records flushed first (``owed``),
* the batch is not the usual one, or something is due before it (:mod:`append`).

Then the ordinary code appends them. A write that fails is not declined: a part of the batch may be
in the file, which is to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.append import is_due, is_usual, settle, write
from pykafka_ops.broker.hot.heads import LogHead, PartitionHead, SegmentHead, TailHead, WakeHead
from pykafka_ops.broker.hot.raw import wall_clock  # the object; compiled, ``at`` has a function
from pykafka_ops.broker.hot.reply import ProduceReply
from pykafka_ops.broker.hot.serving import Shape

FLEXIBLE = 9
"""First version with compact lengths and tagged fields."""

ZSTD_FROM = 7
"""Since which one that has record batches they may be of zstd (KIP-110)."""

_LZ4, _ZSTD = 3, 4


class WriteFailedError(Exception):
    """A batch that was to stand at ``position`` of the active segment could not be written, or not
    all of it; ``__cause__`` says why."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class TopicPath(Shape):
    """Appends to partitions of a topic, for requests of one version and ``acks``; ``has_id`` says
    that they name a transactional id. ``clock()`` is the wall clock in ms; ``wake`` knows who waits
    for records."""

    __slots__ = ("_clock", "_has_id", "_known", "_most_codec", "_wake", "_wall", "acks")

    def __init__(
        self,
        version: int,
        acks: int,
        has_id: bool,
        clock: Callable[[], int],
        wake: WakeHead,
    ) -> None:
        self.acks = acks
        self._most_codec = _LZ4 if 3 <= version < ZSTD_FROM else _ZSTD
        self._has_id = has_id
        self._clock = clock
        self._wall = clock is wall_clock
        self._wake = wake
        self._known: dict[int, PartitionHead] = {}

    def look_up(self, index: int) -> PartitionHead | None:
        """The partition of the topic, if it is hosted here."""
        raise NotImplementedError

    def append(self, index: int, records: memoryview) -> tuple[int, int, int, int] | None:
        """First and last offset of the batch, log start offset and high watermark; None, and
        nothing is done, where the ordinary code has to append it. Raises WriteFailedError."""
        done = self.put(index, records, 0, records)
        return None if done[0] < 0 else done

    def put(
        self, index: int, data: memoryview, start: int, room: memoryview
    ) -> tuple[int, int, int, int]:
        """As :meth:`append`, but -1 for None; ``room`` is the batch, at ``start`` of ``data``."""
        partition: PartitionHead | None = self._found(index)
        if partition is None or len(room) < at.HEADER_SIZE:
            return (-1, -1, -1, -1)
        log: LogHead | None = partition.used_log
        assert log is not None
        tail: TailHead = log.tail
        active: SegmentHead | None = tail.active
        epoch = partition.leader_epoch
        if active is None or tail.owed >= 0 or epoch != tail.latest_epoch:
            return (-1, -1, -1, -1)
        fields = at.header(room)
        flags = fields[5]
        if flags & at.CODEC > self._most_codec or (flags & at.TRANSACTIONAL and not self._has_id):
            return (-1, -1, -1, -1)
        try:
            if not is_usual(tail, data, start, room, fields) or is_due(tail, active, fields):
                return (-1, -1, -1, -1)
        except OverflowError:  # numbers that nobody sends
            return (-1, -1, -1, -1)
        now = at.wall_clock() if self._wall else self._clock()
        if now >= tail.look_at:
            return (-1, -1, -1, -1)
        position = active.size
        try:
            first = write(tail, active, room, fields, epoch)
        except Exception as error:
            raise WriteFailedError(position) from error
        settle(partition, tail, self._wake, len(room), fields[12])
        return first, tail.end - 1, tail.start, tail.high_watermark

    def _found(self, index: int) -> PartitionHead | None:
        """The partition, if this broker leads it, its log is in use, and enough are in sync."""
        partition: PartitionHead | None = self._known.get(index)
        if partition is None:
            partition = self.look_up(index)
            if partition is None:
                return None
            self._known[index] = partition
        if partition.leader != partition.local_id or partition.used_log is None:
            self._known.clear()  # it may be another one next time
            return None
        if self.acks == at.ALL and not (
            partition.isr if partition.in_sync is None else partition.enough_in_sync()
        ):
            return None
        return partition


class ProducePath(TopicPath):
    """Requests of one shape for one partition: ``head`` are their bytes from behind the correlation
    id to before the partition, ``key`` the number that API and version are."""

    __slots__ = ("_end", "_flexible", "_head", "_reply")

    def __init__(
        self, key: int, head: bytes, version: int, acks: int, reply: ProduceReply, *more: Any
    ) -> None:
        super().__init__(version, acks, *more)
        self.key = key
        self._head = head
        self._end = at.HEAD_SIZE + len(head)
        self._flexible = version >= FLEXIBLE
        self._reply = reply

    def fits(self, frame: memoryview) -> bool:
        """Whether the request has this shape."""
        return self._find(frame)[2] > 0

    def answer(self, frame: memoryview) -> object:
        return self.answer_in(frame, 0, frame)

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        correlation_id, index, first, end = self._find(room)
        if not first:
            return None
        try:
            done = self.put(index, data, start + first, room[first:end])
        except WriteFailedError as failure:
            return self.failed(index, data[start + first : start + end], failure)
        if done[0] < 0:
            return self.declined(correlation_id, index, data[start + first : start + end])
        if not self.acks:
            return b""
        answer = self._reply.pack(correlation_id, index, done[0], done[2])
        if self.acks == at.ALL and done[3] <= done[1]:
            return self.waits(index, done[1] + 1, answer)
        return answer

    def declined(self, correlation_id: int, index: int, records: memoryview) -> object:
        """The answer where the ordinary code has to append the batch."""
        raise NotImplementedError

    def waits(self, index: int, required: int, answer: bytes) -> object:
        """The promise of the answer, once all in sync have what stands below ``required``."""
        raise NotImplementedError

    def failed(self, index: int, records: memoryview, failure: WriteFailedError) -> object:
        """The answer where the batch could not be written."""
        raise NotImplementedError

    def _find(self, frame: memoryview) -> tuple[int, int, int, int]:
        """What the request has: correlation id, partition, first and last + 1 byte of the records;
        zeros if it has another shape."""
        place, size = self._end, len(frame)
        if size < place + at.PARTITION_SIZE:
            return (0, 0, 0, 0)
        key, correlation_id = at.pair(frame, 0)
        if key != self.key or not at.holds(frame, at.HEAD_SIZE, self._head):
            return (0, 0, 0, 0)
        index, length = at.pair(frame, place)
        start = place + at.PARTITION_SIZE
        if self._flexible:
            length, start = length_at(frame, place + 4)
            size -= at.NO_TAGS
            if not start or not at.ends(frame, size):
                return (0, 0, 0, 0)
        if length < 0 or start + length != size:
            return (0, 0, 0, 0)
        return correlation_id, index, start, size


def length_at(frame: memoryview, place: int) -> tuple[int, int]:
    """A compact length, and where it ends; 0 for that where it is none of up to four bytes."""
    number, shift = 0, 0
    while shift < 28 and place < len(frame):
        byte = frame[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number - 1, place
        shift += 7
    return -1, 0
