"""``/metrics``, ``/healthz`` and ``/readyz`` as their clients see them."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import threading
from collections.abc import Iterator

import pytest

from pykafka_ops import small_http
from pykafka_ops.broker.runtime.metrics import server as module
from pykafka_ops.broker.runtime.metrics.server import Health, MetricsServer
from pykafka_ops.metrics.text import Format
from tests.support.waiting import wait_for

REPORT = b"a 1\n" * 1000


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """One that runs in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def health() -> Health:
    return Health()


@pytest.fixture
def server(loop: asyncio.AbstractEventLoop, health: Health) -> Iterator[MetricsServer]:
    made = MetricsServer("127.0.0.1", 0, loop, health)
    yield made
    made.close()


async def report(form: Format) -> bytes:
    return REPORT + (b"# EOF\n" if form is Format.OPEN else b"")


def ask(
    server: MetricsServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_a_broker_that_starts_lives_but_is_not_ready(server: MetricsServer) -> None:
    assert ask(server, "/healthz")[::2] == (200, b"starting\n")
    assert ask(server, "/readyz")[::2] == (503, b"starting\n")
    assert ask(server, "/metrics")[0] == 503


def test_a_broker_that_runs_tells_and_says_what_is_wrong(
    server: MetricsServer, health: Health
) -> None:
    health.state, server.report = "running", report
    assert ask(server, "/healthz")[::2] == (200, b"running\n")
    assert ask(server, "/readyz")[::2] == (200, b"ready\n")
    health.troubles = lambda: ["ZooKeeper cannot be reached", "a disk has failed"]
    assert ask(server, "/healthz")[0] == 200
    assert ask(server, "/readyz")[::2] == (503, b"ZooKeeper cannot be reached\na disk has failed\n")
    health.state = "stopping"
    assert ask(server, "/readyz")[::2] == (503, b"stopping\n")


def test_formats_are_as_the_client_takes_them(server: MetricsServer, health: Health) -> None:
    health.state, server.report = "running", report
    status, headers, body = ask(server, "/metrics?x=1")
    assert (status, body) == (200, REPORT)
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    _, headers, body = ask(server, "/metrics", Accept="application/openmetrics-text;version=1.0.0")
    assert headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0;")
    assert body.endswith(b"# EOF\n")
    assert ask(server, "/metrics", Accept="application/json")[1]["Content-Type"] == (
        "application/json"
    )
    packed = {"Accept-Encoding": "deflate, gzip"}
    _, headers, body = ask(server, "/metrics", **packed)
    assert headers["Content-Encoding"] == "gzip" and gzip.decompress(body) == REPORT
    status, headers, body = ask(server, "/metrics", "HEAD")
    assert (status, headers["Content-Length"], body) == (200, str(len(REPORT)), b"")


@pytest.mark.parametrize("path", ["/nosuch", "/metrics/x", "/%00"])
def test_what_is_not_there_is_404(server: MetricsServer, path: str) -> None:
    assert ask(server, path)[0] == 404


def test_only_reading_is_served(server: MetricsServer) -> None:
    assert ask(server, "/metrics", "POST")[0] == 501


@pytest.mark.parametrize("sent", [b"\x00\xff\r\n\r\n", b"GET /" + b"a" * 70_000, b"GET\r\n\r\n"])
def test_garbage_ends_its_connection_alone(server: MetricsServer, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        while client.recv(65536):
            pass
    assert ask(server, "/healthz")[0] == 200


def test_clients_that_say_nothing_keep_nobody_out_for_long(
    server: MetricsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_http._HttpRequest, "timeout", 0.2)
    silent = [
        socket.create_connection(("127.0.0.1", server.port)) for _ in range(small_http.CLIENTS + 4)
    ]

    def served() -> bool:
        try:
            return ask(server, "/healthz")[0] == 200
        except OSError:
            return False

    try:
        wait_for(served, what="room")
    finally:
        for client in silent:
            client.close()


def test_a_loop_that_hangs_is_told(
    server: MetricsServer,
    health: Health,
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ALIVE_S", 0.1)
    monkeypatch.setattr(module, "ANSWER_S", 0.1)
    health.state, server.report = "running", report
    released = threading.Event()
    loop.call_soon_threadsafe(released.wait)
    try:
        for path in ("/healthz", "/readyz", "/metrics"):
            assert ask(server, path)[0] == 503
    finally:
        released.set()
    wait_for(lambda: ask(server, "/healthz")[0] == 200, what="life")


def test_an_address_that_is_taken_is_an_error(
    server: MetricsServer, loop: asyncio.AbstractEventLoop
) -> None:
    with pytest.raises(OSError, match="in use"):
        MetricsServer("127.0.0.1", server.port, loop, Health())
