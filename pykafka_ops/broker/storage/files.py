"""The only door to the file system for logs, so that tests can break the disk.

``real_files`` has the operating system's. Every method raises ``OSError`` as it would.

A :class:`File` from :meth:`Files.open` has no descriptor until it is used, and may lose it again
when too many are open: 10,000 partitions must not need 30,000 descriptors. Such files belong to
one thread. Other threads work on :meth:`File.dup` or on :meth:`Files.open_private`.
"""

from __future__ import annotations

import errno
from typing import NamedTuple, Protocol

Buffer = bytes | bytearray | memoryview

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""Error numbers of a full disk: nothing is broken, appends may work again later."""


class FileInfo(NamedTuple):
    """One file of a directory: size in bytes, last modification in ms since 1970."""

    name: str
    size: int
    modified_ms: int


class File(Protocol):
    """An append-only file that can be cut and read anywhere."""

    path: str

    def append(self, data: Buffer) -> int:
        """Write all of ``data``; the file's end then. On an error a part may have been written."""

    def read(self, size: int, position: int) -> bytes:
        """Up to ``size`` bytes from ``position``; fewer only at the end of the file."""

    def read_cached(self, size: int, position: int) -> memoryview | None:
        """As :meth:`read`, but None where the disk would have to be waited for."""

    def read_into(self, room: memoryview, position: int) -> int:
        """Fill ``room`` as far as that needs no waiting for the disk; how many bytes."""

    def is_cached(self, size: int, position: int) -> bool:
        """Whether :meth:`read` would give ``size`` bytes without waiting for the disk."""

    def truncate(self, size: int) -> None:
        """Cut the file to ``size`` bytes."""

    def reserve(self, size: int) -> None:
        """Set disk space for ``size`` bytes aside, if that can be done; the length stays."""

    def size(self) -> int:
        """Length in bytes."""

    def is_held(self) -> bool:
        """Whether it is open: what uses it next does not look for its name."""

    def is_intact(self, size: int) -> bool:
        """Whether it is ``size`` bytes long, and still has a name in some directory."""

    def sync(self) -> None:
        """Make what was written durable (fdatasync)."""

    def dup(self) -> File:
        """A private handle for another thread; the caller closes it."""

    def close(self) -> None:
        """Give the descriptor back; a pooled file opens again when used."""


class Lock(Protocol):
    """A held lock file."""

    def close(self) -> None:
        """Release the lock."""


class Files(Protocol):
    """A file system."""

    def open(self, path: str, *, create: bool = False) -> File:
        """A pooled file; with ``create`` it is made (or emptied) at once."""

    def open_private(self, path: str) -> File:
        """An existing file with a descriptor of its own; the caller closes it."""

    def read(self, path: str) -> bytes:
        """The whole content."""

    def write(self, path: str, data: Buffer, *, sync: bool = False) -> None:
        """Create or replace in place; a crash may leave a part."""

    def write_atomic(self, path: str, data: Buffer, *, sync: bool = True) -> None:
        """Replace as a whole: temporary file, rename. ``sync`` makes it durable."""

    def info(self, path: str) -> FileInfo:
        """Size and time of a file; FileNotFoundError without one."""

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""

    def directories(self, path: str) -> list[str]:
        """Names of the directories in a directory; no file is touched."""

    def list(self, path: str) -> list[FileInfo]:
        """The files of a directory, in no order."""

    def set_modified(self, path: str, modified_ms: int) -> None:
        """Give a file another time of last modification (ms since 1970)."""

    def rename(self, old: str, new: str) -> None:
        """Rename, replacing ``new``."""

    def remove(self, path: str) -> None:
        """Remove a file; no error if it is gone."""

    def make_directory(self, path: str) -> None:
        """Make one directory (and its parents); FileExistsError if it is there."""

    def remove_tree(self, path: str) -> None:
        """Remove a directory and all in it; no error if it is gone."""

    def sync_directory(self, path: str) -> None:
        """Make renames, creations and removals in a directory durable."""

    def lock(self, path: str) -> Lock:
        """Lock a file for this process; BlockingIOError if another holds it."""

    def space(self, path: str) -> tuple[int, int]:
        """Total and usable bytes of the file system."""

    def real_path(self, path: str) -> str:
        """Absolute, without symbolic links."""

    def sync_all(self, path: str) -> bool:
        """Make all that was written to the file system of ``path`` durable (syncfs); False where
        the operating system cannot do that, or cannot tell whether it worked."""

    def for_thread(self) -> Files:
        """The same file system with a pool of its own, for use in another thread."""
