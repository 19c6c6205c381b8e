"""A crash between any two file operations of a compaction: the next start puts it right."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.broker.storage.log_home import LogHome
from pykafka_ops.broker.storage.recovery import Recovery
from pykafka_ops.errors import KafkaError
from tests.support.memory.compaction import CleanWorld, records
from tests.support.memory.files import MemoryFiles

Found = list[tuple[int, bytes | None, bytes | None]]
CHANGES = ("append", "write", "rename", "remove", "sync", "sync_directory", "truncate", "open")


class CrashError(BaseException):
    """The process ends here."""


class CrashingFiles(MemoryFiles):
    """Ends the process before the n-th operation that changes something."""

    left: int | None = None

    def check(self, operation: str, path: str) -> Any:
        if self.left is not None and operation in CHANGES:
            if not self.left:
                raise CrashError
            self.left -= 1
        return super().check(operation, path)


def world() -> CleanWorld:
    """Keys, tombstones, a producer whose last batch goes, all synced."""
    w = CleanWorld(segment_bytes=600, delete_retention_ms=0)
    files = CrashingFiles()
    files.inodes, files.folders, files.now = w.files.inodes, w.files.folders, w.files.now
    w.files = files
    w.reopen(end_offset=0)
    w.put(("p", "1"), ("k0", "1"), producer_id=4, producer_epoch=0, base_sequence=10)
    for n in range(40):
        w.put((f"k{n % 5}", f"{n}" + "v" * 30), (f"d{n % 3}", None if n > 20 else "x"))
    w.put(("p", "2"))
    for n in range(12):
        w.put((f"q{n}", "z" * 50))
    w.log.flush()
    return w


def crash(w: CleanWorld, after: int) -> bool:
    """Clean until the ``after``-th change; whether it got that far."""
    assert isinstance(w.files, CrashingFiles)
    job = w.job()
    w.files.left = after
    try:
        w.clean()
    except CrashError:
        return True
    finally:
        w.files.left = None
    assert job.segments
    return False


def recover(w: CleanWorld) -> None:
    point = w.log.durability.recovery_point
    done = Recovery(w.files, "/data/t-0", w.config, recovery_point=point, settings=w.settings).run()
    assert done.truncated == 0
    w.home = LogHome("/data", w.files, w.settings)
    w.reopen(end_offset=done.end_offset, recovery_point=done.recovery_point)


def last_values(found: Found) -> dict[bytes | None, bytes]:
    last = {key: value for _, key, value in found}
    return {key: value for key, value in last.items() if value is not None}


def check(w: CleanWorld, before: Found, end: int) -> None:
    found = records(w.log)
    assert w.log.log_end_offset == end
    assert [o for o, _, _ in found] == sorted({o for o, _, _ in found})
    assert set(found) <= set(before)
    assert last_values(found) == last_values(before)
    producers = {p: s.last_sequence for p, s in w.log.producers}
    assert producers == {4: 11}
    leftovers = (".cleaned", ".swap", ".deleted")
    assert not [p for p in w.files.inodes if p.endswith(leftovers)]


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("power", [False, True], ids=["kill", "power cut"])
def test_every_step_can_be_the_last(power: bool, every: int) -> None:
    after, more = 0, True
    while more:
        w = world()
        before, end = records(w.log), w.log.log_end_offset
        more = crash(w, after)
        if power:
            w.files.lose_unsynced()
        else:
            w.files.crash()
        recover(w)
        check(w, before, end)
        w.clean()
        check(w, before, end)
        after += every
    assert after > 60


@pytest.mark.parametrize("every", [11, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("again", [1, 3, 8])
def test_the_recovery_may_be_killed_too(again: int, every: int) -> None:
    after, more = 0, True
    while more:
        w = world()
        assert isinstance(w.files, CrashingFiles)
        before, end = records(w.log), w.log.log_end_offset
        more = crash(w, after)
        w.files.crash()
        w.files.left = again
        try:
            recover(w)
        except CrashError:
            w.files.left = None
            recover(w)
        w.files.left = None
        check(w, before, end)
        after += every
    assert after > 60


def fails(operation: str, match: str, error: int) -> Callable[[CleanWorld], None]:
    return lambda w: w.files.fail(operation, match=match, error=error)


@pytest.mark.parametrize(
    "plan",
    [
        fails("append", ".log.cleaned", errno.EIO),
        fails("append", ".log.cleaned", errno.ENOSPC),
        fails("sync", ".log.cleaned", errno.EIO),
        fails("write", ".index.cleaned", errno.ENOSPC),
        fails("read", ".log", errno.EIO),
    ],
)
def test_a_disk_that_fails_meanwhile_leaves_the_log_as_it_was(
    plan: Callable[[CleanWorld], None],
) -> None:
    w = world()
    before = records(w.log)
    job = w.job()
    plan(w)
    with pytest.raises(OSError):
        w.clean()
    assert job.segments
    assert records(w.log) == before
    assert not [p for p in w.files.inodes if p.endswith(".cleaned")]


def test_a_rename_that_fails_takes_the_directory_offline() -> None:
    w = world()
    w.files.fail("rename", match=".log.cleaned", error=errno.EIO)
    with pytest.raises(KafkaError):
        w.clean()
    assert not w.home.online
