"""Appending as follower, and appending to failing disks."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, headers, values


def refused(code: ErrorCode, call: Callable[[], object]) -> None:
    with pytest.raises(KafkaError) as caught:
        call()
    assert ErrorCode(caught.value.code) == code


# -- followers -------------------------------------------------------------------------------------


def fetched(world: World) -> memoryview:
    """Everything in the log, as a follower gets it."""
    parts = [world.files.read(segment.path(".log")) for segment in world.log.segments]
    return memoryview(bytearray(b"".join(parts)))


def test_a_follower_becomes_a_copy_of_its_leader() -> None:
    leader, follower = World(index_interval_bytes=100), World(index_interval_bytes=100)
    txn = {"producer_epoch": 0, "transactional": True}
    leader.append(b"plain", epoch=2)
    leader.append(b"a", producer_id=1, base_sequence=0, epoch=3, **txn)
    leader.end_txn(1, commit=False)
    leader.append(b"b", producer_id=2, base_sequence=0, epoch=3, **txn)
    data = fetched(leader)
    assert follower.log.append_as_follower(data[:-5])[:2] == (0, 2)
    assert follower.log.log_end_offset == 3
    follower.log.append_as_follower(data[-headers(data)[-1].size :])
    assert fetched(follower) == data
    assert follower.log.epoch_entries() == leader.log.epoch_entries()
    assert follower.log.producers.entries() == leader.log.producers.entries()
    follower.log.high_watermark = 4
    assert follower.log.last_stable_offset == 3
    assert follower.log.aborted_transactions(0, 4) == [(1, 1)]


def test_a_follower_refuses_damage_and_offsets_it_has() -> None:
    leader, follower = World(), World()
    leader.append(b"a")
    data = fetched(leader)
    follower.log.append_as_follower(data)
    refused(ErrorCode.UNKNOWN_SERVER_ERROR, lambda: follower.log.append_as_follower(data))
    leader.append(b"b")
    data = fetched(leader)[len(data) :]
    data[-1] ^= 1
    refused(ErrorCode.CORRUPT_MESSAGE, lambda: follower.log.append_as_follower(data))
    assert follower.log.log_end_offset == 1


def test_a_follower_takes_old_formats_and_forgets_epochs_then() -> None:
    w = World()
    w.append(b"a", epoch=4)
    old = build_messages([Record(n, NOW, b"k", b"v") for n in (1, 2)], 1)
    assert w.log.append_as_follower(memoryview(bytearray(old)))[:2] == (1, 2)
    assert (w.log.log_end_offset, w.log.latest_epoch) == (3, -1)


# -- failures --------------------------------------------------------------------------------------


def test_a_full_disk_refuses_appends_and_takes_back_what_was_written() -> None:
    w = World()
    w.append(b"a")
    before = bytes(w.files.inodes["/data/t-0/00000000000000000000.log"].data)
    w.files.fail_next_write(errno.ENOSPC, short=20, match=".log")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"b"))
    assert bytes(w.files.inodes["/data/t-0/00000000000000000000.log"].data) == before
    assert w.dir.online
    assert w.append(b"c").first_offset == 1
    assert values(w.log) == [(0, b"a"), (1, b"c")]


def test_a_failing_disk_takes_the_directory_offline() -> None:
    w = World()
    gone = []
    w.dir.on_failure = lambda _, error: gone.append(error.errno)
    w.files.fail_next_write(errno.EIO)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"a"))
    assert (w.dir.online, gone) == (False, [errno.EIO])


def test_a_write_that_cannot_be_taken_back_takes_the_directory_offline() -> None:
    w = World()
    w.files.fail_next_write(errno.ENOSPC, short=20, match=".log")
    w.files.fail("truncate")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"a"))
    assert not w.dir.online


def test_an_abort_without_room_for_its_index_entry_leaves_no_marker() -> None:
    w = World()
    w.append(b"a", producer_id=1, base_sequence=0, producer_epoch=0, transactional=True)
    w.files.fail("append", error=errno.ENOSPC, match=".txnindex", short=10)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.end_txn(1, commit=False))
    assert w.log.log_end_offset == 1
    w.files.fail("append", error=errno.ENOSPC, match=".log", short=10)
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.end_txn(1, commit=False))
    assert w.log.segments[0].aborted() == []
    w.end_txn(1, commit=False)
    w.log.high_watermark = 2
    assert (w.log.last_stable_offset, w.log.aborted_transactions(0, 2)) == (2, [(1, 0)])


def test_a_roll_without_room_leaves_the_old_segment_in_use() -> None:
    w = World(segment_bytes=200)
    w.append(b"x" * 50)
    w.files.fail("write", error=errno.ENOSPC, match="00000000000000000001.timeindex")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"x" * 100))
    assert [s.base_offset for s in w.log.segments] == [0]
    assert not any("00000000000000000001" in name for name in w.files.inodes)
    w.append(b"x" * 100)
    assert [s.base_offset for s in w.log.segments] == [0, 1]


def test_flush_messages_makes_each_batch_durable() -> None:
    w = World(flush_messages=2)
    w.append(b"a")
    assert w.log.recovery_point == 0
    w.append(b"b")
    assert w.log.recovery_point == 2
    w.files.fail_next_sync()
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"c", b"d"))
    assert not w.dir.online
