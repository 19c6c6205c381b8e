"""Appending as follower."""

from __future__ import annotations

from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, headers, refused


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
    assert follower.log.epochs.entries() == leader.log.epochs.entries()
    assert follower.log.producers.entries() == leader.log.producers.entries()
    follower.log.raise_high_watermark(4)
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
