"""Disks under log directories: each is counted once, and what cannot be told is not said."""

from __future__ import annotations

import pytest

from pykafka_ops.client.glance import NEAR_BYTES, DiskRoom, disk_room
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo

GIB = 1 << 30
TOTAL = 100 * GIB
UNKNOWN = DiskRoom(None, None)


def room(*dirs: tuple[int, int, int]) -> DiskRoom:
    """Of directories with (total, free, bytes of their replicas)."""
    found = [
        LogDirDescription(f"/d{n}", None, total, free, [ReplicaInfo("orders", n, held, 0, False)])
        for n, (total, free, held) in enumerate(dirs)
    ]
    return disk_room({1: found}, 1)


def test_directories_with_equal_numbers_are_on_one_disk() -> None:
    assert room((TOTAL, 40 * GIB, GIB), (TOTAL, 40 * GIB, GIB)) == (TOTAL, 40 * GIB)


def test_what_was_written_between_two_looks_at_one_disk_does_not_make_it_two() -> None:
    later = 40 * GIB - 8192
    assert room((TOTAL, 40 * GIB, GIB), (TOTAL, later, GIB)) == (TOTAL, later)
    both = ((TOTAL, 40 * GIB, GIB), (TOTAL, later, GIB), (2 * TOTAL, 5 * GIB, GIB))
    assert room(*both) == (3 * TOTAL, later + 5 * GIB)


@pytest.mark.parametrize(
    ("free", "held"),
    [(40 * GIB, 40 * GIB), (99 * GIB, GIB // 4)],
    ids=["they hold more than one disk does", "they are nearly empty"],
)
def test_of_disks_that_may_be_one_or_two_nothing_is_said(free: int, held: int) -> None:
    assert room((TOTAL, free, held), (TOTAL, free - 8192, held)) == UNKNOWN


def test_disks_of_other_sizes_or_with_other_room_are_several() -> None:
    assert room((TOTAL, 40 * GIB, 0), (2 * TOTAL, 40 * GIB, 0)) == (3 * TOTAL, 80 * GIB)
    apart = 40 * GIB - NEAR_BYTES - 1
    assert room((TOTAL, 40 * GIB, 0), (TOTAL, apart, 0)) == (2 * TOTAL, 40 * GIB + apart)


def test_a_broker_that_tells_no_numbers_has_no_known_room() -> None:
    assert room((-1, -1, GIB)) == UNKNOWN
    assert room((TOTAL, -1, GIB)) == UNKNOWN
    assert disk_room({}, 1) == UNKNOWN
