"""Fetch requests for a few partitions, straight from their bytes to the records.

What requests of a :class:`FetchPath` have in common is known: API, version, client, replica,
limits, isolation level, rack. :meth:`FetchPath.find` compares those bytes and reads what differs:
correlation id, session, partitions. :meth:`FetchPath.look` reads the partitions, and changes
nothing. It declines (None) where

* a partition is not here, not led here as the client believes, or nobody has used its log yet,
* its offset is out of range, or its history differs from the client's,
* records are not in the page cache, or aborted transactions are among them.

Then the ordinary code serves the request.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from struct import error as struct_error
from typing import Any

from pykafka_ops.broker.hot.heads import LogHead, PartitionHead, TailHead
from pykafka_ops.broker.hot.raw import HEAD_SIZE, pair
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.wire.fetch_partitions import IDS_FROM, NOWHERE, Asked, FetchPartitions, Key
from pykafka_ops.wire.types import ZERO_UUID

SESSIONS_FROM = 7
READERS_FROM = 11
"""Since which one consumers may read from followers (KIP-392)."""
MOST_PARTITIONS = 512
"""Of one request; more are served in steps."""
AT_ONCE = 64 * 1024
"""Bytes of records that are copied into the answer."""

FoundFetch = tuple[int, int, int, list[Asked]]
"""What differs between requests: correlation id, session id and epoch, partitions."""
Read = tuple[Key, Any, Any, int, int, int, bool, int, Any]
"""Of a partition: key, what is wanted (``CachedPartition``), the partition, high watermark, last
stable offset, log start, whether there is nothing more to read, bytes of records, records."""


class FetchPath(Shape):
    """Reads for requests of one version and ``follower`` (negative: a consumer). ``hosted(key)``
    finds a partition. ``head`` are their bytes from behind the correlation id to before the session
    or the partitions, ``foot`` those behind the partitions."""

    __slots__ = (
        "_asked", "_by_id", "_committed", "_end", "_foot", "_head", "_hosted", "_version",
        "follower", "is_checked",
    )  # fmt: skip

    def __init__(
        self,
        version: int,
        marks: tuple[int, bytes, bytes],
        *,
        follower: int,
        committed: bool,
        hosted: Callable[[tuple[str, int]], Any],
    ) -> None:
        self._version = version
        self._asked = FetchPartitions(version, MOST_PARTITIONS)
        self._by_id = version >= IDS_FROM
        self.key, self._head, self._foot = marks
        self._end = HEAD_SIZE + len(self._head)
        self.follower = follower
        self._committed = committed
        self._hosted = hosted
        self.is_checked = True
        """Whether :meth:`may_read` has something to say."""

    # -- the request -------------------------------------------------------------------------------

    def find(self, frame: memoryview) -> FoundFetch | None:
        """What the request has; None if it has another shape."""
        key, correlation_id = pair(frame)
        at, foot = self._end, self._foot
        end = len(frame) - len(foot)
        if key != self.key or end <= at or frame[HEAD_SIZE:at] != self._head:
            return None
        if foot and frame[end:] != foot:
            return None
        session_id, epoch = 0, NOWHERE
        try:
            if self._version >= SESSIONS_FROM:
                session_id, epoch = pair(frame, at)
                at += HEAD_SIZE
            asked, at = self._asked.read(frame, at)
        except (struct_error, IndexError, UnicodeDecodeError, WireError):
            return None
        return None if at != end else (correlation_id, session_id, epoch, asked)

    # -- the records -------------------------------------------------------------------------------

    def may_read(self, partition: Any, wanted: Any) -> bool:
        """What else has to be right; False leaves it to the ordinary code."""
        raise NotImplementedError

    def is_same_history(self, log: Any, wanted: Any) -> bool:
        """Whether records up to ``fetch_offset`` are those that the client has (KIP-595)."""
        raise NotImplementedError

    def look(self, partitions: Iterable[tuple[Key, Any]], left: int) -> list[Read] | None:
        """Read them, at most ``left`` bytes; None where the ordinary code has to."""
        found: list[Read] = []
        any_read = False
        try:
            for key, wanted in partitions:
                read = self._look_at(key, wanted, left, any_read)
                if read is None:
                    return None
                found.append(read)
                left -= read[7]
                any_read = any_read or read[7] > 0
        except (KafkaError, OSError):
            return None
        return found

    def _look_at(self, key: Key, wanted: Any, left: int, any_read: bool) -> Read | None:
        partition: PartitionHead | None = self._readable(wanted)
        if partition is None:
            return None
        log: LogHead | None = partition.used_log
        assert log is not None
        tail: TailHead = log.tail
        start, high_watermark, offset = tail.start, tail.high_watermark, wanted.fetch_offset
        stable = tail.first_unstable
        if stable < 0 or stable >= high_watermark:
            stable = high_watermark
        elif stable < start:
            stable = start
        bound = stable if self._committed else high_watermark
        if self.follower >= 0:
            bound = tail.end
        if offset >= bound:
            return (key, wanted, partition, high_watermark, stable, start, True, 0, None)
        size, data = 0, None
        if left > 0 or not any_read:
            records = self._records(log, offset, bound, min(wanted.max_bytes, left), any_read)
            if records is None:
                return None
            size, data = records
        return (key, wanted, partition, high_watermark, stable, start, False, size, data)

    def _readable(self, wanted: Any) -> PartitionHead | None:
        """The partition, if all is as its reader believes."""
        partition: PartitionHead | None = self._hosted((wanted.topic, wanted.index))
        if partition is None:
            return None
        epoch, log = wanted.current_leader_epoch, partition.used_log
        if log is None or (epoch >= 0 and epoch != partition.leader_epoch):
            return None
        leader = partition.leader
        if leader != partition.local_id and (
            leader < 0 or self.follower >= 0 or self._version < READERS_FROM
        ):
            return None
        tail: TailHead = log.tail
        start, end, offset = tail.start, tail.end, wanted.fetch_offset
        if tail.active is None or tail.high_watermark < 0 or not start <= offset <= end:
            return None
        last = wanted.last_fetched_epoch
        if last >= 0 and last != tail.latest_epoch and not self.is_same_history(log, wanted):
            return None
        if self._by_id and partition.topic_id not in (ZERO_UUID, wanted.topic_id):
            return None
        return None if self.is_checked and not self.may_read(partition, wanted) else partition

    def _records(
        self, log: Any, offset: int, bound: int, most: int, any_read: bool
    ) -> tuple[int, Any] | None:
        """Bytes and records from the batch that holds ``offset`` on, below ``bound``; None if they
        have to be waited for."""
        tail: TailHead = log.tail
        active, offsets, positions = tail.active, tail.offsets, tail.positions
        n = bisect_right(offsets, offset)
        if n and active is not None:
            place, end = positions[n - 1], active.size
            if bound < tail.end:
                end = positions[bisect_right(offsets, bound) - 1]
            size = end - place
            if size <= 0:
                return 0, None
            if size <= most and size <= AT_ONCE:
                file: Any = active.log_file
                data = None if file is None else file.read_cached(size, place)
                if data is None or (self._committed and log.aborted_transactions(offset, bound)):
                    return None
                return size, data
        found = log.read(
            offset, max(most, 0), up_to=bound, min_one_message=not any_read, cached_only=True
        )
        size = found.size
        if not size or (found.first_batch_cut and any_read):
            return 0, None
        if found.cold is not None:
            return None
        if self._committed and log.aborted_transactions(offset, found.next_offset):
            return None
        return size, found.parts
