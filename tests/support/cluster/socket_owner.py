"""Which process on this machine has a TCP connection, as Linux tells."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

_INODE = 9
"""Among the fields of a line of ``/proc/net/tcp``."""


def socket_owner(port: int, pids: Iterable[int]) -> int | None:
    """Which of the processes has a connection from that local port; None if none of them."""
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):  # closed meanwhile
                    if os.readlink(entry.path) in wanted:
                        return pid
    return None


def _inodes(port: int) -> Iterable[str]:
    """Of the sockets of that local port; Java's are of IPv6."""
    end = f":{port:04X}"
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1].endswith(end):
                yield fields[_INODE]
