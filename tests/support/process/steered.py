"""``pko`` with a wall clock and a disk that a test steers, and a window into its loop:
``python tests/support/process/steered.py FILE ARGUMENTS of pko``. :class:`Steering` is the test's
end.

The clock and the disk of a machine belong to everybody on it; these belong to one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import mmap
import os
import signal
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from struct import Struct
from typing import Any

_STATE = Struct("<qqqq")  # ms the clock is ahead, whether the disk is full, tasks, quota in bytes
_AHEAD, _FULL, _TASKS, _QUOTA = range(4)


class Steering:
    """The file between a test and one process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(bytes(_STATE.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _STATE.size)

    def _get(self, field: int) -> int:
        return int(_STATE.unpack_from(self._map)[field])

    def _set(self, field: int, value: int) -> None:
        state = list(_STATE.unpack_from(self._map))
        state[field] = value
        _STATE.pack_into(self._map, 0, *state)

    @property
    def ahead_ms(self) -> int:
        """By how much the wall clock is ahead; negative: behind."""
        return self._get(_AHEAD)

    @ahead_ms.setter
    def ahead_ms(self, value: int) -> None:
        self._set(_AHEAD, value)

    @property
    def full(self) -> bool:
        """Whether no file can grow."""
        return bool(self._get(_FULL))

    @full.setter
    def full(self, value: bool) -> None:
        self._set(_FULL, value)

    @property
    def tasks(self) -> int:
        """Tasks of the event loop, as of the last SIGUSR1."""
        return self._get(_TASKS)

    @tasks.setter
    def tasks(self, value: int) -> None:
        self._set(_TASKS, value)

    @property
    def quota(self) -> int:
        """The size of the disk as the process sees it, which holds what is in the directory of this
        file; 0: as it is."""
        return self._get(_QUOTA)

    @quota.setter
    def quota(self, value: int) -> None:
        self._set(_QUOTA, value)

    def held(self) -> int:
        """Bytes that the files in that directory take."""
        found = 0
        for path in self.path.parent.rglob("*"):
            with contextlib.suppress(OSError):  # deleted meanwhile
                found += path.lstat().st_blocks * 512
        return found


def steered(words: Sequence[str], path: Path) -> list[str]:
    """The words that run ``pko``, so that the file ``path`` steers it."""
    rest = words[words.index("pykafka_ops") + 1 :]
    return [sys.executable, __file__, str(path), *rest]


def steer(state: Steering) -> None:
    """Have this process do what ``state`` says."""
    real_ns, real = time.time_ns, time.time
    time.time_ns = lambda: real_ns() + state.ahead_ms * 1_000_000
    time.time = lambda: real() + state.ahead_ms / 1000
    write, statvfs = os.write, os.statvfs

    def limited_write(fd: int, data: Any) -> int:
        if state.full and fd > 2 and stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data)

    def limited_statvfs(path: Any) -> os.statvfs_result:
        found = statvfs(path)
        if not state.full and not state.quota:
            return found
        fields = list(found)
        if state.quota:
            fields[2] = state.quota // found.f_frsize  # f_blocks
            fields[3] = fields[4] = max(0, state.quota - state.held()) // found.f_frsize
        if state.full:
            fields[3] = fields[4] = 0  # f_bfree, f_bavail
        return os.statvfs_result(fields)

    os.write, os.statvfs = limited_write, limited_statvfs

    def count(*_: object) -> None:
        state.tasks = len(asyncio.all_tasks())

    signal.signal(signal.SIGUSR1, count)


def stay_steered(state: Steering) -> None:
    """Have the broker that this process becomes steered, too."""
    execv = os.execv

    def steered_execv(program: str, argv: Sequence[str]) -> None:
        execv(program, [argv[0], __file__, str(state.path), *argv[argv.index("-m") :]])

    os.execv = steered_execv  # type: ignore[assignment]


if __name__ == "__main__":
    os.environ["PKO_PURE"] = "1"  # compiled code does not write, or ask for the time, by ``os``
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    steering = Steering(Path(sys.argv.pop(1)))
    steer(steering)
    if sys.argv[1] == "-m":
        import runpy

        sys.argv[:2] = []
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        from pykafka_ops.cli import main

        stay_steered(steering)
        sys.exit(main())
