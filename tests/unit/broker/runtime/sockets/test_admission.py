"""Who is within the quotas is let in, the others are hung up on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.broker.runtime.sockets.admission import Admission
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas
from pykafka_ops.broker.state.quotas.entities import DEFAULT, QuotaEntities, QuotaEntity
from pykafka_ops.broker.state.quotas.sampled import Windows
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from tests.support.wire.server import Client, make_server, run, until


class Socket:
    """What an admission does with a connected socket."""

    def __init__(self, host: str | None) -> None:
        self.host = host
        self.closed = False

    def getpeername(self) -> tuple[str, int]:
        if self.host is None:
            raise OSError
        return self.host, 999

    def close(self) -> None:
        self.closed = True


class Entrance:
    """An admission on a loop of nothing but timers."""

    def __init__(self, **settings: str) -> None:
        self.entities = QuotaEntities()
        self.timers: list[tuple[float, Callable[[], None]]] = []
        quotas = ConnectionQuotas(Windows(11, 1000.0), self.entities, "B")
        for name in ("A", "B"):
            quotas.add_listener(name)
        configs = BrokerConfigs({k.replace("_", "."): v for k, v in settings.items()})
        quotas.configure(configs.value, configs.text)
        self.inside: list[str] = []
        self.made_room = 0
        self.admission = Admission(
            cast(Any, self),
            quotas,
            lambda: 0.0,
            welcome=lambda listener, ip, client: self.inside.append(f"{listener} {ip}"),
            make_room=self._make_room,
        )

    def _make_room(self) -> None:
        self.made_room += 1

    def call_later(self, seconds: float, callback: Any, *arguments: Any) -> Any:
        self.timers.append((seconds, lambda: callback(*arguments)))
        return SimpleNamespace(cancel=lambda: None)

    def come(self, host: str | None, listener: str = "A") -> Socket:
        client = Socket(host)
        self.admission.take(listener, cast(socket.socket, client))
        return client


def test_an_address_with_too_many_connections_is_hung_up_on_at_once() -> None:
    entrance = Entrance(max_connections_per_ip="1")
    assert [entrance.come("1.1.1.1").closed for _ in range(2)] == [False, True]
    assert not entrance.come("2.2.2.2").closed
    entrance.admission.left("A", "1.1.1.1")
    assert not entrance.come("1.1.1.1").closed
    assert entrance.inside == ["A 1.1.1.1", "A 2.2.2.2", "A 1.1.1.1"]


def test_an_address_that_comes_too_often_is_hung_up_on_after_a_while() -> None:
    entrance = Entrance()
    entrance.entities.set(QuotaEntity(ip=DEFAULT), {"connection_creation_rate": "1"})
    for _ in range(10):
        entrance.come("1.1.1.1")
    late = entrance.come("1.1.1.1")
    assert (len(entrance.inside), late.closed) == (10, False)
    ((seconds, hang_up),) = entrance.timers
    assert seconds == 1.0
    hang_up()
    assert late.closed
    other = entrance.come("1.1.1.1")
    entrance.admission.close()
    assert other.closed


def test_who_has_gone_while_it_waited_takes_no_room() -> None:
    entrance = Entrance()
    assert entrance.come(None).closed
    assert (entrance.inside, entrance.admission.quotas.total) == ([], 0)


def test_a_client_makes_room_for_a_broker() -> None:
    entrance = Entrance(max_connections="1")
    entrance.come("1.1.1.1")
    assert entrance.made_room == 0
    entrance.come("1.1.1.1", "B")
    assert entrance.made_room == 1


def test_a_connection_of_a_client_that_idles_is_closed_for_a_broker() -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        server = make_server(loop, inter_broker_listener_name="B", max_connections=2)
        clients_port = await server.listen("A", "127.0.0.1", 0)
        brokers_port = await server.listen("B", "127.0.0.1", 0)
        server.queue_clients()
        await server.accept()
        first, second = [await Client.connect(clients_port) for _ in range(2)]
        for each in (first, second):
            await each.ask(ApiVersionsRequest(), 0)
        for connection in server._connections.values():
            connection.sweep()
        await first.ask(ApiVersionsRequest(), 0)
        broker = await Client.connect(brokers_port)
        await broker.ask(ApiVersionsRequest(), 0)
        assert await second.closed()
        await until(lambda: len(server._connections) == 2)
        await first.ask(ApiVersionsRequest(), 0)
        for each in (first, second, broker):
            each.close()
        await server.close()

    run(body())


def test_connections_beyond_the_rate_come_in_later() -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        server = make_server(loop, max_connection_creation_rate=20, quota_window_num=1)
        port = await server.listen("A", "127.0.0.1", 0)
        server.queue_clients()
        await server.accept()
        began = loop.time()
        clients = [await Client.connect(port) for _ in range(22)]
        for each in clients:
            await each.ask(ApiVersionsRequest(), 0)
            each.close()
        assert loop.time() - began >= 0.05
        await server.close()

    run(body())
