"""Names of what a run makes, which show whether the run that made it can still be alive."""

from __future__ import annotations

import os
import re
import time
from typing import Final
from zlib import crc32

PREFIX: Final = "pko-smoke-"
OLD_MS: Final = 600_000
"""No round takes that long: what is older was left behind."""
COMPACTED: Final = "-compacted"
_NAME = re.compile(PREFIX + r"(\d{8}-\d{6})(\d{3})-([0-9a-f]{8})-(\d+)(?:" + COMPACTED + ")?")


def name_of(now_ms: int) -> str:
    """A name for what this process makes now."""
    seconds, ms = divmod(now_ms, 1000)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{PREFIX}{stamp}{ms:03}-{_machine()}-{os.getpid()}"


def is_left_behind(name: str, now_ms: int) -> bool:
    """Whether ``name`` is a run's that has ended: on this machine, or long ago on any."""
    found = _NAME.fullmatch(name)
    if found is None:
        return False
    if found[3] == _machine() and not _is_alive(int(found[4])):
        return True
    try:
        made = _seconds(found[1]) * 1000 + int(found[2])
    except ValueError:
        return False
    return now_ms - made > OLD_MS


def _seconds(stamp: str) -> int:
    from calendar import timegm

    return timegm(time.strptime(stamp, "%Y%m%d-%H%M%S"))


def _machine() -> str:
    """This boot of this machine, and where its process ids count (a container has its own)."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            known = f"{file.read()}{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        known = os.urandom(16).hex()  # then age alone decides
    return f"{crc32(known.encode()):08x}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
