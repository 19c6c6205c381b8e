"""Two brokers that are sent the same Fetch requests; the second reads each field by field."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

from pykafka_ops.broker.handlers.fetch_shape import FetchShape
from pykafka_ops.broker.hot.serving import DECLINED, Shape
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchTopic
from tests.support.memory.handler_site import ME, OTHER, topic_id
from tests.support.wire.clocked import Desk
from tests.support.wire.server import FakeTransport

SETTINGS: dict[str, dict[str, str]] = {
    "plain": {},
    "short": {"segment.bytes": "900", "index.interval.bytes": "60"},
    "compacted": {"cleanup.policy": "compact", "segment.bytes": "700"},
    "packed": {"compression.type": "zstd"},
    "paid": {},
    "shared": {},
}
PARTITIONS = 2


class FetchBroker(Desk):
    """Connections by name; ``served`` counts requests that went straight through."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        careful: bool,
        authorizer: Authorizer | None = None,
    ) -> None:
        super().__init__(loop, authorizer)
        self._loop = loop
        self.server.measure()
        for name, settings in SETTINGS.items():
            replicas = (ME, OTHER) if name == "shared" else (ME,)
            self.site.topic(name, PARTITIONS, isr=replicas, replicas=replicas, config=settings)
        api = self.server.dispatch.apis[ApiKey.FETCH]
        api.load()
        self._lines: dict[str, FakeTransport] = {}
        self.served = 0
        make: Any = api.shape
        api.shape = None if careful else lambda *request: self._counted(make(*request))

    def _counted(self, shape: FetchShape | None) -> object:
        return None if shape is None else CountedShape(self, shape)

    def line(self, name: str) -> FakeTransport:
        """The connection of a client, a new one if it is closed."""
        line = self._lines.get(name)
        if line is None or line.is_closing():
            line = self._lines[name] = FakeTransport(Connection(self.server, "PLAINTEXT"))
        return line

    def hang_up(self, name: str) -> None:
        """A client goes away."""
        line = self._lines.pop(name, None)
        if line is not None and not line.is_closing():
            line.lose()

    def settle(self) -> None:
        """Do what is left for later, but for what waits for its time."""
        self.site.run_soon()
        self._loop.run_until_complete(asyncio.sleep(0))
        while tasks := asyncio.all_tasks(self._loop):
            self._loop.run_until_complete(asyncio.wait(tasks))
            self.site.run_soon()
            self._loop.run_until_complete(asyncio.sleep(0))

    def said(self) -> dict[str, tuple[list[bytes], bool]]:
        """What was written to each client since the last call, and whether it was closed."""
        found = {}
        for name, line in self._lines.items():
            found[name] = line.frames(), line.is_closing()
            line.written = []
        return found

    @property
    def state(self) -> dict[str, Any]:
        """All that requests leave behind."""
        site = self.site
        replicas, sessions = site.replicas, site.services.fetches.sessions
        assert self.server.tally is not None
        found: dict[str, Any] = {
            "waiting": (len(replicas.fetches), site.armed, site.time),
            "counts": sorted(
                (c.times.name, c.version, c.requests, codes(c))
                for c in self.server.tally
                if c.requests
            ),
            "readers": sorted(
                (key, session.identity, name)
                for key, readers in replicas.readers.items()
                for session, name in readers.items()
            ),
        }
        for session in sessions:
            found[f"session {session.identity}"] = (
                (session.epoch, session.last_used, session.follower, session.seen_at),
                (session.looked_at, session.memory.held),
                None if session.lively is None else list(session.lively),
                [(key, repr(wanted)) for key, wanted in session.partitions.items()],
            )
        for partition in replicas.all():
            view, log = partition.in_sync, partition.used_log
            found[f"{partition.topic}-{partition.index}"] = (
                log and (log.tail.start, log.tail.end, log.tail.high_watermark),
                view and (view.isr, view.pending, sorted(view.followers), repr(view.followers)),
            )
        for topic, meter in replicas.meters:
            found[f"meter of {topic}"] = [getattr(meter, name) for name in meter.__slots__]
        for meter in (replicas.meters.followers, replicas.meters.joining):
            found.setdefault("meters of followers", []).append(meter.bytes_out)
        return found


def codes(count: Any) -> dict[int, int]:
    """How often answers had each error code."""
    found = dict(count.codes)
    found[0] = found.get(0, 0) + count.sure
    return {code: number for code, number in found.items() if number}


class CountedShape(Shape):
    """A shape whose broker counts what goes straight through."""

    def __init__(self, broker: FetchBroker, shape: FetchShape) -> None:
        self._broker = broker
        self._shape = shape
        self.context, self.held, self.key = shape.context, shape.held, shape.key

    def answer(self, frame: memoryview) -> object:
        self._shape.count = self.count
        found = self._shape.answer(frame)
        self.codes = self._shape.codes
        self._broker.served += found is not None and found is not DECLINED
        return found


class Twins:
    """Both of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.straight = FetchBroker(loop, careful=False)
        self.careful = FetchBroker(loop, careful=True)

    def ask(self, name: str, frame: bytes) -> dict[str, tuple[list[bytes], bool]]:
        """A client sends a frame."""
        return self.do(lambda broker: broker.line(name).feed(frame))

    def do(self, act: Callable[[FetchBroker], object]) -> dict[str, tuple[list[bytes], bool]]:
        """Something happens to both; what clients hear, which is the same from both."""
        found = []
        for broker in (self.straight, self.careful):
            act(broker)
            broker.settle()
            found.append(broker.said())
        straight, careful = found
        assert straight == careful
        return straight

    def compare(self, but: Collection[str] = ()) -> None:
        """Both have the same behind them, ``but`` for some of it."""
        straight, careful = self.straight.state, self.careful.state
        for key in careful.keys() - but:
            value = careful[key]
            assert straight[key] == value, f"{key}: {straight[key]}, carefully {value}"
        assert straight.keys() == careful.keys()


def topic(name: str, *wanted: tuple[int, int], size: int = 1 << 20, **more: int) -> FetchTopic:
    """(partition, offset)s of a topic, of which at most ``size`` bytes each are wanted."""
    partitions = [
        FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=size, **more)
        for index, offset in wanted
    ]
    return FetchTopic(topic=name, topic_id=topic_id(name), partitions=partitions)
