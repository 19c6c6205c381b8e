"""Tells systemd that the broker is ready, lives, and stops (``man sd_notify``)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket


def notify(state: str) -> None:
    """Send a state to the socket that ``NOTIFY_SOCKET`` names; nothing where there is none."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as teller,
    ):
        teller.setblocking(False)
        teller.sendto(state.encode(), address.replace("@", "\0", 1))


def watchdog_s() -> float | None:
    """Seconds between two signs of life that systemd waits for, None if it does not wait."""
    micros = os.environ.get("WATCHDOG_USEC", "")
    owner = os.environ.get("WATCHDOG_PID", str(os.getpid()))
    if not micros.isdecimal() or int(micros) == 0 or owner != str(os.getpid()):
        return None
    return int(micros) / 1_000_000


def keep_alive(loop: asyncio.AbstractEventLoop) -> None:
    """Give signs of life, twice as often as they are waited for, for as long as the loop turns."""
    every = watchdog_s()
    if every is not None:
        notify("WATCHDOG=1")
        loop.call_later(every / 2, keep_alive, loop)
