"""A TCP relay that can be cut: a network between brokers, and between a broker and ZooKeeper.

A cut link is silent, not closed: what was sent waits, and arrives once the link is whole again.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Coroutine
from typing import Any

EVERYONE = -1
_BROKER = re.compile(rb"broker-(\d+)-")
_HEADER = 14  # size, key, version, correlation id, length of the client id


class Network:
    """The loop that all relays of a test run on, in a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.relays: list[Relay] = []

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def relay(self, host: str, port: int, *, kafka: bool = False) -> Relay:
        """A relay to that address; ``kafka``: it can be cut for one broker alone."""
        relay = Relay(self, host, port, kafka)
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

    def __init__(self, network: Network, host: str, port: int, kafka: bool) -> None:
        self._network, self._target, self._kafka = network, (host, port), kafka
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
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head, source = await self._source(reader)
            await self._may_pass(source)
            back, forth = await asyncio.open_connection(*self._target)
            writers.append(forth)
            forth.write(head)
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

    async def _source(self, reader: asyncio.StreamReader) -> tuple[bytes, int]:
        """The beginning of the first request, and which broker its client id names."""
        if not self._kafka:
            return b"", EVERYONE
        head = await reader.readexactly(_HEADER)
        name = await reader.readexactly(max(0, int.from_bytes(head[12:14], "big", signed=True)))
        found = _BROKER.match(name)
        return head + name, int(found[1]) if found else EVERYONE

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, source: int
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._may_pass(source)
                writer.write(data)
                await writer.drain()
