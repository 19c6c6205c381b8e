"""Notifies systemd that the broker is ready, alive or stopping (``man sd_notify``)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket


def notify(state: str) -> None:
    """Send a state to the socket that ``NOTIFY_SOCKET`` names; do nothing where it is not set."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender,
    ):
        sender.setblocking(False)
        sender.sendto(state.encode(), address.replace("@", "\0", 1))


def watchdog_s() -> float | None:
    """Seconds within which systemd expects a sign of life, None if it expects none."""
    micros = os.environ.get("WATCHDOG_USEC", "")
    owner = os.environ.get("WATCHDOG_PID", str(os.getpid()))
    if not micros.isdecimal() or int(micros) == 0 or owner != str(os.getpid()):
        return None
    return int(micros) / 1_000_000


def keep_alive(loop: asyncio.AbstractEventLoop) -> None:
    """Send signs of life, twice as often as systemd expects them, while the event loop runs."""
    every = watchdog_s()
    if every is not None:
        notify("WATCHDOG=1")
        loop.call_later(every / 2, keep_alive, loop)
