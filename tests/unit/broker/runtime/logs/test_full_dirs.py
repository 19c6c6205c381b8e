"""A full disk: others lead until there is room again, and what nobody else can lead stays."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from pykafka_ops.broker.runtime.logs import full_dirs
from pykafka_ops.broker.runtime.logs.full_dirs import FullDirs, has_room
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment
from pykafka_ops.broker.state.image import MetadataDelta, PartitionImage
from pykafka_ops.broker.storage.log_home import NoSpaceError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.handler_site import batch
from tests.unit.broker.runtime.replication.test_order_executor import ID, ME, OTHER, Desk

MIB = 1 << 20


class Disk(Desk):
    """Its files, on a disk that is filled and emptied."""

    def __init__(self) -> None:
        super().__init__()
        self.announced = 0
        self.full_dirs = FullDirs(self.logs, self.replicas, self.image, self.announce)
        self.logs.on_full = self.full_dirs.filled

    async def announce(self) -> None:
        self.announced += 1

    def fill(self) -> None:
        self.files.capacity = self.files.used + 10

    def write(self, index: int = 0) -> None:
        partition = self.replicas.find("t", index)
        assert partition is not None
        self.replicas.append(partition, memoryview(bytearray(batch(b"x" * 100))), now=1000)

    def told(self, leader: int) -> None:
        """The controller's news of who leads the partition."""
        image = PartitionImage.of(
            LeaderAndIsr(leader, 9, (leader,), 1, 1), ReplicaAssignment((ME, OTHER)), ()
        )
        self.image.apply(
            MetadataDelta(
                controller_id=OTHER,
                controller_epoch=1,
                partitions={"t": {0: image}},
                topic_ids={"t": ID},
                brokers=list(self.image.brokers.values()),
            )
        )

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(100):
            while not condition():
                await asyncio.sleep(0.001)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setattr(full_dirs, "LOOK_SECONDS", 0.001)
    return Disk()


def run(body: Coroutine[Any, Any, None]) -> None:
    asyncio.run(body)


def test_others_lead_what_is_on_a_full_disk_until_there_is_room(disk: Disk) -> None:
    async def body() -> None:
        disk.order(ME, 3, is_new=True)
        disk.write()
        assert disk.announced == 0
        disk.fill()
        with pytest.raises(NoSpaceError):
            disk.write()
        await disk.until(lambda: disk.announced == 1)
        assert disk.order(ME, 3) == {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}
        assert disk.order(ME, 4) == {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}
        await disk.until(lambda: disk.announced == 3)
        disk.told(OTHER)
        asked = disk.announced
        await asyncio.sleep(0.05)
        assert disk.announced <= asked + 1, "the others have it as far as it knows"
        assert disk.order(OTHER, 5, partition_epoch=1) == {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}
        before = disk.announced
        disk.files.capacity = disk.files.used + 2 * MIB
        await disk.until(lambda: disk.announced == before + 1)
        assert disk.order(OTHER, 5, partition_epoch=1) == {}
        assert disk.order(ME, 6, partition_epoch=2) == {}
        disk.write()

    run(body())


def test_a_follower_says_that_it_is_back_though_nothing_else_has_changed(disk: Disk) -> None:
    async def body() -> None:
        disk.order(OTHER, 3, is_new=True)
        (data_dir,) = [d for d in disk.logs.dirs if d.partitions]
        data_dir.home.full = True
        assert disk.order(OTHER, 3) == {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}
        disk.stop(3, delete=False)  # as Apache Kafka's controller does then
        assert disk.fetchers.following == {}
        data_dir.home.full = False
        assert disk.order(OTHER, 3) == {}
        assert disk.fetchers.following == {("t", 0): (OTHER, 3)}
        assert disk.order(OTHER, 3) == {("t", 0): ErrorCode.STALE_CONTROLLER_EPOCH}

    run(body())


def test_what_nobody_else_can_lead_stays_and_is_written_as_soon_as_there_is_room(
    disk: Disk,
) -> None:
    async def body() -> None:
        disk.order(ME, 3, replicas=(ME,), is_new=True)
        disk.fill()
        with pytest.raises(NoSpaceError):
            disk.write()
        assert disk.order(ME, 4, replicas=(ME,)) == {}
        disk.files.capacity = disk.files.used + 2 * MIB
        disk.write()
        (full,) = [d for d in disk.logs.dirs if d.home.full]
        await disk.until(lambda: not full.home.full)
        assert disk.announced == 0
        assert not disk.logs.offline

    run(body())


def test_a_disk_that_only_seems_to_have_room_is_left_alone_for_longer_each_time(
    disk: Disk,
) -> None:
    async def body() -> None:
        disk.order(ME, 3, is_new=True)
        (data_dir,) = [d for d in disk.logs.dirs if d.partitions]
        for round_, looks in enumerate((1, 2, 4), 1):
            disk.files.fail_next_write(errno.EDQUOT, match=".log")
            with pytest.raises(NoSpaceError):
                disk.write()
            assert data_dir.home.full
            assert disk.full_dirs._looks[data_dir] == looks
            await disk.until(lambda: not data_dir.home.full)
            await disk.until(lambda wanted=2 * round_: disk.announced == wanted)
        disk.write()

    run(body())


def test_new_logs_are_made_where_there_is_room(disk: Disk) -> None:
    async def body() -> None:
        first, second = disk.logs.dirs
        first.home.full = True
        for index in range(3):
            disk.order(ME, 3, is_new=True, index=index)
        assert len(second.partitions) == 3

    run(body())


def test_nothing_is_announced_once_the_broker_stops(disk: Disk) -> None:
    async def body() -> None:
        disk.order(ME, 3, is_new=True)
        disk.full_dirs.stop()
        disk.fill()
        with pytest.raises(NoSpaceError):
            disk.write()
        await asyncio.sleep(0.01)
        assert disk.announced == 0

    run(body())


@pytest.mark.parametrize(
    ("total", "free", "enough"),
    [
        (16 * MIB, MIB, True),
        (16 * MIB, MIB - 1, False),
        (1000 * MIB, 10 * MIB, True),
        (1000 * MIB, 10 * MIB - 1, False),
        (1 << 50, 64 * MIB, True),
    ],
)
def test_a_hundredth_of_the_disk_is_room_enough(total: int, free: int, enough: bool) -> None:
    assert has_room(total, free) is enough
