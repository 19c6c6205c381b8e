"""Lets clients in, as many and as fast as quotas allow: one gate on each listener.

Counterpart of ``SocketServer.Acceptor``.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

from pykafka_ops.broker.runtime.sockets.acceptor import Acceptor
from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas

log = logging.getLogger("kafka.network.SocketServer")

Welcome = Callable[[str, str, socket.socket], None]
"""Serves a client that was let in, by listener and address."""


class Admission:
    """``welcome`` gets the clients that ``quotas`` let in, ``make_room()`` closes a client's
    connection when there are too many because brokers were let in, too."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        quotas: ConnectionQuotas,
        timer: Callable[[], float],
        *,
        welcome: Welcome,
        make_room: Callable[[], None],
    ) -> None:
        self.quotas = quotas
        self.timer = timer
        self._loop = loop
        self._welcome = welcome
        self._make_room = make_room
        self._acceptors: list[tuple[Acceptor, int]] = []
        self._refused: dict[socket.socket, asyncio.TimerHandle] = {}

    def add(self, listener: str, sockets: list[socket.socket], backlog: int) -> None:
        """Have clients come in by these sockets, of which ``backlog`` may wait for each."""
        self.quotas.add_listener(listener)
        gate = _Gate(self, listener)
        self._acceptors += [(Acceptor(self._loop, made, gate), backlog) for made in sockets]

    def queue(self) -> None:
        """Let clients connect; they wait until :meth:`open`. Raises OSError."""
        for acceptor, backlog in self._acceptors:
            acceptor.listen(backlog)

    def open(self) -> None:
        """Let them in; to be called after :meth:`queue`."""
        for acceptor, _ in self._acceptors:
            acceptor.start()

    def close(self) -> None:
        """Let nobody in any more."""
        for acceptor, _ in self._acceptors:
            acceptor.close()
        for client, timer in self._refused.items():
            timer.cancel()
            client.close()
        self._refused.clear()

    def left(self, listener: str, ip: str) -> None:
        """A client that was let in has gone: another may wait for its room."""
        self.quotas.leave(listener, ip)
        self.look()

    def look(self) -> None:
        """Let in clients that wait for room, if there is some now."""
        for acceptor, _ in self._acceptors:
            acceptor.room()

    def take(self, listener: str, client: socket.socket) -> None:
        """A client has waited long enough, and there is room."""
        try:
            ip = str(client.getpeername()[0])
        except OSError:  # gone while it waited
            client.close()
            return
        wait = self.quotas.refusal_ms(listener, ip, self.timer())
        if wait > 0:
            log.debug("closing a connection from %s in %d ms: too many per second", ip, wait)
            timer = self._loop.call_later(wait / 1000, self._hang_up, client)
            self._refused[client] = timer
            return
        if not self.quotas.enter(listener, ip):
            log.info("refusing a connection from %s: too many connections", ip)
            client.close()
            return
        self._welcome(listener, ip, client)
        if self.quotas.is_crowded():
            self._make_room()

    def _hang_up(self, client: socket.socket) -> None:
        self._refused.pop(client).cancel()
        client.close()


class _Gate:
    """The admission as the acceptors of one listener see it (``acceptor.Gate``)."""

    def __init__(self, admission: Admission, listener: str) -> None:
        self._admission = admission
        self._listener = listener

    def arrival_s(self) -> float:
        """As ``ConnectionQuotas.arrival_ms``, in seconds."""
        return self._admission.quotas.arrival_ms(self._listener, self._admission.timer()) / 1000

    def has_room(self) -> bool:
        """As ``ConnectionQuotas.has_room``."""
        return self._admission.quotas.has_room(self._listener)

    def take(self, client: socket.socket) -> None:
        """As ``Admission.take``."""
        self._admission.take(self._listener, client)
