"""A TCP relay that can be cut: a network between brokers, and between a broker and ZooKeeper.

A cut link is silent, not closed: what was sent waits, and arrives once the link is whole again.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any

EVERYONE = -1
Caller = Callable[[int], int]
"""Which broker holds the other end of a connection from that port; EVERYONE if none is known."""


class Network:
    """The loop that all relays of a test run on, in a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.relays: list[Relay] = []

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def relay(self, host: str, port: int, caller: Caller | None = None) -> Relay:
        """A relay to that address; with ``caller`` it can be cut for one broker alone."""
        relay = Relay(self, host, port, caller)
        self.run(relay.open())
        self.relays.append(relay)
        return relay

    def heal(self) -> None:
        for relay in self.relays:
            relay.heal()

    def close(self) -> None:
        self.heal()
        for relay in self.relays:
            self.run(relay.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(120)
        self.loop.close()


class Relay:
    """One listening port in front of another."""

    def __init__(self, network: Network, host: str, port: int, caller: Caller | None) -> None:
        self._network, self._target, self._caller = network, (host, port), caller
        self._cut: set[int] = set()
        self._changed = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def cut(self, source: int = EVERYONE) -> None:
        """Nothing passes any more, either way; with ``source`` only for that broker's requests."""
        self._network.run(self._set(self._cut | {source}))

    def heal(self, source: int | None = None) -> None:
        """All passes again; with ``source`` only what that broker sends."""
        self._network.run(self._set(set() if source is None else self._cut - {source}))

    async def _set(self, cut: set[int]) -> None:
        async with self._changed:
            self._cut = cut
            self._changed.notify_all()

    async def _may_pass(self, source: int) -> None:
        if not self._cut:
            return
        async with self._changed:
            await self._changed.wait_for(lambda: not self._cut & {source, EVERYONE})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        writers = [writer]
        with contextlib.suppress(OSError, asyncio.CancelledError):
            source = self._source(writer)
            await self._may_pass(source)
            back, forth = await asyncio.open_connection(*self._target)
            writers.append(forth)
            pumps = [self._pump(reader, forth, source), self._pump(back, writer, source)]
            running = [asyncio.ensure_future(pump) for pump in pumps]
            try:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in running:
                    one.cancel()
        for one in writers:
            one.close()
        self._tasks.discard(task)

    def _source(self, writer: asyncio.StreamWriter) -> int:
        """Which broker it comes from, before it says anything: by TLS, nobody could read it."""
        if self._caller is None:
            return EVERYONE
        return self._caller(int(writer.get_extra_info("peername")[1]))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, source: int
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._may_pass(source)
                writer.write(data)
                await writer.drain()
