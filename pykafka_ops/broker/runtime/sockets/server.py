"""Listeners and what all their connections share: limits, memory, timers.

Counterpart of ``SocketServer``.
"""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker import jobs
from pykafka_ops.broker.handlers import ROUTES, WITH_CONSUMER_GROUPS, Route
from pykafka_ops.broker.handlers.api import Services
from pykafka_ops.broker.runtime.sockets.admission import Admission, bind
from pykafka_ops.broker.runtime.sockets.buffers import BufferPool
from pykafka_ops.broker.runtime.sockets.channel import FrameServer
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.broker.runtime.sockets.memory import DecodedMemory
from pykafka_ops.broker.runtime.sockets.plain.poller import SocketPoller
from pykafka_ops.broker.runtime.sockets.turns import Turns
from pykafka_ops.broker.state.memory import DEFAULT_LIMIT
from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas
from pykafka_ops.broker.state.session import NOBODY, Session
from pykafka_ops.compiled import is_compiled

if TYPE_CHECKING:  # most brokers have no TLS
    from pykafka_ops.broker.runtime.security.login_counts import LoginCounts
    from pykafka_ops.broker.runtime.security.tls_door import TlsDoor
    from pykafka_ops.broker.runtime.security.tls_listeners import TlsListeners
    from pykafka_ops.broker.runtime.sockets.tally import RequestTally

log = logging.getLogger("kafka.network.SocketServer")

Gate = Callable[[Connection, Dispatch, Callable[[Session], Exchange]], FrameServer]
"""Made for a connection: serves it, with what the function makes of its session."""

UNKNOWN = ("unknown", "unknown")
"""What clients use that have not said so, as in ``ClientInformation``."""
STALL_SECONDS = 10.0
"""How often, while memory is short, requests without progress are looked for."""


BACKLOG = 1024
"""Kafka's 50 drops connections when a crowd arrives; a value in server.properties counts."""


def _may_poll(sock: object) -> bool:
    return is_compiled() and hasattr(select, "epoll") and isinstance(sock, socket.socket)


class Server:
    """All listeners of one broker; ``inter_broker`` names the one for brokers."""

    def __init__(
        self,
        services: Services,
        loop: asyncio.AbstractEventLoop,
        routes: Mapping[int, Route] | None = None,
        *,
        inter_broker: str = "",
        tls: TlsListeners | None = None,
    ) -> None:
        """``routes`` None: what the settings say. ``tls`` is for the listeners that speak it."""
        if routes is None:
            consumers = services.groups.protocols is not None
            routes = WITH_CONSUMER_GROUPS if consumers else ROUTES
        self._configs = services.configs
        self.memory = services.memory
        self.pool = BufferPool(self.memory)
        self.turns = Turns(self.call_soon)
        self.dispatch = Dispatch(services, routes, self.spawn, DecodedMemory(self.pool))
        self._loop = loop
        self._poller: SocketPoller | None = None
        """Serves the clients that speak no TLS. None where the loop does: where the system has no
        epoll, nothing is compiled (it is no quicker then), or sockets are made up."""
        self._connections: dict[int, Connection] = {}
        self._next_id = 0
        self._listeners: list[str] = []
        self._tls = tls
        self._doors: dict[str, TlsDoor] = {}
        self.made: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        """Connections by listener since the start."""
        self._software: dict[int, tuple[str, str]] | None = None
        self.gates: Mapping[str, Gate] = {}
        """What is before the requests of a listener whose clients log in."""
        self.login_counts: Mapping[str, LoginCounts] = {}
        """What counts logins, by listener."""
        self.tally: RequestTally | None = None
        """Counts and times requests, where the broker serves metrics."""
        self.admission = Admission(
            loop,
            ConnectionQuotas(self.dispatch.client_quotas.windows, services.quotas, inter_broker),
            services.timer,
            welcome=self._welcome,
            make_room=self._make_room,
        )
        self._tasks: set[asyncio.Task[object]] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self.reconfigure()

    def reconfigure(self) -> None:
        """Take over the limits from the settings, at start and when they change."""
        get = self._configs.value
        self.max_request_bytes: int = get("socket.request.max.bytes")
        self._idle_ms: int = get("connections.max.idle.ms")
        limit: int = get("queued.max.request.bytes")
        self.memory.set_limit(limit if limit > 0 else DEFAULT_LIMIT)
        self.admission.quotas.configure(get, self._configs.text)
        self.admission.look()

    # -- listeners -----------------------------------------------------------------------------

    async def listen(self, name: str, host: str, port: int) -> int:
        """Open one listener; the port it got (``port`` 0 takes a free one).

        Raises OSError when the address is taken.
        """
        configs = self._configs
        asked: int = configs.value("socket.listen.backlog.size")
        backlog = asked if "socket.listen.backlog.size" in configs.static else BACKLOG
        sockets = bind(host, port)
        if self._poller is None and _may_poll(sockets[0]):
            self._poller = SocketPoller(self._loop, self.pool)
        self.admission.add(name, sockets, backlog)
        self._listeners.append(name)
        self._add_door(name)
        self.admission.quotas.configure(configs.value, configs.text)
        bound: int = sockets[0].getsockname()[1]
        return bound

    def _add_door(self, listener: str) -> None:
        if self._tls is None:
            return

        def serve(principal: str, address: str) -> Connection:
            connection = Connection(self, listener)
            if listener not in self.gates:  # else it is the login that says who it is
                session = Session(principal, address, "SSL")
                connection.exchange = self.requests_of(connection, session)
            return connection

        counts = self.login_counts.get(listener)
        door = self._tls.door(listener, serve, lambda ip: self.admission.left(listener, ip), counts)
        if door is not None:
            self._doors[listener] = door
            self.login_counts = {**self.login_counts, listener: door.counts}

    def _welcome(self, listener: str, ip: str, client: socket.socket) -> None:
        door = self._doors.get(listener)
        if door is not None:
            door.come(ip, client)
        elif self._poller is not None:
            self._poller.add(client, ip, Connection(self, listener))
        else:
            self.spawn(self._connect(listener, ip, client))

    async def _connect(self, listener: str, ip: str, client: socket.socket) -> None:
        connection = Connection(self, listener)
        try:
            await self._loop.connect_accepted_socket(lambda: connection, client)
        finally:
            if not connection.identity:  # it was never made
                self.admission.left(listener, ip)

    def queue_clients(self) -> None:
        """Let clients connect; they wait until :meth:`accept`. Raises OSError."""
        self.admission.queue()

    async def accept(self) -> None:
        """Serve those who connect on any listener; to be called after :meth:`queue_clients`."""
        self.admission.open()
        self._sweep_idle()
        self._sweep_stalled()

    def stop_accepting(self) -> None:
        """Close the listening sockets; connections stay."""
        self.admission.close()

    async def close(self, grace: float = 1.0) -> None:
        """Close every connection; work in progress has ``grace`` seconds to end by itself."""
        self.stop_accepting()
        for timer in self._timers.values():
            timer.cancel()
        for connection in list(self._connections.values()):
            connection.close()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for connection in list(self._connections.values()):
            connection.abort()
        if self._poller is not None:
            self._poller.close()
            await asyncio.sleep(0)  # those that were aborted leave

    def _sweep_idle(self) -> None:
        """Close connections that did nothing since the sweep before the last."""
        idle = self._idle_ms
        if idle > 0:
            for connection in list(self._connections.values()):
                jobs.attempt("sweep of idle connections", connection.sweep)
        again = idle / 2000 if idle > 0 else 60.0
        self._timers["idle"] = self._loop.call_later(again, self._sweep_idle)

    def _sweep_stalled(self) -> None:
        """While frames wait for memory, close those that hold some and make no progress."""
        if self.pool.waiting:
            for connection in list(self._connections.values()):
                jobs.attempt("sweep of stalled connections", connection.sweep_stalled)
        self._timers["stalled"] = self._loop.call_later(STALL_SECONDS, self._sweep_stalled)

    # -- connections ---------------------------------------------------------------------------

    def measure(self) -> None:
        """Count and time the requests of all connections to come."""
        from pykafka_ops.broker.runtime.sockets.tally import RequestTally  # few ask for it

        self._software = self.dispatch.services.software = {}
        self.tally = RequestTally(self.dispatch, lambda *when: self.call_later(*when))

    def exchange(self, connection: Connection) -> FrameServer:
        """What serves a connection from its first frame on."""
        gate = self.gates.get(connection.listener)
        if gate is None:
            return self.requests_of(connection, NOBODY)
        return gate(
            connection, self.dispatch, lambda session: self.requests_of(connection, session)
        )

    def requests_of(self, connection: Connection, session: Session) -> Exchange:
        """What serves the requests of a client that may send some."""
        if self.tally is None:
            return Exchange(connection, self.dispatch, session)
        from pykafka_ops.broker.runtime.sockets.measured import MeasuredExchange

        return MeasuredExchange(connection, self.dispatch, self.tally, session)

    def admit(self, connection: Connection) -> None:
        """A connection is made, to a client that was let in."""
        self._next_id += 1
        connection.identity = self._next_id
        self.made[connection.listener] += 1
        self._connections[self._next_id] = connection

    def forget(self, connection: Connection) -> None:
        """Count a closed connection out."""
        if self._connections.pop(connection.identity, None) is not None:
            self.ended[connection.listener] += 1
            if self._software is not None:
                self._software.pop(connection.identity, None)
            self.admission.left(connection.listener, connection.client_host)

    def connections_by_listener(self) -> dict[str, int]:
        """How many there are; of every listener, if only 0."""
        found = dict.fromkeys(self._listeners, 0)
        for connection in self._connections.values():
            found[connection.listener] += 1
        return found

    def connections_by_software(self) -> Counter[tuple[str, str, str]]:
        """How many there are by listener, and what the client's library calls itself."""
        found: Counter[tuple[str, str, str]] = Counter()
        for identity, connection in self._connections.items():
            name, version = (self._software or {}).get(identity, UNKNOWN)
            found[connection.listener, name, version] += 1
        return found

    def rights_changed(self) -> None:
        """Somebody may do more or less from now on."""
        self.dispatch.forget_answers()
        for connection in self._connections.values():
            connection.exchange.forget_shapes()

    def relieve(self) -> None:
        """Answers that nobody takes hold too much: cut off who has held most for longest."""
        account, now = self.memory.answers, self.dispatch.timer()
        while account.held > account.limit:
            victim = max(self._connections.values(), key=lambda c: c.behind.cost(now))
            log.warning("closing connection from %s: it takes no answers", victim.client_host)
            victim.abort()

    def _make_room(self) -> None:
        """Close the connection to a client that has been idle, or open, for the longest time."""
        is_protected = self.admission.quotas.is_protected
        others = [c for c in self._connections.values() if not is_protected(c.listener)]
        if others:
            victim = min(others, key=lambda c: (c.is_active, c.identity))
            victim.abort()
            self.forget(victim)  # the next broker needs the room of another one

    # -- the loop ------------------------------------------------------------------------------

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after a while."""
        return self._loop.call_later(seconds, callback)

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back in the loop's next turn."""
        self._loop.call_soon(callback)

    def spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Run a handler's coroutine; the server keeps it alive."""
        task: asyncio.Task[object] = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
