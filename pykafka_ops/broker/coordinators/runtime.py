"""One shard per led partition of an internal topic: loading, appending, applying, time.

Counterpart of ``CoordinatorRuntime`` and of the loading in ``GroupMetadataManager`` and
``TransactionStateManager``. A shard decides (:class:`~pykafka_ops.broker.state.outcome.Outcome`),
the runtime appends its records as one batch, applies them when the high watermark has passed
and calls ``then``. With one replica all of that happens inside :meth:`Coordinator.run`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.broker.coordinators.loading import load
from pykafka_ops.broker.coordinators.slot import Slot, UnappliedBatch
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.partitions.waiting import wait_until
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC, SHORT, TRANSACTION_STATE_TOPIC
from pykafka_ops.broker.state.outcome import Instant, Outcome, Shard
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.state.timers import Timer, Timers
from pykafka_ops.disk.build import build_batch, build_plain
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.coordinator.group.GroupMetadataManager")

KEYS_KNOWN = 16_384
"""Groups or transactional ids whose partition is remembered: hashing each time costs more."""

LOAD_PATIENCE_MS = 10_000
"""How long a coordinator waits for the replicas before it serves."""

COUNT_SETTINGS = {
    GROUP_METADATA_TOPIC: "offsets.topic.num.partitions",
    TRANSACTION_STATE_TOPIC: "transaction.state.log.num.partitions",
}

LOADS_KEPT = 1_000
"""Loads whose time is remembered."""

S = TypeVar("S", bound=Shard)
_new = tuple.__new__


def partition_count(topic: str, image: MetadataImage, configs: BrokerConfigs) -> int:
    """How many partitions an internal topic has, or will have."""
    found = image.topics.get(topic)
    count: int = configs.value(COUNT_SETTINGS[topic]) if found is None else len(found.partitions)
    return count


@dataclass(slots=True)
class Environment:
    """What a coordinator needs of the broker. Clocks as in ``Services``; ``arm(deadline)`` asks
    for :meth:`Coordinator.tick` at that monotonic ms; ``spawn`` runs a coroutine."""

    replicas: Replicas
    clock: Callable[[], int]
    timer: Callable[[], float]
    arm: Callable[[float], None]
    spawn: Callable[[Coroutine[Any, Any, None]], object]
    run_in_thread: Callable[..., Coroutine[Any, Any, Any]]
    memory: Account


class Coordinator(Generic[S]):
    """All shards of one internal topic on this broker.

    ``make(index, timers, slot)`` builds a shard; it sets its timers with ``slot`` as the owner:
    ``timers.at(deadline, slot, action)``, where ``action(now: Instant)`` gives an Outcome or None.
    ``partitions()`` is how many partitions the topic has (or will have); ``timeout_ms`` bounds how
    long an append waits for replicas, ``codec`` compresses records.
    """

    def __init__(
        self,
        topic: str,
        environment: Environment,
        make: Callable[[int, Timers, Slot[S]], S],
        *,
        partitions: Callable[[], int],
        timeout_ms: int = 5000,
        codec: Codec = Codec.NONE,
    ) -> None:
        self.topic = topic
        self.environment = environment
        self._make = make
        self._timeout_ms = timeout_ms
        self.codec = codec
        self._slots: dict[int, Slot[S]] = {}
        self._partitions = partitions
        self._known: dict[str, int] = {}
        self._known_for = -1
        self.load_times: deque[float] = deque(maxlen=LOADS_KEPT)
        """How long partitions took to load (ms), the newest last."""
        self.timers = Timers(environment.arm)

    # -- leadership ----------------------------------------------------------------------------

    def elected(self, partition: Partition) -> None:
        """This broker leads ``partition`` in a new epoch: load it anew."""
        self.resigned(partition.index)
        slot: Slot[S] = Slot(partition, None)  # type: ignore[arg-type]  # made in the next line
        slot.shard = self._make(partition.index, self.timers, slot)
        self._slots[partition.index] = slot
        self.environment.spawn(self._load(slot))

    def resigned(self, index: int) -> None:
        """This broker leads the partition no more: all who wait get NOT_COORDINATOR."""
        slot = self._slots.pop(index, None)
        if slot is None:
            return
        slot.closed = True
        now = self.now()
        written, slot.inflight = slot.inflight, deque()
        for each in written:
            if not each.timed_out and each.outcome.then is not None:
                last = each.outcome.then(ErrorCode.NOT_LEADER_OR_FOLLOWER, now)
                if last is not None:
                    self._reply(last)
        for deferred, answer in slot.shard.unloaded():
            deferred.resolve(answer)

    def close(self) -> None:
        """Forget every shard, as if no partition were led."""
        for index in list(self._slots):
            self.resigned(index)

    async def _load(self, slot: Slot[S]) -> None:
        partition = slot.partition
        name = f"{self.topic}-{partition.index}"
        began = self.environment.timer()
        try:
            count = await self._read(slot)
        except KafkaError as error:
            log.error("loading %s failed: %s", name, error)
            return
        except Exception:
            log.exception("loading %s failed", name)
            return
        if slot.closed:
            return
        slot.loading = False
        self.load_times.append(self.environment.timer() - began)
        if count:
            log.info("loaded %d records of %s", count, name)
        outcome = slot.shard.loaded(self.now())
        if outcome is not None:
            self.run(slot, outcome)

    async def _read(self, slot: Slot[S]) -> int:
        """Read the log into the shard until all that was read is committed; how many records.

        What only this replica has may yet be lost, and nobody may have acted on it then. Kafka's
        coordinators do not wait, and read the log's end; nor does ours wait for ever.
        """
        count, end = 0, -1
        while not slot.closed:
            found = await load(slot, self.environment.run_in_thread, end)
            count, end = count + found.records, found.end
            if await self._has_committed(slot, end):
                break
        return count

    async def _has_committed(self, slot: Slot[S], end: int) -> bool:
        """Wait until the replicas have what is below ``end``; whether nothing has come since."""
        partition = slot.partition

        def ready() -> bool:
            return slot.closed or partition.log.high_watermark >= end

        replicas = self.environment.replicas
        in_time = await wait_until(replicas, [partition.key], ready, patience_ms=LOAD_PATIENCE_MS)
        return not in_time or partition.log.log_end_offset == end

    # -- look-ups ------------------------------------------------------------------------------

    def partition_of(self, key: str) -> int:
        """The partition of a group or transactional id."""
        count = self._partitions()
        if count != self._known_for:
            self._known.clear()
            self._known_for = count
        found = self._known.get(key)
        if found is None:
            found = partition_for(key, count)
            if len(key) <= SHORT:
                if len(self._known) >= KEYS_KNOWN:
                    self._known.clear()
                self._known[key] = found
        return found

    def slot_of(self, key: str) -> Slot[S]:
        """The loaded shard of a group or transactional id; raises as :meth:`slot`."""
        return self.slot(self.partition_of(key))

    def loaded_of(self, key: str) -> Slot[S] | None:
        """The same; None if it is not here, or being loaded."""
        slot = self._slots.get(self.partition_of(key))
        return None if slot is None or slot.loading else slot

    def slot(self, index: int) -> Slot[S]:
        """The loaded shard of a partition.

        Raises KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
        """
        slot = self._slots.get(index)
        if slot is None:
            raise KafkaError(ErrorCode.NOT_COORDINATOR)
        if slot.loading:
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        return slot

    def slots(self) -> Iterator[Slot[S]]:
        """Every shard that is loaded."""
        return (slot for slot in list(self._slots.values()) if not slot.loading)

    @property
    def loading(self) -> bool:
        """Whether a partition is being loaded."""
        return any(slot.loading for slot in self._slots.values())

    def now(self) -> Instant:
        """Both clocks."""
        clocks = self.environment
        now: Instant = _new(Instant, (clocks.clock(), clocks.timer()))
        return now

    # -- deciding and applying -----------------------------------------------------------------

    def run(self, slot: Slot[S], outcome: Outcome | None) -> None:
        """Do what a shard decided; raises nothing that is the fault of the disk or of replicas."""
        while outcome is not None:
            self._reply(outcome)
            if slot.closed:
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER
            elif outcome.records:
                try:
                    self._append(slot, outcome)
                    return
                except KafkaError as error:
                    code = self.append_failed(slot, error)
            else:
                code = ErrorCode.NONE
            outcome = None if outcome.then is None else outcome.then(code, self.now())

    @staticmethod
    def append_failed(slot: Slot[S], error: KafkaError) -> ErrorCode:
        """Records of a shard could not be written: say so; the code."""
        code = ErrorCode.of(error.code)
        log.warning("appending to %s: %s", slot.name, error or code.name)
        return code

    @staticmethod
    def _reply(outcome: Outcome) -> None:
        for deferred, answer in outcome.replies:
            deferred.resolve(answer)
        for note in outcome.notes:
            log.info("%s", note)

    def _append(self, slot: Slot[S], outcome: Outcome) -> None:
        partition = slot.partition
        if not partition.is_leader:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if not partition.enough_in_sync():
            raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
        now = self.environment.clock()
        batch = self._batch(slot.shard, outcome, now)
        producer = outcome.producer
        info = self.environment.replicas.append(
            partition,
            memoryview(batch),
            now=now,
            origin=Origin.COORDINATOR,
            guard=None if producer is None else producer.guard,
        )
        self.appended(slot, outcome, info.first_offset, info.last_offset)

    def appended(self, slot: Slot[S], outcome: Outcome, first: int, last: int) -> None:
        """The records of ``outcome`` stand in the log at these offsets: go on once they are
        committed."""
        if not slot.inflight and slot.partition.log.high_watermark > last:
            self._committed(slot, outcome, first)
            return
        written = UnappliedBatch(last + 1, first, outcome)
        slot.inflight.append(written)
        self._settle(slot)
        if slot.inflight and slot.inflight[-1] is written:
            self._wait(slot, written)

    def _batch(self, shard: Shard, outcome: Outcome, now: int) -> bytearray:
        entries = [shard.encode(record) for record in outcome.records]
        producer = outcome.producer
        if producer is None and not self.codec:
            return build_plain(entries, now)
        records = [Record(n, now, *entry) for n, entry in enumerate(entries)]
        if producer is None:
            return build_batch(records, codec=self.codec)
        return build_batch(
            records,
            codec=self.codec,
            producer_id=producer.id,
            producer_epoch=producer.epoch,
            transactional=True,
        )

    def _settle(self, slot: Slot[S]) -> None:
        """Apply what is committed, in the log's order, and go on with what follows."""
        inflight = slot.inflight
        while inflight and slot.partition.log.high_watermark >= inflight[0].end:
            written = inflight.popleft()
            self._committed(slot, written.outcome, written.base, timed_out=written.timed_out)

    def _committed(
        self, slot: Slot[S], outcome: Outcome, base: int, *, timed_out: bool = False
    ) -> None:
        """Apply committed records and go on, unless the shard has got ``timed_out`` before."""
        producer_id = -1 if outcome.producer is None else outcome.producer.id
        apply = slot.shard.apply
        for record in outcome.records:
            apply(record, base, producer_id)
        if outcome.then is not None and not timed_out:
            self.run(slot, outcome.then(ErrorCode.NONE, self.now()))

    def _wait(self, slot: Slot[S], written: UnappliedBatch) -> None:
        """Come back when the high watermark moves, or when the replicas took too long."""
        replicas = self.environment.replicas
        partition = slot.partition

        def ready() -> bool:
            return slot.closed or partition.log.high_watermark >= written.end

        def finish(expired: bool) -> None:
            if slot.closed:
                return
            self._settle(slot)
            if expired and written in slot.inflight:
                written.timed_out = True
                self._wait(slot, written)
                if written.outcome.then is not None:
                    self.run(slot, written.outcome.then(ErrorCode.REQUEST_TIMED_OUT, self.now()))

        def fail(error: Exception) -> None:
            log.error("waiting for replicas of %s failed: %r", slot.name, error)

        deadline = self.environment.timer() + self._timeout_ms
        if written.timed_out:
            deadline = float("inf")
        replicas.wait(replicas.produces, Waiter([partition.key], deadline, ready, finish, fail))

    def marker_written(self, index: int, producer_id: int, offset: int, *, committed: bool) -> None:
        """A transaction's marker at ``offset`` of a partition is committed: to be called by
        whoever wrote it. Nothing happens where this broker does not lead (loading finds it)."""
        slot = self._slots.get(index)
        if slot is not None and not slot.loading:
            slot.shard.apply_marker(producer_id, offset, committed=committed)

    # -- time ----------------------------------------------------------------------------------

    def tick(self) -> float | None:
        """Do what is due; the next deadline (monotonic ms), None if there is none."""
        now = self.now()
        while (timer := self.timers.due(now.timer)) is not None:
            self._fire(timer, now)
        return self.timers.next_deadline

    def _fire(self, timer: Timer, now: Instant) -> None:
        slot: Any = timer.owner
        if slot.closed or timer.action is None:
            return
        try:
            outcome: Any = timer.action(now)
            self.run(slot, outcome)
        except Exception:
            log.exception("%s: a timer failed", slot.name)
