"""What ListOffsets asks: the offset that belongs to a time, or to an end of the log.

Counterpart of ``ReplicaManager.fetchOffset`` and ``Partition.fetchOffsetForTimestamp``.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.steps import FEW, STEP, Steps
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.time_search import FoundOffset
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5

ENDS = frozenset({LATEST, EARLIEST, EARLIEST_LOCAL, LATEST_TIERED})
"""Those that no record has to be looked at for."""
SINCE = {LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""The version of ListOffsets that brought each special timestamp."""

CONSUMER = -1
DEBUGGER = -2
"""Replica ids of readers that are no broker; the debugger also reads from followers."""

Found = tuple[int, int, int]
"""Timestamp (ms), offset, leader epoch; -1 each where there is none."""
NOTHING: Found = (-1, -1, -1)


class Lookup(NamedTuple):
    """Who asks for which time of a partition; ``epoch`` is the leader epoch it knows (-1: none).

    ``version`` is that of ListOffsets; 0 asks for the starts of at most ``most`` segments.
    """

    version: int

    topic: str
    partition: int
    timestamp: int
    epoch: int
    replica_id: int
    committed_only: bool
    most: int = 1


class Looked(NamedTuple):
    """What was found: ``found``, or ``starts`` by version 0; nothing where there is an error."""

    error: int = ErrorCode.NONE
    found: Found = NOTHING
    starts: list[int] | None = None


class OffsetLookup:
    """One per broker; ``clock()`` is the wall clock in ms."""

    def __init__(self, replicas: Replicas, image: MetadataImage, clock: Callable[[], int]) -> None:
        self._replicas = replicas
        self._image = image
        self._clock = clock

    def look_up(self, asked: Sequence[Lookup]) -> Steps[list[Looked]]:
        """As :meth:`find`, or :meth:`before` for version 0, for each, with the error code instead
        of an exception. From version 1 on a partition may be named once only."""
        places = [(each.topic, each.partition) for each in asked]
        twice: set[tuple[str, int]] = set()
        if len(set(places)) < len(places):
            twice = {place for place, count in Counter(places).items() if count > 1}
        found: list[Looked] = []
        for each in asked:
            if twice and each.version > 0 and (each.topic, each.partition) in twice:
                found.append(Looked(ErrorCode.INVALID_REQUEST))
            else:
                found.append(self._at_end(each) or (yield from self._look_up(each)))
            if len(found) >= FEW and not len(found) % STEP:
                yield None
        return found

    def _at_end(self, asked: Lookup) -> Looked | None:
        """An end of the log, which is known at once; None for other times."""
        if asked.version == 0 or asked.timestamp not in ENDS:
            return None
        try:
            _check_timestamp(asked)
            return Looked(found=_end(asked, self._partition(asked)))
        except Exception as error:
            return _failed(asked, error)

    def _look_up(self, asked: Lookup) -> Steps[Looked]:
        try:
            _check_timestamp(asked)
            if asked.version == 0:
                return Looked(starts=self.before(asked))
            found = yield from self.find(asked)
            return Looked(found=found)
        except Exception as error:
            return _failed(asked, error)

    def find(self, asked: Lookup) -> Steps[Found]:
        """The offset of a time (ms), or of an end of the log; in steps where it takes long.

        Raises KafkaError NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION,
        FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, KAFKA_STORAGE_ERROR, and OFFSET_NOT_AVAILABLE
        while a new leader does not know yet how far the partition is committed, if the answer
        depends on that.
        """
        found = yield from _find(asked, self._partition(asked))
        return found

    def before(self, asked: Lookup) -> list[int]:
        """Starts of the segments last written at or before a time, the newest first. Raises
        KafkaError as :meth:`find`."""
        return _offsets_before(asked, self._partition(asked).log, self._clock)

    def _partition(self, asked: Lookup) -> Partition:
        topic, index = asked.topic, asked.partition
        if asked.replica_id == DEBUGGER:
            hosted = self._replicas.find(topic, index)
            if hosted is not None:
                hosted.check_leader_epoch(asked.epoch)
                return hosted
        known = self._image.partition(topic, index) is not None
        return self._replicas.leader(topic, index, known=known, epoch=asked.epoch)


def _check_timestamp(asked: Lookup) -> None:
    version, timestamp = asked.version, asked.timestamp
    special = timestamp >= EARLIEST if version == 0 else version >= SINCE.get(timestamp, 99)
    if timestamp < 0 and not special:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


def _failed(asked: Lookup, error: Exception) -> Looked:
    if isinstance(error, KafkaError):
        return Looked(error.code)
    log.error("looking up %s-%d", asked.topic, asked.partition, exc_info=error)
    return Looked(ErrorCode.UNKNOWN_SERVER_ERROR)


def _end(asked: Lookup, partition: Partition) -> Found:
    """One of ``ENDS``."""
    if asked.timestamp == LATEST:
        bound = _readable_end(asked, partition.log)
        _check_committed(asked, partition)
        return -1, bound, partition.leader_epoch
    return NOTHING if asked.timestamp == LATEST_TIERED else partition.log.times.earliest()


def _find(asked: Lookup, partition: Partition) -> Steps[Found]:
    records, timestamp = partition.log, asked.timestamp
    if timestamp in ENDS:
        return _end(asked, partition)
    bound = _readable_end(asked, records)
    found: FoundOffset | None
    if timestamp == MAX_TIMESTAMP:
        found = yield from records.times.youngest()
        if found is not None and found.offset >= bound:
            found = None
    else:
        found = yield from records.times.first_since(timestamp, bound)
    if found is None:
        _check_committed(asked, partition)
        return NOTHING
    return found


def _readable_end(asked: Lookup, records: Log) -> int:
    """The offset the reader may read up to."""
    if asked.replica_id != CONSUMER:
        return records.log_end_offset
    if asked.committed_only:
        return records.last_stable_offset
    return records.high_watermark


def _check_committed(asked: Lookup, partition: Partition) -> None:
    behind = partition.log.high_watermark < partition.leader_epoch_start
    if asked.replica_id == CONSUMER and behind:
        raise KafkaError(ErrorCode.OFFSET_NOT_AVAILABLE)


def _offsets_before(asked: Lookup, records: Log, clock: Callable[[], int]) -> list[int]:
    """Clients see nothing above the high watermark."""
    segments = records.segments
    starts = [max(segment.base_offset, records.log_start_offset) for segment in segments]
    if segments[-1].size:
        starts.append(records.log_end_offset)
    last = len(starts) - 1
    if asked.timestamp == EARLIEST:
        last = 0
    elif asked.timestamp != LATEST:
        times = [s.files.info(s.path(".log")).modified_ms for s in segments]
        times.append(clock())
        old = [n for n in range(len(starts)) if times[n] <= asked.timestamp]
        last = max(old, default=-1)
    offsets = sorted(starts[: last + 1], reverse=True)[: max(asked.most, 0)]
    high_watermark = records.high_watermark
    if asked.replica_id == CONSUMER and offsets and offsets[0] > high_watermark:
        offsets = [high_watermark, *(o for o in offsets if o <= high_watermark)]
    return offsets
