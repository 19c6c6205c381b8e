"""Clients of a server over ``Site``'s logs, on a clock that stands still unless a test moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.services.acl_admin import AclAdmin
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.quotas.entities import QuotaEntity
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.wire.server import FakeTransport

RECORDS = batch(b"x" * 1000)
LATEST = {0: 9, 1: 12, 2: 9, 3: 12, 6: 8, 12: 4, 18: 4}


class Client:
    """A connection to a real server over ``Site``'s logs and clocks."""

    def __init__(self, desk: Desk, client_id: str, host: str) -> None:
        self.transport = FakeTransport(Connection(desk.server, "PLAINTEXT"), host)
        self._client_id = client_id
        self._sent: list[tuple[int, int]] = []
        self._read = 0

    def send(self, request: Any, version: int | None = None) -> int:
        """Send a request; its size as it counts for a quota."""
        key = table_of(type(request)).api
        version = LATEST[key] if version is None else version
        frame = encode_request(request, version, len(self._sent), self._client_id)
        if getattr(request, "acks", 1):
            self._sent.append((key, version))
        self.transport.feed(frame)
        return len(frame) - 4

    def answers(self) -> list[Any]:
        """The answers that came since the last call."""
        frames = self.transport.frames()[self._read :]
        found = []
        for frame in frames:
            key, version = self._sent[self._read]
            response: Any = APIS[key].response
            found.append(decode_response(response, version, memoryview(frame))[1])
            self._read += 1
        return found

    def ask(self, request: Any, version: int | None = None) -> Any:
        """The one answer, which must be there."""
        self.send(request, version)
        (answer,) = self.answers()
        return answer

    @property
    def muted(self) -> bool:
        return self.transport.connection._muted is not None


class Desk:
    """Clients and the timers that the server set for them; an ``authorizer`` says what they may."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, authorizer: Authorizer | None = None
    ) -> None:
        self.site = Site()
        if authorizer is not None:
            self.site.services.acls = cast(AclAdmin, SimpleNamespace(authorizer=authorizer))
        self.server = Server(self.site.services, loop)
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.server.call_later = self._call_later  # type: ignore[method-assign]
        if authorizer is not None:
            authorizer.changed.append(self.server.rights_changed)
        self.site.topic("t", 2, isr=(ME,), replicas=(ME, OTHER))

    def _call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        self.timers.append((round(self.site.time + seconds * 1000, 3), callback))
        return cast(asyncio.TimerHandle, SimpleNamespace(cancel=lambda: None))

    def limit(self, user: str | None = "", client_id: str | None = "", **quotas: float) -> None:
        texts = {name: str(value) for name, value in quotas.items()}
        assert self.site.services.quotas.set(QuotaEntity(user, client_id), texts) == []

    def client(self, client_id: str = "c", host: str = "1.2.3.4") -> Client:
        return Client(self, client_id, host)

    def pass_time(self, ms: float) -> None:
        self.site.pass_time(ms)
        for due in [timer for timer in self.timers if timer[0] <= self.site.time]:
            self.timers.remove(due)
            due[1]()


def produce(acks: int = 1, index: int = 0) -> ProduceRequest:
    data = [PartitionProduceData(index=index, records=RECORDS)]
    topics = [TopicProduceData(name="t", partition_data=data)]
    return ProduceRequest(acks=acks, timeout_ms=1000, topic_data=topics)


def fetch(offset: int = 0, session: tuple[int, int] = (0, -1), **rest: Any) -> FetchRequest:
    wanted = [FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)]
    topics = [] if session[1] > 0 and offset < 0 else [FetchTopic(topic="t", partitions=wanted)]
    values = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 24, **rest}
    return FetchRequest(topics=topics, session_id=session[0], session_epoch=session[1], **values)


def got(answer: Any) -> int:
    return sum(len(p.records or b"") for t in answer.responses for p in t.partitions)
