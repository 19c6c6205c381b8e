"""The partitions this broker hosts: their leaders, high watermarks, waiting requests.

Counterpart of ``ReplicaManager``.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NoReturn

from pykafka_ops.broker.hot.heads import WakeHead
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.acknowledgements import (
    Acknowledgements,
    Standing,
    Unacknowledged,
)
from pykafka_ops.broker.state.fetch_session import FetchKey, FetchSession
from pykafka_ops.broker.state.meters import Meters
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.state.purgatory import Purgatory, Waiter
from pykafka_ops.broker.state.replication.awaited import Awaited
from pykafka_ops.broker.state.replication.in_sync import Proposal
from pykafka_ops.broker.storage.log.appender import AppendInfo
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

PartitionKey = tuple[str, int]

DEFAULT_MAX_LAG_MS = 30_000


def _wait_failed(error: Exception) -> None:
    log.error("waiting for replicas failed", exc_info=error)


def _nowhere(partition: Partition, proposal: Proposal) -> None:
    """Where there is nobody to propose to."""


class Replicas(WakeHead):
    """All partitions hosted here, by name; waiting produce and fetch requests.

    ``call_soon(fn)`` runs ``fn`` after the bytes at hand are served; ``arm(deadline)`` asks for
    :meth:`expire` at a time of ``timer`` (monotonic ms: setting the clock drops nobody from an
    ISR). ``max_lag_ms`` is ``replica.lag.time.max.ms``, ``alive`` says which brokers are
    registered.
    """

    def __init__(
        self,
        broker_id: int,
        logs: LogManager,
        *,
        call_soon: Callable[[Callable[[], None]], object],
        arm: Callable[[float], None],
        timer: Callable[[], float] = lambda: 0,
        max_lag_ms: Callable[[], int] = lambda: DEFAULT_MAX_LAG_MS,
        alive: Callable[[int], bool] = lambda broker: True,
    ) -> None:
        self.broker_id = broker_id
        self.logs = logs
        self.timer = timer
        self.max_lag_ms = max_lag_ms
        self.alive = alive
        self.propose: Callable[[Partition, Proposal], None] = _nowhere
        """Takes a new ISR to the controller."""
        self.fetches = Purgatory()
        self.waiting = self.fetches.watch
        self.produces = Acknowledgements(self._standing, _wait_failed)
        self.deletes = Purgatory()
        self.awaited = Awaited(timer)
        self.meters = Meters()
        self._call_soon = call_soon
        self._arm = arm
        self._partitions: dict[PartitionKey, Partition] = {}
        self.readers: dict[PartitionKey, dict[FetchSession, FetchKey]] = {}
        self._woken: set[PartitionKey] = set()

    # -- look-ups ------------------------------------------------------------------------------

    @property
    def hosted(self) -> Mapping[PartitionKey, Partition]:
        """The replicas hosted here."""
        return self._partitions

    def find(self, topic: str, index: int) -> Partition | None:
        """The replica hosted here, leader or follower."""
        return self._partitions.get((topic, index))

    def leader(self, topic: str, index: int, *, known: bool = True, epoch: int = -1) -> Partition:
        """The partition if this broker leads it.

        ``known`` says whether the partition stands in the metadata, ``epoch`` which leader epoch
        the client knows (-1: none). Raises KafkaError NOT_LEADER_OR_FOLLOWER,
        UNKNOWN_TOPIC_OR_PARTITION, FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        partition = self._partitions.get((topic, index)) or self._missing(known=known)
        partition.check_leader_epoch(epoch)
        if partition.leader != self.broker_id:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return partition

    def readable(self, topic: str, index: int, *, known: bool = True, epoch: int = -1) -> Partition:
        """The partition, led or followed, as consumers may read it (KIP-392).

        Arguments and errors as for :meth:`leader`.
        """
        partition = self._partitions.get((topic, index)) or self._missing(known=known)
        partition.check_leader_epoch(epoch)
        if partition.leader < 0:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return partition

    @staticmethod
    def _missing(*, known: bool) -> NoReturn:
        raise KafkaError(
            ErrorCode.NOT_LEADER_OR_FOLLOWER if known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        )

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
            partition = Partition(topic, index, topic_id, self.broker_id, self)
            self._partitions[(topic, index)] = partition
        return partition

    def drop(self, topic: str, index: int) -> None:
        """Stop hosting a replica; its waiting requests are answered."""
        partition = self._partitions.pop((topic, index), None)
        if partition is not None:
            partition.resign()
            self.meters.leave(topic)
            self.wake((topic, index))

    def brokers_gone(self, brokers: Collection[int]) -> None:
        """These brokers are gone: stop waiting for them to join the ISR."""
        for partition in self._partitions.values():
            view = partition.in_sync
            if view is None or partition.offline or view.followers.keys().isdisjoint(brokers):
                continue
            with contextlib.suppress(KafkaError):  # its directory has failed
                if partition.advance_high_watermark():
                    self.wake_soon(partition.key)

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
        meter = partition.meter
        meter.produces += 1
        meter.bytes_in += len(records)
        meter.messages_in += info[1] - info[0] + 1
        partition.advance_high_watermark()
        self.appended(partition.key)
        return info

    def appended(self, key: PartitionKey) -> None:
        """Records came: wake soon who waits for them."""
        if key in self.readers or self.fetches.watched(key):
            self.wake_soon(key)

    def flushed(self, topic: str, index: int) -> None:
        """A log was flushed: complete the requests that wait for it."""
        partition = self._partitions.get((topic, index))
        if partition is not None:
            if partition.is_leader:  # it may follow by now: then others say what is committed
                partition.advance_high_watermark()
            self.wake_soon(partition.key)

    def log_moved(self, topic: str, index: int) -> None:
        """A replica is in another log directory: the partition goes on with that log."""
        partition = self._partitions.get((topic, index))
        if partition is not None:
            partition.move_log()

    def wake_soon(self, key: PartitionKey) -> None:
        """Wake once for all that is appended while the bytes at hand are served."""
        if not self._woken:
            self._call_soon(self._wake_all)
        self._woken.add(key)

    def _wake_all(self) -> None:
        woken, self._woken = self._woken, set()
        self.wake(*woken)
        self.fetches.wake(*self.awaited.take_news())

    def wake(self, *keys: PartitionKey) -> None:
        """Complete the requests on partitions that can be completed now; each is looked at once,
        on however many of them it waits."""
        stirred: dict[FetchSession, None] = {}
        for key in keys:
            if key in self.readers:
                stirred.update(dict.fromkeys(self._stir(key)))
        self.produces.wake(*keys)
        self.fetches.wake(*keys, *stirred)
        self.deletes.wake(*keys)

    # -- sessions of followers

    def watch(self, key: PartitionKey, session: FetchSession, name: FetchKey) -> None:
        """Have a session, which calls the partition ``name``, read it when it is woken next."""
        sessions = self.readers.setdefault(key, {})
        for other in [s for s in sessions if s.closed]:
            del sessions[other]
        sessions[session] = name

    def _stir(self, key: PartitionKey) -> Iterable[FetchSession]:
        """Have sessions read a partition; those that did not had all of it until now."""
        partition = self._partitions.get(key)
        view = None if partition is None else partition.in_sync
        sessions = self.readers.pop(key)
        for session, name in sessions.items():
            follower = None if view is None else view.followers.get(session.follower)
            if follower is not None and session.is_quiet(name):
                follower.was_seen(session.seen_at)
            session.stir(name)
        return sessions

    def wait(self, purgatory: Purgatory, waiter: Waiter) -> None:
        """Let a request wait; its deadline is armed if it is the earliest."""
        purgatory.add(waiter)
        if purgatory.next_deadline == waiter.deadline:
            self._arm(waiter.deadline)

    def promise(
        self,
        key: PartitionKey,
        required: int,
        deadline: float,
        frame: bytes,
        refuse: Callable[[int, ErrorCode], object],
    ) -> Unacknowledged:
        """As ``Acknowledgements.promise``, for acks=all."""
        made, is_first = self.produces.promise(key, required, deadline, frame, refuse)
        if is_first:
            self._arm(deadline)
        return made

    def _standing(self, key: PartitionKey) -> Standing:
        """How far a partition is committed, and whether that is enough for acks=all."""
        partition = self._partitions.get(key)
        if partition is None or not partition.is_leader:
            return math.inf, ErrorCode.NOT_LEADER_OR_FOLLOWER
        try:
            enough = partition.enough_in_sync()
            code = ErrorCode.NONE if enough else ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
            return partition.log.high_watermark, code
        except KafkaError as error:
            return math.inf, ErrorCode.of(error.code)

    def expire(self, now: float) -> float | None:
        """Complete what is overdue; the next deadline, if any."""
        purgatories = (self.produces, self.fetches, self.deletes)
        for purgatory in purgatories:
            purgatory.expire(now)
        deadlines = [d for p in purgatories if (d := p.next_deadline) is not None]
        return min(deadlines, default=None)
