"""Which producer snapshots are kept, and which one is loaded."""

from __future__ import annotations

from pykafka_ops.broker.state.producers import BatchMetadata, Producers
from pykafka_ops.broker.storage.snapshots import Snapshots
from tests.support.memory.files import MemoryFiles

DAY = 86_400_000


def made(*offsets: int) -> Snapshots:
    """One producer per snapshot taken."""
    files = MemoryFiles()
    files.make_directory("/d")
    snapshots, producers = Snapshots(files, "/d"), Producers("t-0")
    for offset in offsets:
        producers.add_batch(offset, 0, BatchMetadata(0, offset - 1, 0, 100))
        producers.end_offset = offset
        assert snapshots.take(producers) == snapshots.path(offset)
    return snapshots


def on_disk(snapshots: Snapshots) -> list[int]:
    return sorted(int(f.name[:20]) for f in snapshots.files.list("/d"))


def test_a_state_that_is_not_newer_is_not_written() -> None:
    snapshots = made(5)
    producers = Producers("t-0")
    producers.end_offset = 5
    assert snapshots.take(producers) is None


def test_the_newest_sound_one_within_the_log_is_loaded() -> None:
    snapshots = made(5, 10, 15, 20)
    snapshots.files.write(snapshots.path(15), b"damaged")
    producers = Producers("t-0")
    snapshots.load(producers, 5, 17, now=0, expiration_ms=DAY)
    assert (producers.end_offset, len(producers), snapshots.last_offset) == (10, 2, 10)
    assert on_disk(snapshots) == [5, 10, 20], "damaged ones are gone"
    snapshots.keep_between(5, 17)
    assert on_disk(snapshots) == [10], "and so are those that can be of no use"


def test_without_any_the_state_begins_at_the_log_start() -> None:
    snapshots = made()
    producers = Producers("t-0")
    snapshots.load(producers, 7, 9, now=0, expiration_ms=DAY)
    assert (producers.end_offset, len(producers)) == (7, 0)


def test_those_of_segments_and_the_one_of_a_clean_stop_are_kept() -> None:
    snapshots = made(5, 10, 15, 20)
    snapshots.remove_stray([0, 10, 15])
    assert on_disk(snapshots) == [10, 15, 20]
    snapshots = made(5, 10, 15, 20)
    snapshots.remove_stray([0, 10, 30])
    assert on_disk(snapshots) == [10]
    snapshots.clear()
    assert on_disk(snapshots) == []


def test_a_listing_names_them() -> None:
    snapshots = made(5, 10)
    snapshots.files.write("/d/00000000000000000005.log", b"")
    snapshots.files.write("/d/00000000000000000007.snapshot.deleted", b"")
    found = Snapshots.among(snapshots.files, "/d", snapshots.files.list("/d"))
    assert found.offsets == [5, 10]
