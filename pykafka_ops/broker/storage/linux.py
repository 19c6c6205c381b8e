"""Calls of Linux that Python does not have: sync a file system, set space aside, trim the heap."""

from __future__ import annotations

import errno
import os
import re

_KEEP_SIZE = 1
_REPORTS_ERRORS = (5, 8)
"""Linux' ``syncfs`` reports failed writes since this release."""


def sync_file_system(path: str) -> bool:
    """Sync the file system that the directory ``path`` is on; False where this system cannot, or
    would not tell that it failed. Raises OSError if a write failed."""
    system = os.uname()
    release = re.match(r"(\d+)\.(\d+)", system.release)
    if system.sysname != "Linux" or release is None:
        return False
    if (int(release[1]), int(release[2])) < _REPORTS_ERRORS:
        return False
    import ctypes  # heavy, and for the few that need it

    library = ctypes.CDLL(None, use_errno=True)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if library.syncfs(fd):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(fd)
    return True


def set_aside(fd: int, size: int) -> None:
    """Allocate the first ``size`` bytes of a file and keep its length. Nothing happens where the
    file system cannot, or has no room: then bytes find their place when they are written."""
    if os.uname().sysname != "Linux":
        return
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    library.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    if library.fallocate(fd, _KEEP_SIZE, 0, size):
        number = ctypes.get_errno()
        if number not in (errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OSError(number, os.strerror(number))


def give_memory_back() -> None:
    """Have the C library give what is free to the system; nothing where it cannot."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
