"""Batches that a follower appends in one go leave what each of them by itself leaves."""

from __future__ import annotations

import errno
import random
from typing import Any

import pytest

from pykafka_ops.broker.storage.copied.batches import stretch, usual
from pykafka_ops.broker.storage.log import appender
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, batch_of, refused

SETTINGS = {"index_interval_bytes": 300, "segment_bytes": 4000}


def written(dice: random.Random, count: int) -> memoryview:
    """What a leader has after so many appends of all kinds, by its file."""
    leader, sequences = World(segment_bytes=1 << 20), {1: 0, 2: 0, 3: 0}
    epoch = dice.randrange(3)
    for _ in range(count):
        values = [b"x" * dice.randrange(60)] * dice.randrange(1, 4)
        how: dict[str, Any] = {"timestamp": NOW + dice.randrange(-50, 50), "epoch": epoch}
        producer = dice.choice([0, 0, 1, 2])
        if producer:
            how |= {"producer_id": producer, "producer_epoch": 0}
            how["base_sequence"] = sequences[producer]
            sequences[producer] += len(values)
        leader.append(*values, **how)
        if dice.random() < 0.03:
            transaction = {"producer_id": 3, "producer_epoch": 0, "transactional": True}
            leader.append(b"t", epoch=epoch, base_sequence=sequences[3], **transaction)
            sequences[3] += 1
            leader.end_txn(3, commit=dice.random() < 0.5)
        if dice.random() < 0.03:
            epoch += 1
    (segment,) = leader.log.segments
    return memoryview(bytearray(leader.files.read(segment.path(".log"))))


def follow(pieces: list[memoryview]) -> World:
    follower = World(**SETTINGS)
    for piece in pieces:
        follower.log.append_as_follower(piece)
    return follower


def left(world: World) -> object:
    """All that is kept of a log."""
    log, tail = world.log, world.log.tail
    segments = [
        (s.base_offset, s.size, s.oldest, s.max_timestamp, s.max_timestamp_offset, s.index_full)
        for s in log.segments
    ]
    for segment in log.segments:
        segment.write_indexes()
    files = {name: bytes(inode.data) for name, inode in world.files.inodes.items()}
    places = list(tail.offsets), list(tail.positions)
    ends = tail.end, tail.first_unstable, tail.latest_epoch, tail.producers.end_offset
    return segments, files, places, ends, log.producers.entries(), log.epochs.entries()


@pytest.mark.parametrize("seed", range(40))
def test_it_is_what_the_careful_code_leaves(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(seed)
    data = written(dice, dice.randrange(1, 120))
    pieces, start = [], 0
    while start < len(data):
        end = stretch(data, start, dice.randrange(1, 60))
        pieces.append(data[start:end])
        start = end
    taken: list[int] = []

    def watched(*what: Any) -> int:
        taken.append(usual(*what))
        return taken[-1]

    monkeypatch.setattr(appender, "usual", watched)
    quick = left(follow(pieces))
    monkeypatch.setattr(appender, "usual", lambda *_: -1)
    assert quick == left(follow(pieces))
    assert len(taken) == len(pieces)


def test_the_usual_is_taken_and_a_cut_batch_left_out() -> None:
    follower, leader = World(), World()
    for n in range(10):
        leader.append(b"a", timestamp=NOW + n)
    data = memoryview(bytearray(leader.files.read(leader.log.segments[0].path(".log"))))
    size = len(data) // 10
    assert follower.log.append_as_follower(data[:size])[:2] == (0, 0)
    active = follower.log.open()
    for cut in (0, 1, 17):
        assert usual(follower.log.tail, active, data[size : 9 * size + cut]) == 8 * size
    assert usual(follower.log.tail, active, data[size : 9 * size + 18]) == -1  # by the header
    assert usual(follower.log.tail, active, data[size:-1]) == 8 * size
    assert follower.log.append_as_follower(data[size:-1])[:2] == (1, 8)
    assert usual(follower.log.tail, active, data[size:]) == -1


def test_nothing_is_written_of_what_has_a_damaged_batch() -> None:
    leader, follower = World(), World()
    for _ in range(5):
        leader.append(b"a")
    data = memoryview(bytearray(leader.files.read(leader.log.segments[0].path(".log"))))
    follower.log.append_as_follower(data[: len(data) // 5])
    data[-1] ^= 1
    rest = data[len(data) // 5 :]
    refused(ErrorCode.CORRUPT_MESSAGE, lambda: follower.log.append_as_follower(rest))
    assert (follower.log.log_end_offset, follower.log.size) == (1, len(data) // 5)


def test_a_write_that_fails_leaves_what_was_written_before() -> None:
    leader = World()
    for _ in range(40):
        leader.append(b"a" * 50)
    data = memoryview(bytearray(leader.files.read(leader.log.segments[0].path(".log"))))
    size = len(data) // 40
    follower = World(index_interval_bytes=5 * size)
    follower.log.append_as_follower(data[:size])
    follower.files.fail_next_write(errno.ENOSPC, match=".log")
    refused(
        ErrorCode.KAFKA_STORAGE_ERROR,
        lambda: follower.log.append_as_follower(data[size : 20 * size]),
    )
    end = follower.log.log_end_offset
    assert follower.log.size == end * size
    follower.home.full = False
    follower.log.append_as_follower(data[end * size :])
    assert follower.files.read(follower.log.segments[0].path(".log")) == bytes(data)


def test_numbers_that_nobody_sends_are_not_usual() -> None:
    follower = World()
    follower.append(b"a")
    batch = batch_of(b"b")
    batch[:8] = (2**63 - 1).to_bytes(8, "big")
    batch[12:16] = bytes(4)
    batch[23:27] = (2**31 - 1).to_bytes(4, "big")
    assert appender.usual_bytes(follower.log._parts, batch) <= 0
    assert follower.log.log_end_offset == 1


def test_stretches_of_what_is_no_batch_end_with_it() -> None:
    assert stretch(memoryview(b""), 0, 5) == 0
    assert stretch(memoryview(bytes(12)), 0, 5) == 12
    assert stretch(memoryview(b"\xff" * 40), 0, 2) == 24
    assert stretch(memoryview(b"\x7f" * 40), 0, 2) == 40
