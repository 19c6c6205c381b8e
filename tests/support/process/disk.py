"""A disk of its own for one broker, that is full when a test says so.

A file system in memory is mounted, which needs root (or sudo that asks nothing); to fill it, it
is made as small as what it holds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SIZE = 1 << 30
PAGE = 4096


def _run(*words: str) -> bool:
    argv = words if os.geteuid() == 0 else ("sudo", "-n", *words)
    try:
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def used(where: Path) -> int:
    """Bytes that are taken of the disk."""
    found = os.statvfs(where)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


class Disk:
    """What is mounted at ``where``, once :meth:`mount` has said that it is."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self.mounted = False

    def mount(self) -> bool:
        """Whether there is such a disk now."""
        self.where.mkdir(parents=True, exist_ok=True)
        options = f"size={SIZE},uid={os.geteuid()},gid={os.getegid()}"
        self.mounted = _run("mount", "-t", "tmpfs", "-o", options, "pko-test", str(self.where))
        return self.mounted

    def fill(self) -> None:
        """Leave no room."""
        for _ in range(100):  # what is written meanwhile is in the way of a smaller size
            if self._resize(used(self.where) + PAGE):
                return
        raise AssertionError(f"{self.where} cannot be filled")

    def shrink(self, free: int) -> None:
        """Make it as small as what it holds and so many bytes more."""
        assert self._resize(used(self.where) + free)

    def read_only(self) -> None:
        """Take nothing any more; nobody may be writing."""
        assert _run("mount", "-o", "remount,ro", str(self.where))

    def empty(self) -> None:
        """Make room."""
        assert self._resize(SIZE)

    def _resize(self, size: int) -> bool:
        return _run("mount", "-o", f"remount,size={size}", str(self.where))

    def unmount(self, *, keep: bool = False) -> None:
        """Take it away, with what is on it unless that is to be kept."""
        if not self.mounted:
            return
        kept = self.where.with_name(f"{self.where.name}-kept")
        if keep:
            shutil.copytree(self.where, kept)
        self.mounted = not _run("umount", "-l", str(self.where))
        if keep:
            kept.replace(self.where)
