"""The lock on a data directory (``FileLock``)."""

from __future__ import annotations

import errno
import fcntl
import os


class RealLock:
    """A POSIX record lock, as Java's FileLock takes it; also held against this process."""

    held: set[str] = set()  # noqa: RUF012 - one table for the process is the point

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        if self.path in self.held:
            raise BlockingIOError(errno.EAGAIN, "locked by this process", path)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise BlockingIOError(errno.EAGAIN, "locked by another process", path) from error
            raise
        self.held.add(self.path)

    def close(self) -> None:
        if self.path in self.held:
            self.held.discard(self.path)
            os.close(self._fd)
