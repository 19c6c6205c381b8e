"""Finding, adding and taking out segments."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.segment_list import SegmentList
from pykafka_ops.broker.storage.log_home import LogHome
from pykafka_ops.broker.storage.snapshots import Snapshots
from tests.support.memory.files import MemoryFiles

BASES = [10, 20, 30]


@pytest.fixture
def files() -> MemoryFiles:
    made = MemoryFiles()
    made.make_directory("/data/t-0")
    return made


@pytest.fixture
def segments(files: MemoryFiles) -> SegmentList:
    place = PartitionDir(LogHome("/data", files), "t", 0, TopicConfig(file_delete_delay_ms=0))
    made = SegmentList(place)
    made.fill([made.create(base, 0) for base in BASES])
    return made


@pytest.mark.parametrize(
    ("offset", "index", "since"),
    [(5, -1, [10, 20, 30]), (10, 0, [10, 20, 30]), (29, 1, [20, 30]), (99, 2, [30])],
)
def test_a_segment_is_found_by_offset(
    segments: SegmentList, offset: int, index: int, since: list[int]
) -> None:
    assert segments.index_of(offset) == index
    assert [s.base_offset for s in segments.since(offset)] == since


@pytest.mark.parametrize(
    ("bases", "here"),
    [([10], True), ([10, 20], True), ([20, 30], False), ([10, 30], False), ([15], False)],
)
def test_only_neighbours_that_are_not_active_may_be_replaced(
    segments: SegmentList, bases: list[int], here: bool
) -> None:
    assert (segments.neighbours(bases) is not None) == here


def test_a_new_segment_is_appended_to(segments: SegmentList, files: MemoryFiles) -> None:
    new = segments.roll(40, now=7)
    assert segments.active is new
    assert (segments.bases, segments[2].modified_ms) == ([*BASES, 40], 7)
    assert files.exists("/data/t-0/00000000000000000040.log")


def test_a_roll_that_fails_leaves_the_old_segment_active(
    segments: SegmentList, files: MemoryFiles
) -> None:
    files.fail_next_write(errno.ENOSPC)
    with pytest.raises(OSError, match="No space"):
        segments.roll(40, now=7)
    assert (segments.bases, segments.active.base_offset) == (BASES, 30)


def test_segments_are_taken_out_at_both_ends(segments: SegmentList) -> None:
    assert [s.base_offset for s in segments.take_after(25)] == [30]
    assert [s.base_offset for s in segments.take_first(1)] == [10]
    assert (segments.bases, len(segments)) == ([20], 1)


def test_a_segment_takes_the_place_of_several(segments: SegmentList) -> None:
    new = segments.create(10, 0)
    segments.replace(list(segments)[:2], new)
    assert (segments.bases, segments[0]) == ([10, 30], new)


def test_snapshots_go_with_their_segments(segments: SegmentList, files: MemoryFiles) -> None:
    snapshots = Snapshots(files, "/data/t-0", [10, 30])
    for offset in snapshots.offsets:
        files.write(snapshots.path(offset), b"")
    segments.remove_later(segments.take_first(1), snapshots)
    left = {info.name for info in files.list("/data/t-0")}
    assert not any("00000000000000000010" in name for name in left)
    assert (snapshots.offsets, len(left)) == ([30], 7)
