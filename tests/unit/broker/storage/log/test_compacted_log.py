"""A log as the cleaner sees it: what may be cleaned, and what may be put in place."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.broker.storage.cleaner.job import CleanedSegment
from tests.support.memory.logs import NOW, World, filled


def emptied(world: World, *bases: int) -> CleanedSegment:
    """What the cleaner gives if nothing is left of these segments."""
    path = f"{world.log.place.path}/{bases[0]:020d}"
    for kind in (".log", ".index", ".timeindex"):
        world.files.write(f"{path}{kind}.cleaned", b"")
    return CleanedSegment(list(bases), size=0, modified_ms=NOW)


def test_the_active_segment_is_never_cleaned() -> None:
    w = filled()
    found = w.log.compaction.cleanable(w.now)
    job = w.log.compaction.job(found, w.now)
    assert [source.base_offset for source in job.segments] == [0, 4]
    assert (job.later, found.first_dirty, found.first_uncleanable) == ([8], 0, 8)


def test_a_cleaned_segment_takes_the_place_of_those_it_replaces() -> None:
    w = filled(file_delete_delay_ms=0)
    swap = w.log.compaction.put_in_place(emptied(w, 0, 4))
    assert swap is not None
    assert (w.bases(), [s.base_offset for s in swap.old]) == ([0, 8], [0, 4])
    swap.run()
    swap.done()
    swap.settle()
    swap.removal().run()
    left = {name for name in w.names() if name.startswith("0000000000000000000")}
    assert {name[:20] for name in left} == {f"{0:020d}", f"{8:020d}"}
    assert not any(name.endswith((".cleaned", ".swap", ".deleted")) for name in left)
    assert w.log.size == w.log.segments[-1].size


@pytest.mark.parametrize("bases", [(0, 8), (8,), (4, 8), (3,)])
def test_what_is_not_here_as_it_was_is_not_replaced(bases: tuple[int, ...]) -> None:
    w = filled()
    assert w.log.compaction.put_in_place(emptied(w, *bases)) is None
    assert w.bases() == [0, 4, 8]


def test_nothing_is_replaced_in_a_log_that_was_closed_meanwhile() -> None:
    w = filled()
    compaction, cleaned = w.log.compaction, emptied(w, 0)
    w.log.abandon()
    assert compaction.put_in_place(cleaned) is None


@pytest.mark.parametrize("closed", [False, True])
def test_a_disk_that_cannot_rename_fails_unless_the_log_is_closed(closed: bool) -> None:
    w = filled()
    swap = w.log.compaction.put_in_place(emptied(w, 0))
    assert swap is not None
    w.files.fail("rename", error=errno.EIO)
    swap.run()
    if closed:
        w.log.abandon()
    swap.done()
    assert w.home.online is closed
