"""Real files and files in memory behave alike; descriptors are bounded; faults bite."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.real_files import RealFiles, default_max_open
from tests.support.memory.files import MemoryFiles


@pytest.fixture(params=["real", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Files, str]:
    if request.param == "real":
        return RealFiles(), str(tmp_path)
    files = MemoryFiles()
    files.make_directory("/d")
    return files, "/d"


def test_a_file_is_appended_read_cut_and_synced(place: tuple[Files, str]) -> None:
    files, d = place
    file = files.open(f"{d}/x", create=True)
    file.append(b"hello ")
    file.append(memoryview(bytearray(b"world")))
    assert file.read(100, 6) == b"world"
    assert file.read_cached(5, 6) == b"world"
    assert file.read_cached(9, 6) is None
    file.truncate(5)
    file.append(b"!")
    file.sync()
    assert (file.size(), files.read(f"{d}/x")) == (6, b"hello!")
    private = file.dup()
    file.close()
    assert private.read(5, 0) == b"hello"
    private.close()
    assert file.read(1, 5) == b"!"
    other = files.open_private(f"{d}/x")
    assert other.size() == 6
    other.close()


def test_directories_are_listed_renamed_and_removed(place: tuple[Files, str]) -> None:
    files, d = place
    files.make_directory(f"{d}/a/b")
    with pytest.raises(FileExistsError):
        files.make_directory(f"{d}/a")
    files.write(f"{d}/a/b/x", b"12", sync=True)
    files.write_atomic(f"{d}/a/y", b"3")
    assert files.directories(f"{d}/a") == ["b"]
    assert [(f.name, f.size) for f in files.list(f"{d}/a")] == [("y", 1)]
    assert files.info(f"{d}/a/y").size == 1
    files.rename(f"{d}/a", f"{d}/z")
    assert files.read(f"{d}/z/b/x") == b"12"
    assert files.exists(f"{d}/z") and not files.exists(f"{d}/a")
    files.sync_directory(f"{d}/z")
    files.remove(f"{d}/z/y")
    files.remove(f"{d}/z/y")
    files.remove_tree(f"{d}/z")
    files.remove_tree(f"{d}/z")
    assert files.directories(d) == []


def test_what_is_missing_is_said_as_the_system_says_it(place: tuple[Files, str]) -> None:
    files, d = place
    for call in (
        lambda: files.open(f"{d}/no").read(1, 0),
        lambda: files.open_private(f"{d}/no"),
        lambda: files.read(f"{d}/no"),
        lambda: files.info(f"{d}/no"),
        lambda: files.list(f"{d}/no"),
        lambda: files.directories(f"{d}/no"),
        lambda: files.rename(f"{d}/no", f"{d}/other"),
        lambda: files.write(f"{d}/no/file", b""),
    ):
        with pytest.raises(FileNotFoundError):
            call()


def test_a_lock_is_held_once(place: tuple[Files, str]) -> None:
    files, d = place
    lock = files.lock(f"{d}/.lock")
    with pytest.raises(BlockingIOError):
        files.lock(f"{d}/.lock")
    lock.close()
    files.lock(f"{d}/.lock").close()


def test_space_is_known(place: tuple[Files, str]) -> None:
    files, d = place
    total, usable = files.space(d)
    assert total >= usable >= 0
    assert files.real_path(d)


def test_descriptors_are_bounded_and_files_work_on(tmp_path: Path) -> None:
    files = RealFiles(max_open=8)
    opened = [files.open(f"{tmp_path}/{n}", create=True) for n in range(50)]
    for turn in range(3):
        for n, file in enumerate(opened):
            file.append(b"%d" % (n % 10))
            assert len(files._open) <= 8
            assert file.size() == turn + 1
    assert all(f.read(9, 0) == b"%d" % (n % 10) * 3 for n, f in enumerate(opened))
    for file in opened:
        file.close()
    assert len(files._open) == 0
    assert default_max_open() >= 16


def test_a_used_file_is_not_the_first_to_lose_its_descriptor(tmp_path: Path) -> None:
    files = RealFiles(max_open=4)
    hot = files.open(f"{tmp_path}/hot", create=True)
    cold = [files.open(f"{tmp_path}/{n}", create=True) for n in range(3)]
    files.open(f"{tmp_path}/more", create=True)  # everyone used up the first chance
    closed = []
    for n in range(3):
        hot.append(b"x")
        files.open(f"{tmp_path}/new{n}", create=True)
        closed.append(hot.fd < 0)
    assert closed == [False, False, False]
    assert any(f.fd < 0 for f in cold)


def test_running_out_of_descriptors_closes_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    files = RealFiles(max_open=100)
    for n in range(8):
        files.open(f"{tmp_path}/{n}", create=True)
    real_open, refusals = os.open, [errno.EMFILE]

    def short(path: str, flags: int, mode: int = 0o777) -> int:
        if refusals:
            raise OSError(refusals.pop(), "too many open files")
        return real_open(path, flags, mode)

    monkeypatch.setattr(os, "open", short)
    files.open(f"{tmp_path}/x", create=True).append(b"1")
    assert len(files._open) < 9


# -- the double's faults ---------------------------------------------------------------------------


def test_writes_fail_where_and_when_they_are_told_to() -> None:
    files = MemoryFiles()
    files.make_directory("/d")
    file = files.open("/d/x", create=True)
    files.fail_next_write(errno.ENOSPC, short=2)
    with pytest.raises(OSError) as caught:
        file.append(b"abc")
    assert (caught.value.errno, files.read("/d/x")) == (errno.ENOSPC, b"ab")
    files.fail("append", skip=1, match="/x")
    file.append(b"c")
    with pytest.raises(OSError):
        file.append(b"d")
    file.append(b"e")
    files.fail_next_sync()
    with pytest.raises(OSError):
        file.sync()


def test_a_disk_can_be_full() -> None:
    files = MemoryFiles(capacity=5)
    files.make_directory("/d")
    file = files.open("/d/x", create=True)
    with pytest.raises(OSError) as caught:
        file.append(b"1234567")
    assert (caught.value.errno, file.size(), files.space("/d")) == (errno.ENOSPC, 5, (5, 0))


def test_a_power_cut_leaves_what_was_synced() -> None:
    files = MemoryFiles()
    files.make_directory("/d")
    file = files.open("/d/x", create=True)
    file.append(b"safe")
    file.sync()
    file.append(b"lost")
    files.write("/d/never", b"lost")
    files.lose_unsynced()
    assert (files.read("/d/x"), files.read("/d/never")) == (b"safe", b"")
    file = files.open("/d/x")
    file.append(b"torn")
    files.lose_unsynced(lambda _path, durable, now: now[: len(durable) + 2])
    assert files.read("/d/x") == b"safeto"


def test_a_large_range_that_is_in_memory_is_read_at_once(tmp_path: Path) -> None:
    data = bytes(range(251)) * 4000
    file = RealFiles().open(str(tmp_path / "x"), create=True)
    file.append(data)
    found = file.read_cached(900_000, 1000)
    assert found is None or found == data[1000:901_000]  # None where memory is short
    assert file.read_cached(len(data), 1) is None
    file.close()


def test_a_file_system_that_does_not_tell_what_is_in_memory_is_read_and_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(251)) * 4000
    file = RealFiles().open(str(tmp_path / "x"), create=True)
    file.append(data)
    asked = []

    def preadv(fd: int, rooms: list[memoryview], position: int, flags: int = 0) -> int:
        asked.append(flags)
        if flags:
            raise OSError(errno.EOPNOTSUPP, "not supported")
        rooms[0][:] = os.pread(fd, len(rooms[0]), position)
        return len(rooms[0])

    monkeypatch.setattr(os, "preadv", preadv)
    assert bytes(file.read_cached(900_000, 1000) or b"") == data[1000:901_000]
    assert asked == [os.RWF_NOWAIT, 0]
    asked.clear()
    assert file.is_cached(900_000, 1000)
    assert not file.is_cached(len(data), 1)
    assert asked == [os.RWF_NOWAIT] * 2
    file.close()


def test_reserved_space_changes_no_length_and_is_given_back(tmp_path: Path) -> None:
    files = RealFiles()
    path = str(tmp_path / "log")
    file = files.open(path, create=True)
    file.append(b"abc")
    file.reserve(1 << 20)
    assert file.size() == 3
    file.append(b"def")
    assert file.read(10, 0) == b"abcdef"
    assert os.stat(path).st_blocks * 512 >= 1 << 20
    file.truncate(6)
    assert os.stat(path).st_blocks * 512 < 1 << 20
    file.reserve(1 << 60)  # more than there is: nothing happens
    assert file.size() == 6


def test_a_file_system_is_synced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert RealFiles().sync_all(str(tmp_path)) is (sys.platform == "linux")
    with pytest.raises(FileNotFoundError):
        RealFiles().sync_all(str(tmp_path / "missing"))
