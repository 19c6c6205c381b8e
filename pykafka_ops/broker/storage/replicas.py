"""The partitions this broker hosts: who leads them, how far they are committed, who waits.

Counterpart of ``ReplicaManager`` and ``Partition``. The rules of the high watermark and of
acks=all are the same for one replica and for many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.state.purgatory import Purgatory, Waiter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.storage.log import AppendInfo, Log
    from pykafka_ops.broker.storage.log_dirs import LogDirs

PartitionKey = tuple[str, int]


class Partition:
    """One replica hosted here and what the controller last said about its partition."""

    __slots__ = (
        "_log",
        "_logs",
        "index",
        "isr",
        "key",
        "leader",
        "leader_epoch",
        "leader_epoch_start",
        "local_id",
        "partition_epoch",
        "remote_end_offsets",
        "remote_start_offsets",
        "replicas",
        "topic",
        "topic_id",
    )

    def __init__(
        self, topic: str, index: int, topic_id: bytes, local_id: int, logs: LogDirs
    ) -> None:
        self.topic = topic
        self.index = index
        self.key = (topic, index)
        self.topic_id = topic_id
        self.local_id = local_id
        self.leader = -1
        self.leader_epoch = -1
        self.partition_epoch = -1
        self.isr: tuple[int, ...] = ()
        self.replicas: tuple[int, ...] = ()
        self.remote_end_offsets: dict[int, int] = {}
        self.remote_start_offsets: dict[int, int] = {}
        self._logs = logs
        self._log: Log | None = None
        self.leader_epoch_start = 0
        """The log's end offset when this broker began to lead, known once ``log`` was used."""

    @property
    def is_leader(self) -> bool:
        """Whether this broker leads the partition."""
        return self.leader == self.local_id

    @property
    def log(self) -> Log:
        """The log, opened at first use. Raises KafkaError KAFKA_STORAGE_ERROR if it is offline."""
        return self._log or self._open()

    def _open(self) -> Log:
        log = self._logs.get(self.topic, self.index)
        if log is None:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{self.topic}-{self.index}")
        if self.is_leader:
            self._begin(log)
        self._log = log
        return log

    def lead(self) -> None:
        """A new leader epoch of ours begins; a log that nobody uses is not opened for it."""
        self.remote_end_offsets.clear()
        self.remote_start_offsets.clear()
        if self._log is not None:
            self._begin(self._log)

    def _begin(self, log: Log) -> None:
        self.leader_epoch_start = log.log_end_offset
        log.assign_epoch(self.leader_epoch, self.leader_epoch_start)
        if len(self.isr) <= 1:
            log.high_watermark = self.leader_epoch_start

    def move_log(self) -> None:
        """The log is in another directory now, with the same records."""
        if self._log is not None:
            self._log = self._logs.get(self.topic, self.index)

    def forget_log(self) -> None:
        """The log was closed or its directory failed: look it up anew."""
        self._log = None

    def check_leader_epoch(self, epoch: int) -> None:
        """Fence clients with an older or newer epoch (KIP-320); -1 is not checked.

        Raises KafkaError FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        if epoch == -1 or epoch == self.leader_epoch:
            return
        if epoch < self.leader_epoch:
            raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        raise KafkaError(ErrorCode.UNKNOWN_LEADER_EPOCH)

    def enough_in_sync(self) -> bool:
        """Whether acks=all may be accepted: ``min.insync.replicas``, capped at the replicas."""
        needed = min(self.log.config.min_insync_replicas, len(self.replicas))
        return len(self.isr) >= needed

    def low_watermark(self, alive: Callable[[int], bool]) -> int:
        """The lowest log start offset among the replicas on live brokers."""
        low = self.log.log_start_offset
        for replica, start in self.remote_start_offsets.items():
            if start < low and alive(replica):
                low = start
        return low

    def advance_high_watermark(self) -> bool:
        """Move it to the lowest end offset in the ISR, once that is flushed as the topic asks;
        whether it moved."""
        log = self.log
        end = log.log_end_offset
        if log.owed >= 0:  # flush.messages: not all of it is durable yet
            end = log.recovery_point
        if len(self.isr) > 1:
            ends = self.remote_end_offsets
            end = min([end, *(ends.get(r, -1) for r in self.isr if r != self.local_id)])
        if end > log.high_watermark:
            log.high_watermark = end
            return True
        return False


class Replicas:
    """All partitions hosted here, by name; waiting produce and fetch requests.

    ``call_soon(fn)`` runs ``fn`` after the bytes at hand are served; ``arm(deadline)`` asks for
    :meth:`expire` at that monotonic time in ms.
    """

    def __init__(
        self,
        broker_id: int,
        logs: LogDirs,
        *,
        call_soon: Callable[[Callable[[], None]], object],
        arm: Callable[[float], None],
    ) -> None:
        self.broker_id = broker_id
        self.logs = logs
        self.fetches = Purgatory()
        self.produces = Purgatory()
        self.deletes = Purgatory()
        self._call_soon = call_soon
        self._arm = arm
        self._partitions: dict[PartitionKey, Partition] = {}
        self._woken: set[PartitionKey] = set()

    # -- look-ups ------------------------------------------------------------------------------

    def find(self, topic: str, index: int) -> Partition | None:
        """The replica hosted here, leader or follower."""
        return self._partitions.get((topic, index))

    def leader(self, topic: str, index: int, *, known: bool = True, epoch: int = -1) -> Partition:
        """The partition if this broker leads it.

        ``known`` says whether the partition stands in the metadata, ``epoch`` which leader epoch
        the client knows (-1: none). Raises KafkaError NOT_LEADER_OR_FOLLOWER,
        UNKNOWN_TOPIC_OR_PARTITION, FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        partition = self._partitions.get((topic, index))
        if partition is None:
            code = (
                ErrorCode.NOT_LEADER_OR_FOLLOWER if known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            )
            raise KafkaError(code)
        partition.check_leader_epoch(epoch)
        if partition.leader != self.broker_id:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return partition

    def __len__(self) -> int:
        return len(self._partitions)

    def all(self) -> list[Partition]:
        """Every replica hosted here."""
        return list(self._partitions.values())

    # -- what the controller says ----------------------------------------------------------------

    def host(self, topic: str, index: int, topic_id: bytes) -> Partition:
        """The replica, made on first mention."""
        partition = self._partitions.get((topic, index))
        if partition is None:
            partition = Partition(topic, index, topic_id, self.broker_id, self.logs)
            self._partitions[(topic, index)] = partition
        return partition

    def drop(self, topic: str, index: int) -> None:
        """Stop hosting a replica; its waiting requests are answered."""
        partition = self._partitions.pop((topic, index), None)
        if partition is not None:
            partition.leader = -1
            self.wake((topic, index))

    # -- appends and waiting requests --------------------------------------------------------------

    def append(
        self,
        partition: Partition,
        records: memoryview,
        *,
        now: int,
        origin: Origin = Origin.CLIENT,
        guard: object | None = None,
    ) -> AppendInfo:
        """Append as leader, move the high watermark, wake who waits for the records.

        ``origin`` and ``guard`` as in ``Log.append_as_leader``, whose errors are raised.
        """
        info = partition.log.append_as_leader(
            records, leader_epoch=partition.leader_epoch, now=now, origin=origin, guard=guard
        )
        partition.advance_high_watermark()
        if self.fetches.watched(partition.key):
            self.wake_soon(partition.key)
        return info

    def flushed(self, topic: str, index: int) -> None:
        """What a log owed to the disk is there: go on with who waits for it."""
        partition = self._partitions.get((topic, index))
        if partition is not None:
            partition.advance_high_watermark()
            self.wake_soon(partition.key)

    def wake_soon(self, key: PartitionKey) -> None:
        """Wake once for all that is appended while the bytes at hand are served."""
        if not self._woken:
            self._call_soon(self._wake_all)
        self._woken.add(key)

    def _wake_all(self) -> None:
        woken, self._woken = self._woken, set()
        for key in woken:
            self.wake(key)

    def wake(self, key: PartitionKey) -> None:
        """Complete the requests on a partition that can be completed now."""
        self.produces.wake(key)
        self.fetches.wake(key)
        self.deletes.wake(key)

    def wait(self, purgatory: Purgatory, waiter: Waiter) -> None:
        """Let a request wait; its deadline is armed if it is the earliest."""
        purgatory.add(waiter)
        if purgatory.next_deadline == waiter.deadline:
            self._arm(waiter.deadline)

    def expire(self, now: float) -> float | None:
        """Complete what is overdue; the next deadline, if any."""
        purgatories = (self.produces, self.fetches, self.deletes)
        for purgatory in purgatories:
            purgatory.expire(now)
        deadlines = [d for p in purgatories if (d := p.next_deadline) is not None]
        return min(deadlines, default=None)
