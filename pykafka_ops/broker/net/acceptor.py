"""Accepts connections on one listening socket, many at a time.

libuv takes one connection in each turn of its loop. When a crowd arrives while others keep the
broker busy, a turn takes milliseconds and the last of them would wait for seconds.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

log = logging.getLogger("kafka.network.SocketServer")

AT_ONCE = 64
"""Connections accepted before those that are open have their turn."""
RETRY_SECONDS = 0.5
"""Pause when the process or the system has no descriptor left."""


class Acceptor:
    """``take(client)`` gets each connected socket, non-blocking."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        listening: socket.socket,
        take: Callable[[socket.socket], None],
    ) -> None:
        self._loop = loop
        self._socket = listening
        self._take = take
        self._retry: asyncio.TimerHandle | None = None

    def listen(self, backlog: int) -> None:
        """Let clients connect, who wait. Raises OSError when another process took the port
        meanwhile."""
        self._socket.listen(backlog)

    def start(self) -> None:
        """Begin to take clients."""
        self._watch()

    def close(self) -> None:
        """Close the listening socket."""
        if self._retry is not None:
            self._retry.cancel()
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
                self._loop.remove_reader(self._socket.fileno())
                self._retry = self._loop.call_later(RETRY_SECONDS, self._watch)
                return
            client.setblocking(False)
            self._take(client)
