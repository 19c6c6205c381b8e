"""What a consumer sends, known by its bytes and read field by field: nothing differs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.fetch import FetchRequest
from tests.support.memory import commit_desk
from tests.support.memory.fetch_twins import Twins, topic
from tests.support.memory.handler_site import batch

VERSIONS = (4, 7, 9, 11, 12, 13, 17)
MOST = 200
"""Requests before the brokers are made anew."""
_LENGTH = 4


class Fetchers(Twins):
    """Two brokers with some records."""

    def __init__(self) -> None:
        super().__init__(_loop())
        self.asked = 0
        for name in ("plain", "short"):
            for _ in range(3):
                self.do(lambda broker, name=name: broker.site.append(name, 0, batch(b"x", b"yy")))

    def send(self, *frames: bytes) -> None:
        """A client sends these, each behind its length, and hangs up."""
        self.asked += 1
        for frame in frames:
            self.ask("client", len(frame).to_bytes(_LENGTH, "big") + frame)
        self.do(lambda broker: broker.hang_up("client"))
        self.compare(but=("counts",))


class Committers:
    """Two brokers that keep commits; the second reads each field by field."""

    def __init__(self) -> None:
        self.asked = 0
        self.brokers = [commit_desk.Broker(_loop(), repeat=True) for _ in range(2)]
        api = self.brokers[1].server.dispatch.apis[ApiKey.OFFSET_COMMIT]
        api.load()
        api.shape = None

    def send(self, *frames: bytes) -> None:
        """A client sends these, each behind its length, and hangs up."""
        self.asked += 1
        straight, careful = self.brokers
        for frame in frames:
            sent = len(frame).to_bytes(_LENGTH, "big") + frame
            assert straight.ask(sent) == careful.ask(sent)
        while tasks := asyncio.all_tasks(_loop()):
            _loop().run_until_complete(asyncio.wait(tasks))
        for broker in self.brokers:
            broker.hang_up()
        assert straight.state == careful.state


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


@contextmanager
def _silence() -> Iterator[None]:
    """Each damaged request would write a line."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


_fetchers: list[Fetchers] = []
_committers: list[Committers] = []


def fetched(data: bytes) -> None:
    """A request, after a usual one of the version that the first byte says."""
    if not _fetchers or _fetchers[0].asked >= MOST:
        _fetchers[:] = [Fetchers()]
    usual = fetch_seeds()[data[0] % len(VERSIONS)][1:] if data else b""
    try:
        with _silence():
            _fetchers[0].send(*[usual] * 2 * bool(data), data[1:])
    except BaseException:
        _fetchers.clear()
        raise


@cache
def fetch_seeds() -> list[bytes]:
    """Requests for one partition and for some, each behind a byte for its version."""
    kinds = [
        [topic("plain", (0, 4))],
        [topic("plain", (0, 1), (1, 0)), topic("short", (0, 2), size=100)],
    ]
    return [
        bytes([n])
        + encode_request(
            FetchRequest(max_wait_ms=500, min_bytes=n % 2, max_bytes=1 << 20, topics=topics),
            version,
            7,
            "client",
        )[_LENGTH:]
        for topics in kinds
        for n, version in enumerate(VERSIONS)
    ]


def committed(data: bytes) -> None:
    """A commit, after a usual one of the kind that the first byte says."""
    if not _committers or _committers[0].asked >= MOST:
        _committers[:] = [Committers()]
    seeds = commit_seeds()
    usual = seeds[data[0] % len(seeds)][1:] if data else b""
    try:
        with _silence():
            _committers[0].send(*[usual] * 2 * bool(data), data[1:])
    except BaseException:
        _committers.clear()
        raise


@cache
def commit_seeds() -> list[bytes]:
    """Commits of one partition and of some, each behind a byte for its kind."""
    one = [("t", 0, 5, 1, "note")]
    some = [("t", 0, 1 << 40, -1, ""), ("t", 1, 7, 0, None), ("u", 0, 0, 3, "ü")]
    ways = [(places, version) for version in (2, 5, 6, 8, 9) for places in (one, some)]
    return [
        bytes([n]) + commit_desk.request(*places, version=version)[_LENGTH:]
        for n, (places, version) in enumerate(ways)
    ]
