"""Lets clients in, as many and as fast as quotas allow: one gate on each listener.

Connections are accepted many at a time. libuv takes one in each turn of its loop: when a crowd
arrives while others keep the broker busy, a turn takes milliseconds and the last of them would wait
for seconds. Counterpart of ``SocketServer.Acceptor``.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable

from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas

log = logging.getLogger("kafka.network.SocketServer")

AT_ONCE = 64
"""Connections accepted before those that are open have their turn."""
RETRY_SECONDS = 0.5
"""Pause when the process or the system has no descriptor left."""

Welcome = Callable[[str, str, socket.socket], None]
"""Serves a client that was let in, by listener and address."""


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
        gate = Gate(self, listener)
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


class Gate:
    """The admission as the acceptors of one listener see it."""

    def __init__(self, admission: Admission, listener: str) -> None:
        self._admission = admission
        self._listener = listener

    def arrival_s(self) -> float:
        """A client connects: how long it, and all behind it, must wait."""
        return self._admission.quotas.arrival_ms(self._listener, self._admission.timer()) / 1000

    def has_room(self) -> bool:
        """Whether one more may come in."""
        return self._admission.quotas.has_room(self._listener)

    def take(self, client: socket.socket) -> None:
        """Let in a connected socket, non-blocking."""
        self._admission.take(self._listener, client)


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
