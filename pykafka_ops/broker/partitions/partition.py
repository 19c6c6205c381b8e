"""One replica hosted here: its partition's state by the controller's orders, and its log.

Counterpart of ``Partition``; ``state/replication/in_sync`` is what the leader knows of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pykafka_ops.broker.hot.heads import PartitionHead
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment
from pykafka_ops.broker.state.meters import Meters, TopicMeter
from pykafka_ops.broker.state.purgatory import Purgatory
from pykafka_ops.broker.state.replication.awaited import Awaited
from pykafka_ops.broker.state.replication.in_sync import InSync, Proposal, ProposalVerdict
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


class PartitionHost(Protocol):
    """What a partition needs of the broker that hosts it; see ``Replicas``."""

    logs: LogManager
    timer: Callable[[], float]
    max_lag_ms: Callable[[], int]
    alive: Callable[[int], bool]
    propose: Callable[[Partition, Proposal], None]
    deletes: Purgatory
    awaited: Awaited
    meters: Meters

    def wake_soon(self, key: tuple[str, int]) -> None:
        """Serve soon what waits for the partition."""


class Partition(PartitionHead):
    """One replica hosted here and what the controller last said about its partition.

    ``in_sync`` is there while this broker leads a partition that has other replicas; ``used_log``
    is None until somebody has used the log.
    """

    __slots__ = (
        "_host",
        "adding",
        "controller_epoch",
        "index",
        "leader_epoch_start",
        "offline",
        "partition_epoch",
        "replicas",
        "topic",
    )

    meter: TopicMeter

    def __init__(
        self, topic: str, index: int, topic_id: bytes, local_id: int, host: PartitionHost
    ) -> None:
        self.topic = topic
        self.index = index
        self.key = (topic, index)
        self.topic_id = topic_id
        self.local_id = local_id
        self.leader = -1
        self.leader_epoch = -1
        self.partition_epoch = -1
        self.controller_epoch = -1
        self.isr: tuple[int, ...] = ()
        """Those in sync, as far as the controller has committed it."""
        self.replicas: tuple[int, ...] = ()
        self.adding: tuple[int, ...] = ()
        self.in_sync: InSync | None = None
        self.offline = False
        """Whether its log directory failed; that lasts until the next start."""
        self.meter = host.meters.enter(topic)
        self._host = host
        self.used_log: Log | None = None
        self.leader_epoch_start = 0
        """The log's end offset when this broker began to lead, known once ``log`` was used."""

    @property
    def is_leader(self) -> bool:
        """Whether this broker leads the partition."""
        return self.leader == self.local_id

    @property
    def log(self) -> Log:
        """The log, opened at first use. Raises KafkaError KAFKA_STORAGE_ERROR if it is offline."""
        return self.used_log or self._open()

    def _open(self) -> Log:
        log = self._host.logs.get(self.topic, self.index)
        if log is None:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{self.topic}-{self.index}")
        if self.is_leader:
            self._begin(log)
        self.used_log = log
        return log

    # -- what the controller says

    def become(self, state: LeaderAndIsr, assignment: ReplicaAssignment) -> bool:
        """Lead or follow from now on; whether a new leader epoch began with that.

        A log that nobody uses and that has no followers is not opened for it. Raises KafkaError
        KAFKA_STORAGE_ERROR.
        """
        led = self.is_leader
        new_epoch = state.leader_epoch > self.leader_epoch
        self.leader, self.leader_epoch = state.leader, state.leader_epoch
        self.partition_epoch = state.partition_epoch
        self.controller_epoch = state.controller_epoch
        self.isr, self.replicas, self.adding = state.isr, assignment.replicas, assignment.adding
        if not self.is_leader or len(self.replicas) < 2:
            self.in_sync = None
            if new_epoch and self.is_leader and self.used_log is not None:
                self._begin(self.used_log)
            return new_epoch
        view = self.in_sync or InSync(self.local_id)
        view.lead(self.replicas, self.isr, self.partition_epoch)
        self.in_sync = view
        if new_epoch:
            # Its end must be known now: followers are held against it.
            log = self.used_log
            if log is None:
                log = self.log
            else:
                self._begin(log)
            now = self._host.timer()
            view.begin(self.leader_epoch, self.leader_epoch_start, now, new_leader=not led)
            self._host.awaited.expect(self.key, view.followers)
        self.advance_high_watermark()
        return new_epoch

    def _begin(self, log: Log) -> None:
        self.leader_epoch_start = log.log_end_offset
        log.assign_epoch(self.leader_epoch, self.leader_epoch_start)
        if len(self.replicas) <= 1:
            log.raise_high_watermark(log.durability.up_to(self.leader_epoch_start))

    def resign(self) -> None:
        """Stop leading or following."""
        self.leader = -1
        self.in_sync = None

    def move_log(self) -> None:
        """The log is in another directory now, with the same records."""
        if self.used_log is not None:
            self.used_log = self._host.logs.get(self.topic, self.index)

    def go_offline(self) -> None:
        """The log's directory failed: nothing can be done with the replica any more."""
        self.offline = True
        self.used_log = self.in_sync = None

    def check_leader_epoch(self, epoch: int) -> None:
        """Fence clients with an older or newer epoch (KIP-320); -1 is not checked.

        Raises KafkaError FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        if epoch == -1 or epoch == self.leader_epoch:
            return
        if epoch < self.leader_epoch:
            raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        raise KafkaError(ErrorCode.UNKNOWN_LEADER_EPOCH)

    def copied(self, size: int) -> None:
        """So many bytes came from the leader."""
        meters = self._host.meters
        meters.bytes_copied += size
        if self.local_id in self.adding:
            meters.bytes_moved_here += size

    # -- replicas in sync

    def enough_in_sync(self, *, joining: bool = False) -> bool:
        """Whether acks=all may be accepted: ``min.insync.replicas``, capped at the replicas.

        With ``joining`` those count, too, that are about to be in sync.
        """
        view = self.in_sync
        in_sync = view.maximal if joining and view is not None else self.isr
        return len(in_sync) >= min(self.log.config.min_insync_replicas, len(self.replicas))

    def low_watermark(self, alive: Callable[[int], bool]) -> int:
        """The lowest log start offset among the replicas on live brokers."""
        low = self.log.log_start_offset
        if self.in_sync is not None:
            for replica, follower in self.in_sync.followers.items():
                if follower.start < low and alive(replica):
                    low = follower.start
        return low

    def fetched_by(self, replica: int, offset: int, log_start: int) -> bool:
        """A follower asks for what follows ``offset``; whether that moved the high watermark.

        It may join those in sync by that; who waits for the high watermark is woken.
        """
        view = self.in_sync
        follower = None if view is None else view.followers.get(replica)
        if view is None or follower is None:
            return False
        host, before = self._host, follower.end
        host.awaited.came(replica, self.key)
        if follower.start != log_start and host.deletes.watched(self.key):
            host.wake_soon(self.key)
        follower.fetched(offset, log_start, host.timer(), self.log.log_end_offset)
        if replica not in view.isr:
            proposal = view.expand(replica, self.log.high_watermark, host.alive)
            if proposal is not None:
                host.propose(self, proposal)
        if follower.end == before or not self.advance_high_watermark():
            return False
        host.wake_soon(self.key)
        return True

    def drop_late(self) -> None:
        """Propose to drop those that are behind for longer than ``replica.lag.time.max.ms``."""
        view, host = self.in_sync, self._host
        if view is None:
            return
        end = self.log.log_end_offset
        proposal = view.shrink(end, host.timer(), host.max_lag_ms())
        if proposal is not None:
            host.propose(self, proposal)

    def settle(
        self,
        proposal: Proposal,
        code: int,
        *,
        isr: tuple[int, ...] = (),
        leader_epoch: int = -1,
        partition_epoch: int = -1,
    ) -> ProposalVerdict:
        """The controller's answer to a proposal: an error, or the state that holds now."""
        view = self.in_sync
        if view is None:
            return ProposalVerdict.DROPPED
        verdict = view.answered(
            proposal, code, isr=isr, leader_epoch=leader_epoch, partition_epoch=partition_epoch
        )
        meters = self._host.meters
        meters.isr_failures += verdict is ProposalVerdict.DROPPED
        if verdict is ProposalVerdict.CHANGED:
            meters.isr_expands += len(view.isr) > len(self.isr)
            meters.isr_shrinks += len(view.isr) < len(self.isr)
            self.isr, self.partition_epoch = view.isr, view.partition_epoch
            self.advance_high_watermark()
            self._host.wake_soon(self.key)  # fewer in sync may be too few
        elif verdict is ProposalVerdict.DROPPED and self.advance_high_watermark():
            self._host.wake_soon(self.key)  # nobody waits any more for who may not join
        return verdict

    def advance_high_watermark(self) -> bool:
        """Move it to the lowest end offset of those in sync, once that is flushed as the topic
        asks; whether it moved."""
        log = self.used_log or self._open()
        end = log.log_end_offset
        view = self.in_sync
        if view is not None:
            host = self._host
            minimum = log.config.min_insync_replicas
            end = view.committed(end, minimum, host.timer(), host.max_lag_ms(), host.alive)
        return log.raise_high_watermark(log.durability.up_to(end))
