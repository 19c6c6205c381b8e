"""What DeleteRecords does: move the start of logs forward, wait until the replicas have followed.

Counterpart of ``ReplicaManager.deleteRecords`` and ``DelayedDeleteRecords``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import is_internal
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

HIGH_WATERMARK = -1
"""The offset that stands for "everything that is committed"."""

NO_LOW_WATERMARK = -1


class Deleted(NamedTuple):
    """What became of one partition; the low watermark is the lowest log start of the replicas."""

    code: int
    low_watermark: int = NO_LOW_WATERMARK


Pending = list[tuple["Partition", int, int]]
"""Deleted here, not on all replicas yet: partition, offset they must reach, position."""


class RecordDeletion:
    """Deletes records of the partitions this broker leads; one per broker."""

    def __init__(self, replicas: Replicas, image: MetadataImage) -> None:
        self._replicas = replicas
        self._image = image

    def delete(
        self, offsets: Iterable[tuple[str, int, int]], timeout_ms: int
    ) -> list[Deleted] | Deferred:
        """Delete the records of partitions before an offset (-1: all that are committed).

        The results come when every live replica has followed, at most ``timeout_ms`` later.
        """
        pending: Pending = []
        results = [
            self._delete(topic, index, offset, number, pending)
            for number, (topic, index, offset) in enumerate(offsets)
        ]
        return self._wait(results, pending, timeout_ms) if pending else results

    def _delete(
        self, topic: str, index: int, offset: int, number: int, pending: Pending
    ) -> Deleted:
        try:
            partition = self._partition(topic, index)
            offset = _move_start(partition, offset)
            self._replicas.wake_soon(partition.key)  # followers are to hear of it
            low = partition.low_watermark(self._image.alive)
        except KafkaError as error:
            return Deleted(error.code)
        except Exception as error:
            log.error("deleting records of %s-%d", topic, index, exc_info=error)
            return Deleted(ErrorCode.UNKNOWN_SERVER_ERROR)
        if low < offset:
            pending.append((partition, offset, number))
        return Deleted(ErrorCode.NONE, low)

    def _partition(self, topic: str, index: int) -> Partition:
        if self._image.partition(topic, index) is None:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if is_internal(topic):
            raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
        return self._replicas.leader(topic, index)

    def _wait(self, results: list[Deleted], pending: Pending, timeout_ms: int) -> Deferred:
        deferred = Deferred()
        replicas, alive = self._replicas, self._image.alive

        def ready() -> bool:
            return all(
                not partition.is_leader or partition.low_watermark(alive) >= offset
                for partition, offset, _ in pending
            )

        def finish(expired: bool) -> None:
            for partition, offset, number in pending:
                if not partition.is_leader:
                    results[number] = Deleted(ErrorCode.NOT_LEADER_OR_FOLLOWER)
                    continue
                low = partition.low_watermark(alive)
                if low >= offset:
                    results[number] = Deleted(ErrorCode.NONE, low)
                else:
                    results[number] = results[number]._replace(code=ErrorCode.REQUEST_TIMED_OUT)
            deferred.resolve(results)

        def fail(error: Exception) -> None:
            code = error.code if isinstance(error, KafkaError) else ErrorCode.UNKNOWN_SERVER_ERROR
            log.error("waiting for replicas to delete records failed: %r", error)
            for _, _, number in pending:
                results[number] = Deleted(code)
            deferred.resolve(results)

        keys = [partition.key for partition, _, _ in pending]
        waiter = Waiter(keys, replicas.timer() + timeout_ms, ready, finish, fail)
        deferred.on_abandon = lambda: replicas.deletes.drop(waiter)
        replicas.wait(replicas.deletes, waiter)
        return deferred


def _move_start(partition: Partition, offset: int) -> int:
    """Let the log begin at ``offset``; the offset that stands for.

    Raises KafkaError POLICY_VIOLATION or OFFSET_OUT_OF_RANGE.
    """
    records = partition.log
    if not records.config.deletes:
        raise KafkaError(ErrorCode.POLICY_VIOLATION)
    if offset == HIGH_WATERMARK:
        offset = records.high_watermark
    if not 0 <= offset <= records.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    records.delete_records(offset)
    return offset
