"""The operating system's files; see :mod:`~pykafka_ops.broker.storage.files`."""

from __future__ import annotations

import errno
import os
import resource
import stat as stat_module
from collections.abc import Iterator
from contextlib import suppress

from pykafka_ops.broker.hot.file import FileHead
from pykafka_ops.broker.storage.file_lock import RealLock
from pykafka_ops.broker.storage.files import Buffer, FileInfo
from pykafka_ops.broker.storage.linux import set_aside, sync_file_system

_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
_RWF_NOWAIT = getattr(os, "RWF_NOWAIT", None)
_PROBE_STEP = 128 * 1024
"""What the kernel reads ahead by default: such a stretch is in memory or not."""
_PROBE = memoryview(bytearray(1))
_UNKNOWN = -1
_THREAD_MAX_OPEN = 64


class RealFile(FileHead):
    """A file of the operating system; see :class:`File`."""

    __slots__ = ("_pool", "path")

    def __init__(self, path: str, pool: RealFiles | None, fd: int = -1) -> None:
        self.path = path
        self.used = True
        self._pool = pool
        self.fd = fd

    def read(self, size: int, position: int) -> bytes:
        fd = self.fd
        if fd < 0:
            fd = self.open()
        self.used = True
        data = os.pread(fd, size, position)
        while len(data) < size:
            more = os.pread(fd, size - len(data), position + len(data))
            if not more:
                break
            data += more
        return data

    def read_cached(self, size: int, position: int) -> memoryview | None:
        room = memoryview(bytearray(size))
        return room if self.read_into(room, position) == size else None

    def read_into(self, room: memoryview, position: int) -> int:
        fd = self.fd
        if fd < 0:
            fd = self.open()
        self.used = True
        done = _read_now(fd, room, position)
        return os.preadv(fd, [room], position) if done == _UNKNOWN else done

    def is_cached(self, size: int, position: int) -> bool:
        fd = self.fd
        if fd < 0:
            fd = self.open()
        self.used = True
        last = position + size - 1
        for at in (*range(position, last, _PROBE_STEP), last):
            done = _read_now(fd, _PROBE, at)
            if done != 1:
                return done == _UNKNOWN and self.size() > last
        return True

    def truncate(self, size: int) -> None:
        os.ftruncate(self.fd if self.fd >= 0 else self.open(), size)

    def reserve(self, size: int) -> None:
        set_aside(self.fd if self.fd >= 0 else self.open(), size)

    def size(self) -> int:
        return os.fstat(self.fd if self.fd >= 0 else self.open()).st_size

    def is_held(self) -> bool:
        return self.fd >= 0

    def is_intact(self, size: int) -> bool:
        found = os.fstat(self.fd if self.fd >= 0 else self.open())
        return found.st_size == size and found.st_nlink > 0

    def sync(self) -> None:
        os.fdatasync(self.fd if self.fd >= 0 else self.open())

    def dup(self) -> RealFile:
        fd = self.fd if self.fd >= 0 else self.open()
        return RealFile(self.path, None, os.dup(fd))

    def close(self) -> None:
        if self.fd >= 0:
            if self._pool is not None:
                self._pool.forget(self)
            self.shut()

    def shut(self) -> None:
        """Close the descriptor without telling the pool (which calls this)."""
        fd, self.fd = self.fd, -1
        os.close(fd)

    def open(self) -> int:
        if self._pool is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.path)
        self.fd = self._pool.acquire(self, _OPEN_FLAGS)
        return self.fd

    def create(self) -> None:
        """Make the file anew and keep it open."""
        assert self._pool is not None
        self.fd = self._pool.acquire(self, _OPEN_FLAGS | os.O_CREAT | os.O_TRUNC)


def _read_now(fd: int, room: memoryview, position: int) -> int:
    """Fill ``room`` with what is in the page cache; how many bytes, ``_UNKNOWN`` where the file
    system does not tell what it has there (tmpfs has all)."""
    if _RWF_NOWAIT is None:
        return _UNKNOWN
    try:
        return os.preadv(fd, [room], position, _RWF_NOWAIT)
    except BlockingIOError:
        return 0
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise
    return _UNKNOWN


def default_max_open() -> int:
    """Half of what the process may open, at most 8192: the rest is for sockets."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(16, min(8192, soft // 2))


class RealFiles:
    """The operating system's files; at most ``max_open`` pooled descriptors at a time."""

    def __init__(self, max_open: int = 0) -> None:
        self.max_open = max_open or default_max_open()
        self._open: dict[RealFile, None] = {}
        self._hand: Iterator[RealFile] = iter(())

    def acquire(self, file: RealFile, flags: int) -> int:
        """A descriptor for ``file``; closes others that were not used lately to make room."""
        if len(self._open) >= self.max_open:
            self._evict(1)
        try:
            fd = os.open(file.path, flags, 0o644)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                raise
            self._evict(max(1, len(self._open) // 4))
            fd = os.open(file.path, flags, 0o644)
        file.used = True
        self._open[file] = None
        return fd

    def forget(self, file: RealFile) -> None:
        """``file`` is about to close its descriptor."""
        self._open.pop(file, None)

    def _evict(self, count: int) -> None:
        """Second chance: the hand goes round, and closes what was not used since its last round."""
        while count and self._open:
            file = next(self._hand, None)
            if file is None:
                self._hand = iter(list(self._open))
            elif file.used:
                file.used = False
            elif file in self._open:
                del self._open[file]
                file.shut()
                count -= 1

    def open(self, path: str, *, create: bool = False) -> RealFile:
        file = RealFile(path, self)
        if create:
            file.create()
        return file

    def open_private(self, path: str) -> RealFile:
        return RealFile(path, None, os.open(path, _OPEN_FLAGS))

    def read(self, path: str) -> bytes:
        with open(path, "rb", buffering=0) as file:
            return file.read()

    def write(self, path: str, data: Buffer, *, sync: bool = False) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            done = 0
            while done < len(data):
                done += os.write(fd, memoryview(data)[done:] if done else data)
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool = True) -> None:
        self.write(path + ".tmp", data, sync=sync)
        os.replace(path + ".tmp", path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    def info(self, path: str) -> FileInfo:
        found = os.stat(path)
        return FileInfo(os.path.basename(path), found.st_size, found.st_mtime_ns // 1_000_000)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def directories(self, path: str) -> list[str]:
        with os.scandir(path) as entries:
            return [e.name for e in entries if e.is_dir()]

    def list(self, path: str) -> list[FileInfo]:
        found = []
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    s = entry.stat()
                except FileNotFoundError:  # removed while we look
                    continue
                if stat_module.S_ISREG(s.st_mode):
                    found.append(FileInfo(entry.name, s.st_size, s.st_mtime_ns // 1_000_000))
        return found

    def set_modified(self, path: str, modified_ms: int) -> None:
        os.utime(path, ns=(modified_ms * 1_000_000, modified_ms * 1_000_000))

    def rename(self, old: str, new: str) -> None:
        os.replace(old, new)

    def remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(path)

    def make_directory(self, path: str) -> None:
        try:
            os.mkdir(path)
        except FileNotFoundError:
            os.makedirs(path)

    def remove_tree(self, path: str) -> None:
        import shutil  # with what it loads 0.5 MB, and directories are seldom removed

        with suppress(FileNotFoundError):
            shutil.rmtree(path)

    def sync_directory(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def lock(self, path: str) -> RealLock:
        return RealLock(path)

    def space(self, path: str) -> tuple[int, int]:
        found = os.statvfs(path)
        return found.f_frsize * found.f_blocks, found.f_frsize * found.f_bavail

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def sync_all(self, path: str) -> bool:
        return sync_file_system(path)

    def for_thread(self) -> RealFiles:
        return RealFiles(_THREAD_MAX_OPEN)
