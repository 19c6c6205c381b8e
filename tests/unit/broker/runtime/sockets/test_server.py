"""The server over real sockets, on asyncio's loop and on uvloop."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.wire.server import Client, Served, make_server, run, until

MIB = 1024 * 1024
Body = Callable[["Site"], Coroutine[Any, Any, None]]


class Site:
    """A server on a port of its own; the test decides what Fetch answers."""

    def __init__(self, **settings: object) -> None:
        self.fetch: Callable[[Any, Any], Any] = lambda context, request: FetchResponse()
        self.contexts: list[Any] = []
        served = {
            ApiKey.FETCH: Served(self._fetch),
            ApiKey.PRODUCE: Served(lambda context, request: ProduceResponse()),
            ApiKey.LIST_OFFSETS: Served(self._fail, self._failed),
        }
        self.server: Server = make_server(asyncio.get_running_loop(), served, **settings)
        self.port = 0

    def _fetch(self, context: Any, request: Any) -> Any:
        self.contexts.append(context)
        return self.fetch(context, request)

    def _fail(self, context: Any, request: Any) -> Any:
        raise ZeroDivisionError

    def _failed(self, request: Any, version: int, error: KafkaError) -> Any:
        return ListOffsetsResponse(throttle_time_ms=1000 + error.code)

    async def open(self) -> None:
        self.port = await self.server.listen("PLAINTEXT", "127.0.0.1", 0)
        self.server.queue_clients()
        await self.server.accept()

    async def client(self, **options: Any) -> Client:
        return await Client.connect(self.port, **options)


@pytest.fixture(params=["asyncio", "uvloop"])
def on_site(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Run a coroutine against a server on either kind of loop."""
    make = asyncio.new_event_loop if request.param == "asyncio" else uvloop.new_event_loop

    def go(body: Body, **settings: object) -> None:
        async def main() -> None:
            site = Site(**settings)
            await site.open()
            await body(site)
            await site.server.close()
            await until(lambda: len(site.server._connections) == 0)
            assert site.server.pool.held == 0

        run(main(), make)

    return go


def records_of(size: int) -> FetchResponse:
    parts: list[Any] = [bytes(min(size - at, 65536)) for at in range(0, size, 65536)]
    data = PartitionData(partition_index=0, records=parts)
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[data])])


def produce_of(size: int) -> ProduceRequest:
    data = [PartitionProduceData(index=0, records=bytes(size))]
    return ProduceRequest(acks=1, topic_data=[TopicProduceData(name="t", partition_data=data)])


def test_requests_are_answered_and_small_and_large_ones_mix(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        answer = await client.ask(ApiVersionsRequest(), 0)
        assert {a.api_key for a in answer.api_keys} == {int(key) for key in ROUTES}
        site.fetch = lambda context, request: records_of(3 * MIB)
        for size in (0, 10, 40_000, 600_000, 5 * MIB, 100):
            assert await client.ask(produce_of(size), 9) == ProduceResponse()
            fetched = await client.ask(FetchRequest(), 12)
            assert len(fetched.responses[0].partitions[0].records) == 3 * MIB
        client.close()

    on_site(body)


def test_a_handler_learns_who_asks(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        await client.ask(FetchRequest(), 11)
        (context,) = site.contexts
        assert (context.version, context.client_id, context.listener) == (11, "test", "PLAINTEXT")
        assert (context.client_host, context.principal) == ("127.0.0.1", "User:ANONYMOUS")
        assert context.services is site.server.dispatch.services
        client.close()

    on_site(body)


def test_a_handler_that_raises_is_answered_in_the_shape_of_its_api(
    on_site: Callable[..., None],
) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        answer = await client.ask(ListOffsetsRequest(), 2)
        assert answer.throttle_time_ms == 999  # UNKNOWN_SERVER_ERROR
        assert (await client.ask(ApiVersionsRequest(), 0)).error_code == 0
        client.close()

    on_site(body)


def test_pipelined_requests_are_answered_in_order_behind_one_that_waits(
    on_site: Callable[..., None],
) -> None:
    async def body(site: Site) -> None:
        waiting = Deferred()
        site.fetch = lambda context, request: waiting
        client = await site.client()
        other = await site.client()
        client.send(FetchRequest(), 4)
        for _ in range(2000):
            client.send(ApiVersionsRequest(), 0)
        client.send(produce_of(300_000), 3)
        await until(lambda: site.contexts)
        await other.ask(ApiVersionsRequest(), 0)
        waiting.resolve(FetchResponse())
        for expected in range(1, 2003):
            assert int.from_bytes((await client.answer())[:4], "big") == expected
        client.close()
        other.close()

    on_site(body)


def test_a_client_that_goes_while_it_waits_is_noticed(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        abandoned = []
        waiting = Deferred()
        waiting.on_abandon = lambda: abandoned.append(True)
        site.fetch = lambda context, request: waiting
        client = await site.client()
        client.send(FetchRequest(), 4)
        await until(lambda: site.contexts)
        client.close()
        await until(lambda: abandoned)
        assert len(site.server._connections) == 0

    on_site(body)


def test_a_reset_connection_harms_nobody(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        waiting = Deferred()
        site.fetch = lambda context, request: waiting
        client = await site.client()
        client.send(FetchRequest(), 4)
        await until(lambda: site.contexts)
        sock = client.writer.get_extra_info("socket")
        linger = struct.pack("ii", 1, 0)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        client.close()
        waiting.resolve(records_of(2 * MIB))
        await until(lambda: len(site.server._connections) == 0)
        other = await site.client()
        await other.ask(ApiVersionsRequest(), 0)
        other.close()

    on_site(body)


def test_a_client_that_does_not_read_holds_one_answer_not_all(
    on_site: Callable[..., None],
) -> None:
    async def body(site: Site) -> None:
        site.fetch = lambda context, request: records_of(8 * MIB)
        slow = await site.client(limit=4096)
        for _ in range(50):
            slow.send(FetchRequest(), 4)
        await until(lambda: site.contexts)
        other = await site.client()
        for _ in range(20):
            await other.ask(ApiVersionsRequest(), 0)
        # What the kernel's socket buffers take comes on top of the one answer that waits.
        assert len(site.contexts) <= 3
        for _ in range(50):
            assert len(await slow.answer()) > 8 * MIB
        assert len(site.contexts) == 50
        slow.close()
        other.close()

    on_site(body)


def test_of_those_who_take_no_answers_the_costliest_are_cut_off(
    on_site: Callable[..., None],
) -> None:
    async def body(site: Site) -> None:
        site.fetch = lambda context, request: records_of(8 * MIB)
        slow = []
        for _ in range(12):
            slow.append(await site.client(limit=4096))
            slow[-1].send(FetchRequest(), 4)
        await until(lambda: len(site.contexts) == 12)
        await until(lambda: len(site.server._connections) < 12)
        assert site.server.memory.answers.held <= 30 * MIB
        assert len(site.server._connections) >= 2
        site.fetch = lambda context, request: FetchResponse()
        other = await site.client()
        await other.ask(FetchRequest(), 4)
        for client in (*slow, other):
            client.close()
        await until(lambda: not site.server._connections)
        assert site.server.memory.answers.held == 0

    on_site(body, queued_max_request_bytes=120 * MIB)


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">i", -1),
        struct.pack(">i", 2**31 - 1),
        struct.pack(">i", 101 * MIB),
        b"GET / HTTP/1.1\r\nHost: broker\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
        struct.pack(">ihhih", 10, 77, 0, 1, -1),
        struct.pack(">ihhih", 10, 0, 77, 1, -1),
    ],
    ids=["-1", "2 GiB", "101 MiB", "HTTP", "TLS", "unknown key", "unknown version"],
)
def test_what_is_not_kafka_is_closed_without_an_answer(
    on_site: Callable[..., None], data: bytes
) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        client.writer.write(data)
        assert await client.closed()
        client.close()

    on_site(body)


def test_random_bytes_never_disturb_the_others(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        chance = random.Random(20)
        good = await site.client()
        for _ in range(60):
            bad = await site.client()
            data = chance.randbytes(chance.randint(1, 3000))
            if chance.random() < 0.7:
                data = struct.pack(">i", len(data)) + data
            bad.writer.write(data)
            await good.ask(ApiVersionsRequest(), 0)
            bad.close()
        good.close()
        await until(lambda: len(site.server._connections) == 0)

    on_site(body)


def test_many_connections_that_claim_100_mib_cost_little_and_stop_nobody(
    on_site: Callable[..., None],
) -> None:
    async def body(site: Site) -> None:
        good = await site.client()
        claims = [await site.client() for _ in range(200)]
        for client in claims:
            client.writer.write(struct.pack(">i", 100 * MIB) + b"x")
        await until(lambda: site.server.pool.held >= 200 * 4096)
        assert site.server.pool.held < 4 * MIB
        assert await good.ask(produce_of(8 * MIB), 3) == ProduceResponse()
        for client in [good, *claims]:
            client.close()

    on_site(body)


def test_a_host_has_only_so_many_connections(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        first, second = await site.client(), await site.client()
        await first.ask(ApiVersionsRequest(), 0)
        await second.ask(ApiVersionsRequest(), 0)
        third = await site.client()
        assert await third.closed()
        first.close()
        await until(lambda: len(site.server._connections) == 1)
        fourth = await site.client()
        await fourth.ask(ApiVersionsRequest(), 0)
        for client in (second, third, fourth):
            client.close()

    on_site(body, max_connections_per_ip=2)


def test_idle_connections_are_closed_and_busy_ones_are_not(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        waiting = Deferred()
        site.fetch = lambda context, request: waiting
        idle, trickle, busy = [await site.client() for _ in range(3)]
        busy.send(FetchRequest(), 4)
        trickle.writer.write(struct.pack(">i", 1000) + b"x")
        assert await idle.closed()
        assert await trickle.closed()
        waiting.resolve(FetchResponse())
        await busy.answer()
        busy.close()

    on_site(body, connections_max_idle_ms=50, connection_failed_authentication_delay_ms=1)


@pytest.mark.parametrize("name", ["max.connections", "listener.name.plaintext.max.connections"])
def test_settings_are_taken_over_while_it_runs(on_site: Callable[..., None], name: str) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        await client.ask(ApiVersionsRequest(), 0)
        configs = site.server.dispatch.services.configs
        configs.check_broker({name: "1"}, per_broker=False)
        configs.set_dynamic_default({name: "1"})
        site.server.reconfigure()
        second = await site.client()
        second.send(ApiVersionsRequest(), 0)
        await client.ask(ApiVersionsRequest(), 0)
        assert len(site.server._connections) == 1
        client.close()
        await second.answer()
        second.close()

    on_site(body)


def test_no_new_connections_after_it_stopped_accepting(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        client = await site.client()
        await client.ask(ApiVersionsRequest(), 0)
        site.server.stop_accepting()
        with pytest.raises(OSError):
            await site.client()
        await client.ask(ApiVersionsRequest(), 0)
        await site.server.close()
        assert await client.closed()
        client.close()

    on_site(body)


def test_closing_waits_for_work_in_progress_only_so_long(on_site: Callable[..., None]) -> None:
    async def body(site: Site) -> None:
        ended = []

        async def work() -> FetchResponse:
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append(True)
            return FetchResponse()

        site.fetch = lambda context, request: work()
        client = await site.client()
        client.send(FetchRequest(), 4)
        await until(lambda: site.contexts)
        await site.server.close(grace=0.01)
        assert ended == [True]
        assert await client.closed()
        client.close()

    on_site(body)
