"""When a log begins a new segment."""

from __future__ import annotations

import errno
import struct

from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, World, batch_of, refused, values


def test_a_segment_rolls_when_it_is_full() -> None:
    size = len(batch_of(b"x" * 50))
    w = World(segment_bytes=3 * size)
    for _ in range(7):
        w.append(b"x" * 50)
    assert [s.base_offset for s in w.log.segments] == [0, 3, 6]
    assert [s.size for s in w.log.segments] == [3 * size, 3 * size, size]
    assert w.log.durability.recovery_point == 6
    names = {n.rsplit("/")[-1] for n in w.files.inodes}
    assert {"00000000000000000003.snapshot", "00000000000000000006.snapshot"} <= names
    assert len(values(w.log)) == 7


def test_a_segment_rolls_by_the_time_of_its_records() -> None:
    w = World(segment_ms=1000)
    w.append(b"a", timestamp=NOW)
    w.append(b"a", timestamp=NOW + 1000)
    w.append(b"a", timestamp=NOW - 5000)
    assert len(w.log.segments) == 1
    w.append(b"a", timestamp=NOW + 1001)
    assert [s.base_offset for s in w.log.segments] == [0, 3]


def test_a_segment_without_timestamps_rolls_by_the_clock() -> None:
    w = World(segment_ms=1000)
    w.append(b"a", timestamp=-1)
    w.now += 1000
    w.append(b"a", timestamp=-1)
    assert len(w.log.segments) == 1
    w.now += 1
    w.append(b"a", timestamp=-1)
    assert [s.base_offset for s in w.log.segments] == [0, 2]


def test_a_segment_rolls_when_an_index_is_full() -> None:
    w = World(index_interval_bytes=0, segment_index_bytes=36)
    for n in range(8):
        w.append(b"a", timestamp=NOW + n)
    assert [s.base_offset for s in w.log.segments] == [0, 3, 6]


def test_jitter_rolls_earlier() -> None:
    w = World(segment_ms=1000, segment_jitter_ms=1000)
    jitter = w.log.segments[0].jitter_ms
    assert 0 <= jitter < 1000
    w.append(b"a", timestamp=NOW)
    w.append(b"a", timestamp=NOW + 1000 - jitter)
    assert len(w.log.segments) == 1
    w.append(b"a", timestamp=NOW + 1001 - jitter)
    assert len(w.log.segments) == 2


def test_offsets_too_far_from_the_base_roll_a_segment() -> None:
    w = World()
    far = 2**31 + 5
    w.append(b"a")
    data = batch_of(b"b")
    struct.pack_into(">q", data, 0, far)
    w.log.append_as_follower(data)
    assert [s.base_offset for s in w.log.segments] == [0, far]
    assert values(w.log, 1) == [(far, b"b")]


def test_a_roll_without_room_leaves_the_old_segment_in_use() -> None:
    w = World(segment_bytes=200)
    w.append(b"x" * 50)
    w.files.fail("write", error=errno.ENOSPC, match="00000000000000000001.timeindex")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.append(b"x" * 100))
    assert [s.base_offset for s in w.log.segments] == [0]
    assert not any("00000000000000000001" in name for name in w.files.inodes)
    w.append(b"x" * 100)
    assert [s.base_offset for s in w.log.segments] == [0, 1]
