"""Waits for the plain sockets of all clients and serves those that have sent something."""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from typing import Any

import pykafka_ops.broker.runtime.sockets.plain.raw as at
from pykafka_ops.broker.runtime.sockets.plain.transport import PlainTransport

log = logging.getLogger("kafka.network.SocketServer")

MOST = 64
"""Clients served in a row, if none takes long, before timers, tasks and other descriptors have
their turn."""
AGAIN = 8
"""Reads of one client in a row, as long as each fills the memory that it is given."""


class SocketPoller:
    """``pool`` has the memory that all clients are read into, one after the other. Raises OSError
    where the process has no descriptor left."""

    __slots__ = (
        "_answered",
        "_closing",
        "_count",
        "_epoll",
        "_events",
        "_fd",
        "_loop",
        "_open",
        "_pool",
        "_room",
        "_shared",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, pool: Any) -> None:
        self._loop = loop
        self._pool = pool
        self._shared = self._room = pool.shared_view
        self._epoll = select.epoll()
        self._fd: int = self._epoll.fileno()
        self._events = at.events(MOST)
        self._open: list[PlainTransport | None] = []
        """By descriptor."""
        self._count = 0
        self._answered: list[PlainTransport] = []
        """What they are answered goes out when all have been served: clients that wait are woken
        while there is no more work for them to come, which is cheaper than one by one."""
        self._closing = False
        loop.add_reader(self._fd, self.ready)

    def add(self, sock: socket.socket, address: str, protocol: Any) -> None:
        """Serve a client, which has connected from ``address``, from now on."""
        try:
            peer = sock.getpeername()
        except OSError:  # gone already: reading finds out
            peer = (address, 0)
        fd = sock.fileno()
        made = PlainTransport(sock, peer, self._loop, self._epoll, self._forget)
        made.protocol = protocol
        self._open += [None] * (fd + 1 - len(self._open))
        self._open[fd] = made
        self._count += 1
        protocol.connection_made(made)
        made.watch()

    def close(self) -> None:
        """Wait for nothing any more once the last client is gone."""
        self._closing = True
        if not self._count and not self._epoll.closed:
            self._loop.remove_reader(self._fd)
            self._epoll.close()

    def _forget(self, fd: int) -> None:
        self._open[fd] = None
        self._count -= 1
        if self._closing:
            self.close()

    def ready(self) -> None:
        """Something has happened: serve those who asked, go on with those who can take more; not
        all of them where some take long, the loop calls again."""
        count, number = at.wait(self._epoll, self._fd, self._events, MOST), 0
        begun = at.tick()
        while number < count:
            transport = None
            try:
                while number < count:  # to enter ``try`` for each costs something
                    fd, flags = at.event(self._events, number)
                    number += 1
                    transport = self._open[fd]
                    if transport is not None and not transport.ended:
                        self._serve(transport, flags)
                    if at.tick() != begun:
                        count = number
            except Exception as error:
                log.exception("closing connection: it could not be served")
                if transport is not None:
                    transport.end(error)
        for transport in self._answered:
            transport.uncork()
        self._answered.clear()

    def _serve(self, transport: PlainTransport, flags: int) -> None:
        if transport.behind and flags != at.IN:
            transport.send_on()
        if flags != at.OUT:
            if transport.reads:
                self._read(transport)
            transport.watch()

    def _read(self, transport: PlainTransport) -> None:
        protocol = transport.protocol
        for _ in range(AGAIN):
            if protocol.large is None:
                room = self._room[: self._pool.next_size]
            else:
                room = protocol.large.room()
            try:
                count = at.receive(transport.fd, room)
            except OSError as error:
                transport.end(error)
                return
            if count < 0:
                return
            if not count:
                transport.end_of_input()
                return
            if not transport.corked:
                transport.corked = True
                self._answered.append(transport)
            protocol.take(count, self._shared, self._room)
            if count < len(room) or not transport.reads:
                return
