"""What is synced, when, and what that tells."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.broker.storage.log.durability import FlushJob
from pykafka_ops.broker.storage.log_home import Job
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, SIZE, World, refused


class Queue:
    """Jobs that other threads would run."""

    def __init__(self, world: World) -> None:
        self.jobs: list[Job] = []
        world.home.submit = self.jobs.append  # type: ignore[method-assign]


def test_the_recovery_point_follows_a_flush_in_the_background() -> None:
    w = World()
    queue = Queue(w)
    w.append(b"a")
    w.log.roll()
    (job,) = queue.jobs
    assert isinstance(job, FlushJob)
    assert w.log.durability.recovery_point == 0
    job.run()
    assert w.log.durability.recovery_point == 0
    job.done()
    assert w.log.durability.recovery_point == 1
    assert w.files.inodes["/data/t-0/00000000000000000000.log"].durable


def test_a_flush_that_was_overtaken_by_a_truncation_does_not_count() -> None:
    w = World()
    queue = Queue(w)
    w.append(b"a")
    w.append(b"b")
    w.log.roll()
    (job,) = queue.jobs
    w.log.truncate_to(1)
    w.append(b"c")
    w.append(b"d")
    job.run()
    job.done()
    assert w.log.durability.recovery_point == 0


def test_a_failed_sync_is_the_end_of_the_directory() -> None:
    w = World()
    w.append(b"a")
    w.files.fail_next_sync(errno.ENOSPC)
    with pytest.raises(KafkaError) as caught:
        w.log.flush()
    assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert (w.home.online, w.log.durability.recovery_point) == (False, 0)


def test_flush_messages_makes_each_batch_durable() -> None:
    w = World(flush_messages=2)
    w.append(b"a")
    assert w.log.durability.recovery_point == 0
    w.append(b"b")
    assert w.log.durability.recovery_point == 2
    w.files.fail_next_sync()
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"c", b"d"))
    assert not w.home.online


def test_the_time_index_of_a_closed_segment_is_durable_though_its_records_were_before() -> None:
    w = World(flush_messages=1, segment_bytes=4 * SIZE)
    for n in range(5):
        w.append(b"x" * 20, timestamp=NOW + n)
    name = "/data/t-0/00000000000000000000.timeindex"
    inode = w.files.inodes[name]
    assert inode.data
    assert bytes(inode.data) == inode.durable


def test_how_long_a_flush_took_is_told() -> None:
    w = World()
    found: list[float] = []
    w.home.on_synced = found.append
    times = iter(range(0, 1000, 7))
    w.home.settings.timer = lambda: float(next(times))
    w.append(b"a")
    w.log.flush()
    assert found == [7.0]
    w.append(b"b")
    w.files.fail_next_sync(errno.EIO)
    with pytest.raises(KafkaError):
        w.log.flush()
    assert found == [7.0]
