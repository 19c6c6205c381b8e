"""Clients over a quota are answered at once, told to wait, and not read meanwhile (KIP-219)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.state.quotas.entities import DEFAULT, QuotaEntity
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataRequest
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.wire.peer import quiet_loop
from tests.support.wire.server import FakeTransport

RECORDS = batch(b"x" * 1000)
MOST = 10 * 1000 - 1000
"""Bytes of records in one answer for a quota of 1,000 per second."""
LATEST = {0: 9, 1: 12, 2: 9, 6: 8, 12: 4, 18: 4}


class Client:
    """A connection to a real server over ``Site``'s logs and clocks."""

    def __init__(self, desk: Desk, client_id: str) -> None:
        self.transport = FakeTransport(Connection(desk.server, "PLAINTEXT"))
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
    """Clients and the timers that the server set for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.site = Site()
        self.server = Server(self.site.services, loop)
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.server.call_later = self._call_later  # type: ignore[method-assign]
        self.site.topic("t", 2, isr=(ME,), replicas=(ME, OTHER))

    def _call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        self.timers.append((round(self.site.time + seconds * 1000, 3), callback))
        return cast(asyncio.TimerHandle, SimpleNamespace(cancel=lambda: None))

    def limit(self, user: str | None = "", client_id: str | None = "", **quotas: float) -> None:
        texts = {name: str(value) for name, value in quotas.items()}
        assert self.site.services.quotas.set(QuotaEntity(user, client_id), texts) == []

    def client(self, client_id: str = "c") -> Client:
        return Client(self, client_id)

    def pass_time(self, ms: float) -> None:
        self.site.pass_time(ms)
        for due in [timer for timer in self.timers if timer[0] <= self.site.time]:
            self.timers.remove(due)
            due[1]()


@pytest.fixture
def desk() -> Iterator[Desk]:
    with quiet_loop() as loop:
        yield Desk(loop)


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


# -- produce -----------------------------------------------------------------------------------


def test_a_producer_over_its_rate_is_answered_and_then_left_alone(desk: Desk) -> None:
    client, other = desk.client(), desk.client("other")
    size = client.send(produce())
    client.answers()
    desk.limit(client_id="c", producer_byte_rate=size)  # ten of these at once are free
    for _ in range(10):
        assert client.ask(produce()).throttle_time_ms == 0
    # Eleven in ten seconds: 10 % too much, so 10 % of ten seconds.
    assert client.ask(produce()).throttle_time_ms == 1000
    client.send(produce())
    assert (client.answers(), client.transport.reading) == ([], False)
    for _ in range(20):
        assert other.ask(produce()).throttle_time_ms == 0
    desk.pass_time(999)
    assert client.answers() == []
    desk.pass_time(1)
    (answer,) = client.answers()
    assert answer.throttle_time_ms == 2000  # twelve in ten seconds: all but one window count whole
    assert answer.responses[0].partition_responses[0].base_offset == 12 + 20


def test_a_producer_without_answers_is_left_alone_too(desk: Desk) -> None:
    desk.limit(user=DEFAULT, producer_byte_rate=100, request_percentage=0.000001)
    client = desk.client()
    client.send(produce(acks=0))
    size = client.send(produce(acks=0))
    assert client.muted
    assert desk.site.replicas.find("t", 0).log.log_end_offset == 1  # type: ignore[union-attr]
    (due, _), *more = desk.timers
    assert more == []
    assert due == pytest.approx((size / 10 - 100) / 100 * 10_000, abs=1)


def test_what_waits_for_replicas_counts_when_it_is_answered(desk: Desk) -> None:
    desk.site.topic("w", isr=(ME, OTHER), replicas=(ME, OTHER))
    desk.limit(client_id=DEFAULT, producer_byte_rate=1)
    client, request = desk.client(), produce(acks=-1)
    request.topic_data[0].name = "w"
    client.send(request)
    assert (client.answers(), client.muted) == ([], False)
    desk.pass_time(1000)
    (answer,) = client.answers()
    assert answer.throttle_time_ms > 0
    assert client.muted


def test_a_client_that_goes_while_it_is_left_alone_is_forgotten(desk: Desk) -> None:
    desk.limit(client_id=DEFAULT, producer_byte_rate=1)
    client = desk.client()
    assert client.ask(produce()).throttle_time_ms > 0
    client.transport.lose()
    assert desk.server.connection_count == 0
    desk.pass_time(1e9)


# -- fetch -------------------------------------------------------------------------------------


def test_a_consumer_gets_at_once_no_more_than_its_rate_allows_in_ten_seconds(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 400)
    desk.limit(client_id="c", consumer_byte_rate=1000)
    client = desk.client()
    first = client.ask(fetch())
    assert (first.throttle_time_ms, got(first)) == (0, MOST)
    held = client.ask(fetch(offset=8))
    assert held.responses == []
    assert held.throttle_time_ms == pytest.approx(8100, rel=0.01)
    assert client.muted
    assert got(desk.client("other").ask(fetch())) == 400 * len(RECORDS)


@pytest.mark.parametrize(("max_bytes", "least"), [(2200, 0.9), (1 << 20, 0.5)])
def test_a_consumer_gets_its_rate_in_the_long_run(desk: Desk, max_bytes: int, least: float) -> None:
    """By Kafka's rule that is ten seconds' worth in eleven for who takes it at once, and less for
    answers as large as that, which have to wait until all before is forgotten."""
    desk.site.append("t", 0, *[RECORDS] * 800)
    desk.limit(client_id="c", consumer_byte_rate=10_000)
    client, offset, sent = desk.client(), 0, 0
    while desk.site.time < 60_000:
        answer = client.ask(fetch(offset=offset, max_bytes=max_bytes))
        sent += got(answer)
        offset += got(answer) // len(RECORDS)
        desk.pass_time(answer.throttle_time_ms or 1)
    allowed = 10 * (desk.site.time + 10_000)  # the first ten seconds' worth is free
    assert least * allowed < sent < allowed + 2200


def test_an_answer_that_was_held_back_is_as_if_never_asked_for(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 20)
    desk.limit(client_id="c", consumer_byte_rate=1000)
    client = desk.client()
    first = client.ask(fetch(session=(0, 0)))
    session = first.session_id
    assert session
    held = client.ask(fetch(offset=8, session=(session, 1)))
    assert (held.session_id, held.responses) == (session, [])
    desk.pass_time(60_000)
    again = client.ask(fetch(offset=-1, session=(session, 2)))
    assert got(again) == MOST
    assert again.responses[0].partitions[0].high_watermark == 20
    # A session that would begin with an answer held back does not begin.
    held = client.ask(fetch(session=(session, 0)))
    assert (held.session_id, held.throttle_time_ms > 0) == (0, True)
    assert len(desk.site.services.sessions) == 0


def test_followers_have_no_quota(desk: Desk) -> None:
    desk.site.append("t", 0, *[RECORDS] * 20)
    desk.limit(user=DEFAULT, consumer_byte_rate=1, request_percentage=0.0001)
    client = desk.client("broker-1-fetcher-0")
    for _ in range(3):
        answer = client.ask(fetch(replica_id=OTHER))
        assert (answer.throttle_time_ms, got(answer)) == (0, 20 * len(RECORDS))
    assert not client.muted


# -- time of the thread ------------------------------------------------------------------------


def test_requests_that_take_more_time_than_allowed_earn_a_break_of_a_second(desk: Desk) -> None:
    desk.limit(client_id="c", request_percentage=1)
    handler = desk.server._apis[2]
    desk.server.preload(2)
    fast = handler.handle
    assert fast is not None

    def slow(context: Any, request: Any) -> Any:
        desk.site.time += 110  # 1.1 % of ten seconds
        return fast(context, request)

    handler.handle = slow
    client = desk.client()
    assert client.ask(ListOffsetsRequest()).throttle_time_ms == 1000
    assert desk.client("other").ask(ListOffsetsRequest()).throttle_time_ms == 0
    desk.pass_time(1000)
    assert client.ask(ApiVersionsRequest(), 0).error_code == 0  # told by no field, left alone
    assert client.muted


def test_waiting_is_not_work(desk: Desk) -> None:
    desk.limit(client_id="c", request_percentage=1)
    client = desk.client()
    client.send(fetch(max_wait_ms=60_000))
    desk.pass_time(60_000)
    (answer,) = client.answers()
    assert answer.throttle_time_ms == 0


def test_a_failed_request_counts_and_what_brokers_say_does_not(desk: Desk) -> None:
    desk.limit(user="ANONYMOUS", request_percentage=0)
    desk.server.timer = desk.server.services.timer = iter(range(10**6)).__next__
    assert desk.client().ask(HeartbeatRequest(group_id="", member_id="m")).throttle_time_ms > 0
    broker = desk.client("broker")
    desk.server._apis[6].handle = lambda context, request: APIS[6].response()
    desk.server._apis[6].request_class = APIS[6].request
    broker.ask(UpdateMetadataRequest())
    assert not broker.muted


@pytest.mark.parametrize("key", sorted(APIS))
def test_every_answer_has_room_for_the_break_or_leaves_it_out(key: int) -> None:
    response: Any = APIS[key].response()
    if hasattr(response, "throttle_time_ms"):
        response.throttle_time_ms = 7
        first, last = table_of(APIS[key].request).versions
        for version in range(first, last + 1):
            encode(response, version)
