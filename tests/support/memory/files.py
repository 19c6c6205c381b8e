"""A file system in memory that fails on demand and can lose power: the test double of ``Files``."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import basename, dirname

from pykafka_ops.broker.storage.files import Buffer, FileInfo

Torn = Callable[[str, bytes, bytes], bytes]
"""What a power cut leaves of a file: (path, durable content, content at the cut) -> content."""


@dataclass(slots=True)
class Fault:
    """One planned failure: the ``skip``-th next ``operation`` on a path containing ``match``."""

    operation: str
    error: int
    match: str
    skip: int
    times: int
    short: int | None


class Inode:
    """The content of a file; ``durable`` is what a power cut leaves (None: never synced)."""

    __slots__ = ("data", "durable", "modified_ms")

    def __init__(self) -> None:
        self.data = bytearray()
        self.durable: bytes | None = None
        self.modified_ms = 0


class MemoryFile:
    """See :class:`~pykafka_ops.broker.storage.files.File`."""

    __slots__ = ("_files", "_inode", "path")

    def __init__(self, files: MemoryFiles, path: str, inode: Inode | None = None) -> None:
        self.path = path
        self._files = files
        self._inode = inode

    def _at(self) -> Inode:
        inode = self._inode
        if inode is None:
            inode = self._inode = self._files.inode(self.path)
        return inode

    def append(self, data: Buffer) -> int:
        self._files.append(self._at(), self.path, bytes(data))
        return len(self._at().data)

    def read(self, size: int, position: int) -> bytes:
        self._files.check("read", self.path)
        return bytes(self._at().data[position : position + size])

    def read_cached(self, size: int, position: int) -> memoryview | None:
        if self._files.cold:
            return None
        data = self.read(size, position)
        return memoryview(data) if len(data) == size else None

    def read_into(self, room: memoryview, position: int) -> int:
        data = self.read_cached(len(room), position) or b""
        room[: len(data)] = data
        return len(data)

    def is_cached(self, size: int, position: int) -> bool:
        return not self._files.cold

    def truncate(self, size: int) -> None:
        self._files.check("truncate", self.path)
        inode = self._at()
        del inode.data[size:]
        if inode.durable is not None:
            inode.durable = inode.durable[:size]  # a journalled file system keeps the order
        inode.modified_ms = self._files.now

    def reserve(self, size: int) -> None:
        self._files.check("reserve", self.path)

    def size(self) -> int:
        return len(self._at().data)

    def is_held(self) -> bool:
        return self._inode is not None

    def is_intact(self, size: int) -> bool:
        mine = self._at()
        if len(mine.data) != size:
            return False
        return self._files.inodes.get(self.path) is mine or mine in self._files.inodes.values()

    def sync(self) -> None:
        self._files.check("sync", self.path)
        inode = self._at()
        inode.durable = bytes(inode.data)

    def dup(self) -> MemoryFile:
        return MemoryFile(self._files, self.path, self._at())

    def close(self) -> None:
        self._inode = None


class MemoryLock:
    """See :class:`~pykafka_ops.broker.storage.files.Lock`."""

    def __init__(self, locked: set[str], path: str) -> None:
        self._locked = locked
        self._path = path

    def close(self) -> None:
        self._locked.discard(self._path)


class MemoryFiles:
    """Files in memory. ``now`` (ms) stamps modifications, ``capacity`` (bytes) fills the disk,
    ``cold`` makes every ``read_cached`` miss."""

    def __init__(self, *, capacity: int | None = None) -> None:
        self.now = 0
        self.capacity = capacity
        self.cold = False
        self.inodes: dict[str, Inode] = {}
        self.folders: set[str] = {"/"}
        self._locked: set[str] = set()
        self._unsynced_names: list[tuple[str | None, str]] = []
        """(old name, new name) of folders renamed, or made (None), since their parent's sync."""
        self._faults: list[Fault] = []

    # -- faults --------------------------------------------------------------------------------

    def fail(
        self,
        operation: str,
        *,
        error: int = errno.EIO,
        match: str = "",
        skip: int = 0,
        times: int = 1,
        short: int | None = None,
    ) -> None:
        """Plan a failure of ``append, read, truncate, sync, open, write, rename, remove, mkdir,
        list`` or ``sync_directory``; ``short`` bytes of an append are written before it fails."""
        self._faults.append(Fault(operation, error, match, skip, times, short))

    def fail_next_write(
        self, error: int = errno.ENOSPC, *, short: int = 0, match: str = ""
    ) -> None:
        """The next append fails after ``short`` bytes."""
        self.fail("append", error=error, short=short, match=match)

    def fail_next_sync(self, error: int = errno.EIO, *, match: str = "") -> None:
        """The next fdatasync fails."""
        self.fail("sync", error=error, match=match)

    def check(self, operation: str, path: str) -> Fault | None:
        """Raise a planned failure; one with ``short`` is returned for the caller to act on."""
        for fault in self._faults:
            if fault.operation != operation or fault.match not in path:
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            fault.times -= 1
            if not fault.times:
                self._faults.remove(fault)
            if fault.short is not None:
                return fault
            raise OSError(fault.error, os.strerror(fault.error), path)
        return None

    def lose_unsynced(self, torn: Torn | None = None) -> None:
        """Power cut: contents fall back to the last sync (``torn`` may keep more or less), names
        stay, locks and planned failures are gone. Handles opened before must not be used again."""
        for path, inode in self.inodes.items():
            durable = inode.durable or b""
            kept = torn(path, durable, bytes(inode.data)) if torn else durable
            inode.data = bytearray(kept)
            inode.durable = kept
        self.crash()

    def lose_names(self) -> None:
        """Power cut of a file system that keeps no order: folders made are gone, and renamed ones
        have their old names, unless their parent was synced since."""
        for old, new in reversed(self._unsynced_names):
            if new in self.folders:
                if old is None:
                    self.remove_tree(new)
                else:
                    self._rename_folder(new, old)
        self._unsynced_names.clear()
        self.crash()

    def unsynced_names(self, parent: str) -> list[str]:
        """Folders of ``parent`` made or renamed since its last sync."""
        return [new for _, new in self._unsynced_names if dirname(new) == parent]

    def crash(self) -> None:
        """kill -9: contents stay, locks and planned failures are gone."""
        self._locked.clear()
        self._faults.clear()

    # -- contents ------------------------------------------------------------------------------

    def inode(self, path: str) -> Inode:
        """The content at ``path``; FileNotFoundError without one."""
        self.check("open", path)
        try:
            return self.inodes[path]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None

    @property
    def used(self) -> int:
        """Bytes in all files."""
        return sum(len(i.data) for i in self.inodes.values())

    def append(self, inode: Inode, path: str, data: bytes) -> None:
        """Write at the end, up to a planned failure or the end of the disk."""
        fault = self.check("append", path)
        room = len(data)
        error = 0
        if fault is not None:
            room, error = min(room, fault.short or 0), fault.error
        if self.capacity is not None and self.used + room > self.capacity:
            room, error = max(0, self.capacity - self.used), errno.ENOSPC
        inode.data += data[:room]
        inode.modified_ms = self.now
        if error:
            raise OSError(error, os.strerror(error), path)

    def _make(self, path: str) -> Inode:
        if dirname(path) not in self.folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        inode = self.inodes[path] = Inode()
        inode.modified_ms = self.now
        return inode

    # -- Files -----------------------------------------------------------------------------------

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        if not create:
            return MemoryFile(self, path)
        self.check("open", path)
        return MemoryFile(self, path, self._make(path))

    def open_private(self, path: str) -> MemoryFile:
        return MemoryFile(self, path, self.inode(path))

    def read(self, path: str) -> bytes:
        self.check("read", path)
        return bytes(self.inode(path).data)

    def write(self, path: str, data: Buffer, *, sync: bool = False) -> None:
        self.check("write", path)
        inode = self._make(path)
        self.append(inode, path, bytes(data))
        if sync:
            self.check("sync", path)
            inode.durable = bytes(data)

    def write_atomic(self, path: str, data: Buffer, *, sync: bool = True) -> None:
        self.write(path + ".tmp", data, sync=sync)
        self.rename(path + ".tmp", path)
        if sync:
            self.sync_directory(dirname(path))

    def info(self, path: str) -> FileInfo:
        inode = self.inode(path)
        return FileInfo(basename(path), len(inode.data), inode.modified_ms)

    def exists(self, path: str) -> bool:
        return path in self.inodes or path in self.folders

    def directories(self, path: str) -> list[str]:
        self._listable(path)
        return [basename(d) for d in self.folders if d != "/" and dirname(d) == path]

    def list(self, path: str) -> list[FileInfo]:
        self._listable(path)
        return [
            FileInfo(basename(p), len(i.data), i.modified_ms)
            for p, i in self.inodes.copy().items()  # a copy: recovery has several threads
            if dirname(p) == path
        ]

    def _listable(self, path: str) -> None:
        self.check("list", path)
        if path not in self.folders:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def set_modified(self, path: str, modified_ms: int) -> None:
        self.inode(path).modified_ms = modified_ms

    def rename(self, old: str, new: str) -> None:
        self.check("rename", old)
        if old in self.inodes:
            self.inodes[new] = self.inodes.pop(old)
        elif old in self.folders:
            self._rename_folder(old, new)
            self._unsynced_names.append((old, new))
        else:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), old)

    def _rename_folder(self, old: str, new: str) -> None:
        def moved(path: str) -> str:
            inside = path == old or path.startswith(old + "/")
            return new + path[len(old) :] if inside else path

        self.folders = {moved(p) for p in self.folders}
        self.inodes = {moved(p): i for p, i in self.inodes.items()}

    def remove(self, path: str) -> None:
        self.check("remove", path)
        self.inodes.pop(path, None)

    def make_directory(self, path: str) -> None:
        self.check("mkdir", path)
        if path in self.folders:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        if path in self.inodes:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._unsynced_names.append((None, path))
        while path not in self.folders:
            self.folders.add(path)
            path = dirname(path)

    def remove_tree(self, path: str) -> None:
        self.check("remove", path)
        inside = path + "/"
        self.folders = {p for p in self.folders if p != path and not p.startswith(inside)}
        self.inodes = {p: i for p, i in self.inodes.items() if not p.startswith(inside)}

    def sync_directory(self, path: str) -> None:
        self.check("sync_directory", path)
        self._unsynced_names = [n for n in self._unsynced_names if dirname(n[1]) != path]

    def lock(self, path: str) -> MemoryLock:
        if path in self._locked:
            raise BlockingIOError(errno.EAGAIN, "locked by another process", path)
        if path not in self.inodes:
            self._make(path)
        self._locked.add(path)
        return MemoryLock(self._locked, path)

    def space(self, path: str) -> tuple[int, int]:
        total = self.capacity if self.capacity is not None else 1 << 40
        return total, max(0, total - self.used)

    def real_path(self, path: str) -> str:
        return path

    def sync_all(self, path: str) -> bool:
        self.check("sync", path)
        for name, inode in self.inodes.items():
            if name.startswith(path + "/"):
                inode.durable = bytes(inode.data)
        return True

    def for_thread(self) -> MemoryFiles:
        return self
