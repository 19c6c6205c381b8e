"""The ``.lock`` file of a log directory, which Kafka's brokers and ours hold while they run."""

from __future__ import annotations

import errno
import fcntl
import os

from pykafka_ops.disk import names
from pykafka_ops.errors import StorageError


def log_dir_of(folder: str) -> str | None:
    """The log directory that a partition's directory lies in; None where it lies in none."""
    parent = os.path.dirname(os.path.realpath(folder))
    marks = (names.META_PROPERTIES, names.LOCK)
    return parent if any(os.path.exists(os.path.join(parent, m)) for m in marks) else None


class DirLock:
    """Holds a log directory as a broker does (Java's FileLock is a POSIX record lock)."""

    def __init__(self, folder: str) -> None:
        """StorageError if a broker holds it, or if the file cannot be written."""
        path = os.path.join(folder, names.LOCK)
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as e:
            raise StorageError(f"{path}: {e.strerror}") from None
        try:
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            os.close(self._fd)
            if e.errno in (errno.EACCES, errno.EAGAIN):
                raise StorageError(
                    f"a broker is running on {folder} (it holds {path}): stop it first"
                ) from None
            raise StorageError(f"{path}: {e.strerror}") from None

    def close(self) -> None:
        """Let it go; the file stays, as a broker leaves it."""
        os.close(self._fd)
