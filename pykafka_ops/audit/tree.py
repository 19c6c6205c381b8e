"""Where log directories lie: in this machine's file system, or in another that has the same few
verbs. What cannot be done there raises OSError."""

from __future__ import annotations

import os
from typing import Protocol


class TreeFile(Protocol):
    """A file that is open; ``size`` in bytes when it was opened."""

    size: int

    def read_at(self, count: int, position: int) -> bytes:
        """At most ``count`` bytes from ``position`` on; fewer where the file ends."""

    def read_into(self, room: memoryview, position: int) -> int:
        """The same into ``room``; how many bytes."""

    def close(self) -> None:
        """Give it back."""


class FileTree(Protocol):
    """A file system; it can be sent to another process."""

    def is_dir(self, path: str) -> bool:
        """Whether that is a directory."""

    def names(self, path: str) -> list[str]:
        """What is in a directory, sorted."""

    def open(self, path: str) -> TreeFile:
        """Open a file."""

    def size(self, path: str) -> int:
        """Bytes of a file."""


class _LocalFile:
    __slots__ = ("_fd", "size")

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self.size = os.fstat(self._fd).st_size

    def read_at(self, count: int, position: int) -> bytes:
        return os.pread(self._fd, count, position)

    def read_into(self, room: memoryview, position: int) -> int:
        return os.preadv(self._fd, [room], position)

    def close(self) -> None:
        os.close(self._fd)


class LocalTree:
    """This machine's files."""

    def is_dir(self, path: str) -> bool:
        """As ``FileTree``."""
        return os.path.isdir(path)

    def names(self, path: str) -> list[str]:
        """As ``FileTree``."""
        return sorted(os.listdir(path))

    def open(self, path: str) -> TreeFile:
        """As ``FileTree``."""
        return _LocalFile(path)

    def size(self, path: str) -> int:
        """As ``FileTree``."""
        return os.path.getsize(path)


def read_file(tree: FileTree, path: str, most: int) -> bytes | None:
    """The first ``most`` bytes of a file; None where there is none. Raises OSError."""
    try:
        file = tree.open(path)
    except FileNotFoundError:
        return None
    try:
        return file.read_at(min(most, file.size), 0)
    finally:
        file.close()
