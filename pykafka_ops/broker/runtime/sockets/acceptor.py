"""Binds listening sockets, and accepts connections on each, many at a time.

libuv takes one connection in each turn of its loop. When a crowd arrives while others keep the
broker busy, a turn takes milliseconds and the last of them would wait for seconds.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from typing import Protocol

log = logging.getLogger("kafka.network.SocketServer")

AT_ONCE = 64
"""Connections accepted before those that are open have their turn."""
RETRY_SECONDS = 0.5
"""Pause when the process or the system has no descriptor left."""


def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of ``host`` ("" for any), all on the same port; ``port`` 0
    takes a free one.

    Raises OSError when the address is taken, or is none.
    """
    # As bytes: a text would go through the idna codec, whose tables take 0.4 MB.
    addresses = socket.getaddrinfo(
        host.encode() or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    bound: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(addresses):
            try:
                made = socket.socket(family, kind, protocol)
            except OSError:  # the machine resolves IPv6 but does not speak it
                continue
            bound.append(made)
            made.setblocking(False)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made.bind((address[0], port, *address[2:]))
            port = made.getsockname()[1]
    except OSError as error:
        for made in bound:
            made.close()
        where = f"{host}:{port}"
        raise OSError(error.errno, f"cannot bind {where}: {error.strerror}") from None
    if not bound:
        raise OSError(errno.EADDRNOTAVAIL, f"no address of {host} can be bound")
    return bound


class Gate(Protocol):
    """Decides who comes in."""

    def arrival_s(self) -> float:
        """A client connects: how long it, and all behind it, must wait."""

    def has_room(self) -> bool:
        """Whether one more may come in."""

    def take(self, client: socket.socket) -> None:
        """Let in a connected socket, non-blocking."""


class Acceptor:
    """While one client must wait, no other is accepted, as in Kafka."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, listening: socket.socket, gate: Gate
    ) -> None:
        self._loop = loop
        self._socket = listening
        self._gate = gate
        self._retry: asyncio.TimerHandle | None = None
        self._held: socket.socket | None = None

    def listen(self, backlog: int) -> None:
        """Let clients connect and wait. Raises OSError when another process took the port
        meanwhile."""
        self._socket.listen(backlog)

    def start(self) -> None:
        """Begin to take clients."""
        self._watch()

    def close(self) -> None:
        """Close the listening socket, and the connections that wait."""
        if self._retry is not None:
            self._retry.cancel()
        if self._held is not None:
            self._held.close()
            self._held = None
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket.fileno())
            self._socket.close()

    def _watch(self) -> None:
        self._retry = None
        self._loop.add_reader(self._socket.fileno(), self._accept)

    def _accept(self) -> None:
        for _ in range(AT_ONCE):
            try:
                client, _address = self._socket.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:  # gone while it waited
                continue
            except OSError as error:
                log.error("cannot accept connections for now: %s", error)
                self._pause(RETRY_SECONDS)
                return
            client.setblocking(False)
            wait = self._gate.arrival_s()
            if wait > 0 or not self._gate.has_room():
                self._held = client
                self._pause(wait)
                return
            self._gate.take(client)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._socket.fileno())
        self._retry = self._loop.call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self._retry = None
        if self._held is None:
            self._watch()
        else:
            self.room()

    def room(self) -> None:
        """There may be room for a client that waits; nothing happens before its time."""
        client = self._held
        if client is None or self._retry is not None or not self._gate.has_room():
            return
        self._held = None
        self._watch()
        self._gate.take(client)
