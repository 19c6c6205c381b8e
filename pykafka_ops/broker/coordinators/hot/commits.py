"""Commits of the same partitions of a group, again and again, from their bytes to the log.

A consumer commits the same partitions every few seconds. Requests of a :class:`CommitPath` differ
in correlation id, generation, offsets and leader epochs, and so does the batch that is written,
which is ready but for those, times and checksum. Where the partition has followers, the runtime
waits for them as for any other batch of a shard. The path leaves a commit to the ordinary code, and
nothing is done, where

* the coordinator is not here, or this broker does not lead the partition,
* the group or the member is not what the commit says, or the offsets were not committed before,
* too few replicas are in sync, the disk has to be waited for, or something is due before that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pykafka_ops.broker.coordinators.hot.raw as at
from pykafka_ops.broker.coordinators.hot.members import MemberPath
from pykafka_ops.broker.hot.append import is_due, settle, write
from pykafka_ops.broker.hot.heads import LogHead, PartitionHead, SegmentHead, TailHead, WakeHead
from pykafka_ops.broker.hot.raw import wall_clock  # the object; compiled, ``at`` has a function
from pykafka_ops.broker.state.groups.records import NEVER, OffsetAndMetadata

_NO_EPOCH = -1
_EPOCH = 8
"""Where the leader epoch stands behind the beginning of an offset."""
_new = tuple.__new__


class CommitPath(MemberPath):
    """Commits of one shape, once it is told of :meth:`prepare`."""

    __slots__ = (
        "_batch", "_clock", "_empty", "_has_epochs", "_images", "_length", "_names", "_notes",
        "_offsets", "_pattern", "_places", "_times", "_values", "_wake", "_wall",
    )  # fmt: skip

    def prepare(
        self,
        places: list[tuple[str, int]],
        notes: list[str],
        request: tuple[bytes, bytes, list[int], bool],
        batch: tuple[bytearray, list[int], list[int]],
        log: tuple[Callable[[], int], WakeHead, object],
    ) -> None:
        """Commits of ``places``, with ``notes``.

        ``request``: the bytes of one with zeros where others differ, a mask with ones for all that
        does not, where the offsets stand, and whether a leader epoch follows each. ``batch``: its
        bytes, and of each place where offset and leader epoch stand, and where the time. ``log``:
        the wall clock (ms), who waits for records, the state of groups without members.
        """
        self._places, self._notes = places, notes
        zeros, mask, self._offsets, self._has_epochs = request
        self._pattern, self._size = at.pattern(zeros, mask), len(zeros)
        self._batch = memoryview(batch[0])
        self._length = len(batch[0])
        self._values, self._times = batch[1:]
        self._clock, self._wake, self._empty = log
        self._wall = self._clock is wall_clock
        self._names = list(dict.fromkeys(topic for topic, _ in places))
        self._images: list[Any] = []

    # -- what is not as usual ----------------------------------------------------------------------

    def ordinary(self, frame: memoryview) -> object:
        """The answer by the ordinary code, None if the coordinator is not here any more."""
        raise NotImplementedError

    def may_commit(self, slot: Any, group: Any, generation: int) -> bool:
        """Whether the member may commit now; it lives, too, then."""
        raise NotImplementedError

    def failed(self, slot: Any, position: int, error: OSError) -> object:
        """The answer where the batch, at ``position``, could not be written."""
        raise NotImplementedError

    def replicated(
        self, slot: Any, kept: Any, made: list[OffsetAndMetadata], frame: memoryview
    ) -> object:
        """The answer, or the promise of it, where followers have to have the batch first."""
        raise NotImplementedError

    # -- the request -------------------------------------------------------------------------------

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        if not self._fits_in(room) or not self._are_there():
            return None
        slot = self._loaded()
        if slot is not None:
            answer = self._commit(slot, data, start, room)
            if answer is not None:
                return answer
        return self.ordinary(data[start : start + self._size])

    def _fits_in(self, room: memoryview) -> bool:
        return len(room) == self._size and at.fits(room, self._pattern)

    def _are_there(self) -> bool:
        """Whether all partitions exist."""
        topics, images = self._topics, self._images
        for number, name in enumerate(self._names):
            if not images or topics.get(name) is not images[number]:
                return self.look_again()
        return True

    def look_again(self) -> bool:
        """The same, where topics are not those of the last time."""
        known, self._images = self._topics, []
        for topic, index in self._places:
            if topic not in known or index not in known[topic].partitions:
                return False
        self._images = [known[name] for name in self._names]
        return True

    # -- the commit --------------------------------------------------------------------------------

    def _commit(self, slot: Any, data: memoryview, start: int, room: memoryview) -> object:
        """The answer; None, and nothing is done, where the ordinary code has to commit."""
        shard, partition = slot.shard, slot.partition
        groups: dict[str, Any] = shard.groups
        every: dict[str, Any] = shard.offsets
        group, kept = groups.get(self._group_id), every.get(self._group_id)
        if group is None or kept is None or not self._may_append(slot, partition):
            return None
        now = at.wall_clock() if self._wall else self._clock()
        log: LogHead = partition.used_log
        tail: TailHead = log.tail
        active: SegmentHead | None = tail.active
        count, length = len(self._places), self._length
        fields = (0, length - 12, -1, 2, 0, 0, count - 1, now, now, -1, -1, -1, count)
        if active is None or now >= tail.look_at or is_due(tail, active, fields):
            return None
        committed: dict[Any, Any] = kept.committed
        made = self._made(committed, room, now, tail.end)
        if made is None or not self._may_commit(slot, group, at.length(room, self._place)):
            return None
        batch = self._batch
        at.put_times(batch, now)
        at.put_checksum(batch)
        position = active.size
        try:
            write(tail, active, batch, fields, partition.leader_epoch)
        except OSError as error:
            return self.failed(slot, position, error)
        settle(partition, tail, self._wake, length, count)
        if partition.in_sync is not None:
            return self.replicated(slot, kept, made, data[start : start + self._size])
        for number, place in enumerate(self._places):
            committed[place] = made[number]
        return at.answered(self._reply, room)

    def _may_append(self, slot: Any, partition: PartitionHead) -> bool:
        """Whether the batch can be appended, and counts at once or when followers have it."""
        log: LogHead | None = partition.used_log
        if log is None or partition.leader != partition.local_id:
            return False
        tail: TailHead = log.tail
        if partition.in_sync is not None:
            if not partition.enough_in_sync():
                return False
        elif not partition.isr or slot.inflight or tail.high_watermark != tail.end:
            return False
        return (
            tail.owed < 0
            and partition.leader_epoch == tail.latest_epoch
            and self._length <= tail.own_bytes
        )

    def _may_commit(self, slot: Any, group: Any, generation: int) -> bool:
        if group.state is self._empty and generation < 0:
            return True  # consumers that share their partitions out by themselves
        return self._lives(group, generation) or self.may_commit(slot, group, generation)

    def _made(
        self, known: dict[Any, Any], room: memoryview, now: int, position: int
    ) -> list[Any] | None:
        """What is kept from now on; it is in the batch, too. None if it takes more memory than
        what it replaces."""
        made: list[Any] = []
        batch, values, times, offsets = self._batch, self._values, self._times, self._offsets
        notes, epoch = self._notes, _NO_EPOCH
        for number, place in enumerate(self._places):
            before, note = known.get(place), notes[number]
            if before is None or len(before[2]) != len(note):
                return None
            where = offsets[number]
            offset = at.long_at(room, where)
            if self._has_epochs:
                epoch = at.length(room, where + _EPOCH)
            at.put_value(batch, values[number], offset, epoch)
            at.put_time(batch, times[number], now)
            made.append(_new(OffsetAndMetadata, (offset, epoch, note, now, NEVER, position)))
        return made
