"""Markers that end transactions: written to logs led here, and sent to the other leaders.

Counterparts: ``KafkaApis.handleWriteTxnMarkersRequest``, ``TransactionMarkerChannelManager``,
``TransactionMarkerRequestCompletionHandler``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pykafka_ops.broker.coordinators.runtime import Coordinator
from pykafka_ops.broker.coordinators.slot import Slot
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without transactions loads none of it
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition
    from pykafka_ops.broker.state.transactions.shard import Completion, TransactionShard

log = logging.getLogger("kafka.coordinator.transaction.TransactionMarkerChannelManager")

RETRY_MS = 100.0
AT_ONCE = 100
"""Markers of one transaction written before clients get a turn."""

AGAIN = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
)
"""Errors that pass: the marker is sent again, to the leader of that moment."""

Done = Callable[[ErrorCode], object]


class TxnMarker(NamedTuple):
    """How a producer's transaction ended, and the epoch of the coordinator that says so."""

    producer_id: int
    epoch: int
    coordinator_epoch: int
    committed: bool


class MarkerWriter(Protocol):
    """Where the markers of one leader go."""

    def write(self, marker: TxnMarker, partition: TopicPartition, done: Done) -> None:
        """Write it to one partition; ``done`` is called once, maybe before this returns."""


@dataclass(slots=True, eq=False)
class LocalMarkers:
    """Writes markers to the partitions this broker leads, as with acks=all.

    ``on_marker(topic, index, producer_id, offset, committed)`` is called for each committed marker;
    ``timeout_ms()`` bounds the wait for replicas (``request.timeout.ms``).
    """

    replicas: Replicas
    _: KW_ONLY
    clock: Callable[[], int]
    timer: Callable[[], float]
    timeout_ms: Callable[[], int]
    on_marker: Callable[[str, int, int, int, bool], None]

    def write(self, marker: TxnMarker, partition: TopicPartition, done: Done) -> None:
        """Append, and call ``done`` when the marker is committed or with Kafka's error."""
        try:
            hosted = self.replicas.find(*partition)
            if hosted is None:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            offset = self._append(marker, hosted)
        except KafkaError as error:
            if error.code not in AGAIN:
                log.warning("marker for %s-%d: %s", *partition, error)
            done(ErrorCode.of(error.code))
            return
        except Exception:
            log.exception("writing a marker to %s-%d failed", *partition)
            done(ErrorCode.UNKNOWN_SERVER_ERROR)
            return
        code = _standing(hosted, offset)
        if code is ErrorCode.REQUEST_TIMED_OUT:
            self._wait(hosted, marker, offset, done)
        else:
            self._finish(hosted, marker, offset, code, done)

    def _append(self, marker: TxnMarker, hosted: Partition) -> int:
        if not hosted.is_leader:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if not hosted.enough_in_sync():
            raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
        now = self.clock()
        kind = ControlType.COMMIT if marker.committed else ControlType.ABORT
        batch = build_marker(
            EndTxnMarker(kind, marker.coordinator_epoch),
            timestamp=now,
            producer_id=marker.producer_id,
            producer_epoch=marker.epoch,
        )
        info = self.replicas.append(hosted, memoryview(batch), now=now, origin=Origin.COORDINATOR)
        return info.last_offset

    def _wait(self, hosted: Partition, marker: TxnMarker, offset: int, done: Done) -> None:
        def ready() -> bool:
            return _standing(hosted, offset) is not ErrorCode.REQUEST_TIMED_OUT

        def finish(expired: bool) -> None:
            self._finish(hosted, marker, offset, _standing(hosted, offset), done)

        def fail(error: Exception) -> None:
            log.error("waiting for replicas of %s-%d failed: %r", *hosted.key, error)
            done(ErrorCode.UNKNOWN_SERVER_ERROR)

        deadline = self.timer() + self.timeout_ms()
        waiter = Waiter([hosted.key], deadline, ready, finish, fail)
        self.replicas.wait(self.replicas.produces, waiter)

    def _finish(
        self, hosted: Partition, marker: TxnMarker, offset: int, code: ErrorCode, done: Done
    ) -> None:
        if code is ErrorCode.NONE:
            self.on_marker(*hosted.key, marker.producer_id, offset, marker.committed)
        done(code)


def _standing(hosted: Partition, offset: int) -> ErrorCode:
    """How an append at ``offset`` stands now; REQUEST_TIMED_OUT while it is not committed."""
    if not hosted.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    try:
        if hosted.log.high_watermark <= offset:
            return ErrorCode.REQUEST_TIMED_OUT
        enough = hosted.enough_in_sync()
    except KafkaError as error:
        return ErrorCode.of(error.code)
    return ErrorCode.NONE if enough else ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND


@dataclass(slots=True, eq=False)
class _Job:
    """The markers of one decided transaction that are still to be written."""

    slot: Slot[TransactionShard]
    completion: Completion
    marker: TxnMarker
    waiting: list[TopicPartition]
    outcome: Outcome | None = None
    inline: bool = False
    armed: bool = False


@dataclass(slots=True, eq=False)
class MarkerSender:
    """Sends the markers of transactions decided here, each to the leader of its partition.

    ``leader_of(partition)`` gives a broker id, -1 while nobody leads, None for a partition that
    does not exist any more; ``writer_to(broker_id)`` where its markers go, None if it cannot be
    reached now. What fails is tried again until this broker is no longer the coordinator.
    """

    coordinator: Coordinator[TransactionShard]
    _: KW_ONLY
    leader_of: Callable[[TopicPartition], int | None]
    writer_to: Callable[[int], MarkerWriter | None]

    def send(
        self, slot: Slot[TransactionShard], epoch: int, completion: Completion
    ) -> Outcome | None:
        """Write the markers; the shard's outcome if they were all written at once.

        ``epoch`` is that of the coordinator.
        """
        move = completion.move
        marker = TxnMarker(move.producer_id, move.epoch, epoch, completion.committed)
        waiting = sorted(completion.transaction.partitions)
        return self._attempt(_Job(slot, completion, marker, waiting))

    def _attempt(self, job: _Job) -> Outcome | None:
        turn, job.waiting = job.waiting[:AT_ONCE], job.waiting[AT_ONCE:]
        job.inline = True
        for partition in turn:
            leader = self.leader_of(partition)
            if leader is None:
                self._settle(job, partition)
                continue
            writer = self.writer_to(leader)
            if writer is None:
                self._later(job, (partition,), RETRY_MS)
            else:
                writer.write(job.marker, partition, self._answer_to(job, partition))
        job.inline = False
        if job.waiting:
            self._later(job, (), 0.0)
        outcome, job.outcome = job.outcome, None
        return outcome

    def _answer_to(self, job: _Job, partition: TopicPartition) -> Done:
        def done(code: ErrorCode) -> None:
            if job.slot.closed:
                return
            if code is ErrorCode.TRANSACTION_COORDINATOR_FENCED:
                log.info("%s is coordinated elsewhere", job.completion.move.transactional_id)
            elif code in AGAIN:
                self._later(job, (partition,), RETRY_MS)
            else:
                if code is not ErrorCode.NONE:
                    log.warning("marker for %s-%d is given up: %s", *partition, code.name)
                self._settle(job, partition)

        return done

    def _settle(self, job: _Job, partition: TopicPartition) -> None:
        outcome = job.slot.shard.marked(job.completion, partition)
        if outcome is None:
            return
        if job.inline:
            job.outcome = outcome
        else:
            self.coordinator.run(job.slot, outcome)

    def _later(self, job: _Job, partitions: Iterable[TopicPartition], wait: float) -> None:
        """Go on after ``wait`` ms, with these partitions again."""
        job.waiting = [*job.waiting, *partitions]
        if job.armed:
            return
        job.armed = True

        def again(now: Instant) -> Outcome | None:
            job.armed = False
            return self._attempt(job)

        deadline = self.coordinator.now().timer + wait
        self.coordinator.timers.at(deadline, job.slot, again)
