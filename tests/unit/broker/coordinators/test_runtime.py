"""The runtime appends what a shard decides, applies it when it is committed, then goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from pykafka_ops.broker.coordinators.runtime import (
    KEYS_KNOWN,
    LOAD_PATIENCE_MS,
    Coordinator,
    Environment,
)
from pykafka_ops.broker.coordinators.slot import Slot
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant, Outcome, TxnProducer
from pykafka_ops.broker.state.replay import LeftOut, replay_each
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.record import payload
from pykafka_ops.errors import CorruptError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.memory.replication import follower_at

TOPIC = "__consumer_offsets"

Entry = tuple[str, str | None]


class Register:
    """A shard that remembers what it is told, and by which producer."""

    def __init__(self, index: int, timers: Timers, slot: Slot[Register]) -> None:
        self.index = index
        self.timers = timers
        self.slot = slot
        self.values: dict[str, str | None] = {}
        self.applied: list[tuple[Entry, int, int]] = []
        self.markers: list[tuple[int, int, bool]] = []
        self.waiting: list[Deferred] = []
        self.loads = 0

    def decode(self, key: bytes, value: bytes | None) -> Entry | None:
        if key == b"odd":
            raise CorruptError("odd")
        if key.startswith(b"skip"):
            return None
        return key.decode(), None if value is None else value.decode()

    def replay(self, data: bytes, position: int, header: BatchHeader, left_out: LeftOut) -> int:
        plain = payload(data, position, header, 1 << 20)
        return replay_each(self.decode, self.apply, plain, header, left_out)

    def skim(self, data: bytes, position: int) -> None:
        return None

    def settle(self, most: int) -> bool:
        return False

    def encode(self, record: Entry) -> tuple[bytes, bytes | None]:
        key, value = record
        return key.encode(), None if value is None else value.encode()

    def apply(self, record: Entry, offset: int, producer_id: int) -> None:
        self.values[record[0]] = record[1]
        self.applied.append((record, offset, producer_id))

    def apply_marker(self, producer_id: int, offset: int, *, committed: bool) -> None:
        self.markers.append((producer_id, offset, committed))

    def loaded(self, now: Instant) -> None:
        self.loads += 1

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        return [(deferred, ErrorCode.NOT_COORDINATOR) for deferred in self.waiting]

    def put(self, *entries: Entry, producer: TxnProducer | None = None) -> tuple[Outcome, Deferred]:
        """Write entries, answer with the code; what stands there by then is noted."""
        deferred = Deferred()

        def then(code: ErrorCode, now: Instant) -> Outcome:
            return Outcome(replies=[(deferred, (code, dict(self.values)))])

        return Outcome(records=entries, then=then, producer=producer), deferred


class World:
    """One coordinator over the logs of a handler site, with tasks run by hand."""

    def __init__(self, partitions: int = 1, **topic: Any) -> None:
        self.site = Site()
        self.partitions = self.site.topic(TOPIC, partitions, **topic)
        self.coordinator = self.make()

    def make(self) -> Coordinator[Register]:
        self.tasks: list[Coroutine[Any, Any, None]] = []
        self.armed: list[float] = []
        environment = Environment(
            replicas=self.site.replicas,
            clock=lambda: self.site.now,
            timer=lambda: self.site.time,
            arm=self.armed.append,
            spawn=self.tasks.append,
            run_in_thread=asyncio.to_thread,
            memory=Account(),
        )
        return Coordinator(
            TOPIC, environment, Register, partitions=lambda: len(self.partitions), timeout_ms=100
        )

    def load(self) -> Slot[Register]:
        self.coordinator.elected(self.partitions[0])
        self.run_tasks()
        return self.coordinator.slot(0)

    def run_tasks(self) -> None:
        while self.tasks:
            asyncio.run(self.tasks.pop(0))

    def replicated(self, end: int) -> None:
        """The follower has everything below ``end``."""
        partition = self.partitions[0]
        follower_at(partition, end)
        self.site.replicas.wake(partition.key)


def test_names_that_clients_invent_are_remembered_neither_without_end_nor_when_they_are_long() -> (
    None
):
    coordinator = World(3).coordinator
    names = [f"g{n}" for n in range(KEYS_KNOWN + 10)] + ["x" * 30_000]
    places = {name: coordinator.partition_of(name) for name in names}
    assert len(coordinator._known) <= KEYS_KNOWN
    assert "x" * 30_000 not in coordinator._known
    assert {name: coordinator.partition_of(name) for name in names} == places


def test_one_replica_is_answered_at_once() -> None:
    world = World()
    slot = world.load()
    outcome, deferred = slot.shard.put(("a", "1"), ("b", None))
    world.coordinator.run(slot, outcome)
    assert deferred.answer == (ErrorCode.NONE, {"a": "1", "b": None})
    assert [(offset, pid) for _, offset, pid in slot.shard.applied] == [(0, -1), (0, -1)]


def test_records_are_applied_in_order_when_the_replicas_have_them() -> None:
    world = World(isr=(ME, OTHER), replicas=(ME, OTHER))
    slot = world.load()
    first, one = slot.shard.put(("a", "1"))
    second, two = slot.shard.put(("a", "2"))
    world.coordinator.run(slot, first)
    world.coordinator.run(slot, second)
    assert not one.done
    assert slot.shard.values == {}
    world.replicated(1)
    assert one.answer == (ErrorCode.NONE, {"a": "1"})
    assert not two.done
    world.replicated(2)
    assert two.answer == (ErrorCode.NONE, {"a": "2"})


def test_replicas_that_take_too_long_are_told_and_the_records_count_all_the_same() -> None:
    world = World(isr=(ME, OTHER), replicas=(ME, OTHER))
    slot = world.load()
    outcome, deferred = slot.shard.put(("a", "1"))
    world.coordinator.run(slot, outcome)
    world.site.pass_time(99)
    assert not deferred.done
    world.site.pass_time(1)
    assert deferred.answer == (ErrorCode.REQUEST_TIMED_OUT, {})
    world.replicated(1)
    assert slot.shard.values == {"a": "1"}


def test_too_few_replicas_refuse_the_append() -> None:
    world = World(isr=(ME,), replicas=(ME, OTHER), config={"min.insync.replicas": "2"})
    slot = world.load()
    outcome, deferred = slot.shard.put(("a", "1"))
    world.coordinator.run(slot, outcome)
    assert deferred.answer == (ErrorCode.NOT_ENOUGH_REPLICAS, {})
    assert world.partitions[0].log.log_end_offset == 0


def test_who_waits_is_told_when_the_leader_moves() -> None:
    world = World(isr=(ME, OTHER), replicas=(ME, OTHER))
    slot = world.load()
    outcome, deferred = slot.shard.put(("a", "1"))
    world.coordinator.run(slot, outcome)
    member = Deferred()
    slot.shard.waiting.append(member)
    world.coordinator.resigned(0)
    assert deferred.answer == (ErrorCode.NOT_LEADER_OR_FOLLOWER, {})
    assert member.answer == ErrorCode.NOT_COORDINATOR
    with pytest.raises(KafkaError) as caught:
        world.coordinator.slot(0)
    assert caught.value.code == ErrorCode.NOT_COORDINATOR
    world.replicated(1)
    assert slot.shard.values == {}


def test_loading_applies_the_log_and_asks_clients_to_wait_meanwhile() -> None:
    world = World()
    slot = world.load()
    for n in range(500):
        world.coordinator.run(slot, slot.shard.put((f"k{n % 50}", "x" * 500 + str(n)))[0])
    world.coordinator.run(slot, slot.shard.put(("t", "7"), producer=TxnProducer(9, 0))[0])
    again = world.make()
    again.elected(world.partitions[0])
    with pytest.raises(KafkaError) as caught:
        again.slot(0)
    assert caught.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    world.run_tasks()
    assert again.slot(0).shard.values == slot.shard.values
    assert again.slot(0).shard.applied == slot.shard.applied
    assert again.slot(0).shard.applied[-1] == (("t", "7"), 500, 9)
    assert again.slot(0).shard.loads == 1


@pytest.mark.parametrize("in_time", [True, False])
def test_nobody_is_served_before_the_replicas_have_what_was_loaded(in_time: bool) -> None:
    world = World(isr=(0, 1), replicas=(0, 1))
    world.site.append(TOPIC, 0, batch(b"1"))
    world.coordinator.elected(world.partitions[0])

    async def load() -> None:
        task = asyncio.ensure_future(world.tasks.pop(0))
        for _ in range(20):
            await asyncio.sleep(0)
        with pytest.raises(KafkaError) as caught:
            world.coordinator.slot(0)
        assert caught.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        if in_time:
            world.replicated(1)
        while not task.done():
            world.site.pass_time(1000)
            await asyncio.sleep(0)

    asyncio.run(load())
    assert world.coordinator.slot(0).shard.values == {"k0": "1"}
    assert (world.site.time >= LOAD_PATIENCE_MS) is not in_time


def test_a_log_whose_last_records_are_gone_is_loaded_to_its_end() -> None:
    world = World()
    world.partitions[0].log.truncate_fully(5, 0)
    world.partitions[0].log.raise_high_watermark(5)
    slot = world.load()
    assert (slot.loading, slot.shard.values) == (False, {})


def test_a_record_that_cannot_be_read_is_left_out() -> None:
    world = World()
    world.site.append(TOPIC, 0, batch(b"1"))
    slot = world.load()
    assert slot.shard.values == {"k0": "1"}


def test_loading_ends_when_the_leader_moves_meanwhile() -> None:
    world = World()
    world.site.append(TOPIC, 0, batch(b"1"))
    world.coordinator.elected(world.partitions[0])
    world.coordinator.resigned(0)
    world.run_tasks()
    assert list(world.coordinator.slots()) == []


def test_timers_run_on_their_shard_and_end_with_it() -> None:
    world = World()
    slot = world.load()
    seen: list[float] = []

    def again(now: Instant) -> Outcome:
        seen.append(now.timer)
        return slot.shard.put(("timer", str(now.timer)))[0]

    slot.shard.timers.at(50, slot, again)
    slot.shard.timers.at(10, slot, again).cancel()
    slot.shard.timers.at(70, slot, again)
    assert world.armed == [50, 10]
    world.site.time = 49
    assert world.coordinator.tick() == 50
    world.site.time = 50
    assert world.coordinator.tick() == 70
    assert slot.shard.values == {"timer": "50"}
    world.coordinator.resigned(0)
    world.site.time = 100
    assert world.coordinator.tick() is None
    assert seen == [50]


def test_a_marker_reaches_the_shard() -> None:
    world = World()
    slot = world.load()
    world.coordinator.marker_written(0, 9, 17, committed=False)
    world.coordinator.marker_written(5, 9, 17, committed=False)
    assert slot.shard.markers == [(9, 17, False)]


def test_keys_find_their_partition() -> None:
    world = World(3)
    assert [world.coordinator.partition_of(key) for key in ("a", "b", "c")] == [1, 2, 0]


def test_it_is_remembered_how_long_a_partition_took_to_load() -> None:
    world = World()
    times = iter((1000.0, 1250.0))
    world.coordinator.environment.timer = lambda: next(times, 2000.0)
    assert list(world.coordinator.load_times) == []
    world.load()
    assert list(world.coordinator.load_times) == [250]
