"""``pko top`` on a monitor that answers over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.errors import ConnectError, PkoError, UsageError, WireError
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.server import HttpServer
from pykafka_ops.monitor.service import Service, ShownCluster
from pykafka_ops.top import monitor_api
from pykafka_ops.top.monitor_api import MonitorApi
from pykafka_ops.top.records import RecordPage
from pykafka_ops.top.remote import MonitorSource
from pykafka_ops.top.screen.app import TopApp
from tests.support.monitor.rounds import answers
from tests.support.waiting import wait_for

HOUR_MS = 3_600_000


@pytest.fixture
def watched() -> WatchedCluster:
    found = WatchedCluster("local é")
    found.take(answers(now_ms(), 100, commits=[Commit(now_ms(), 60)]))
    return found


@pytest.fixture
def server(watched: WatchedCluster) -> Iterator[HttpServer]:
    shown = {watched.view.name: ShownCluster(("b1:9092",), 20_000)}
    service = Service({watched.view.name: watched}, shown)
    made = HttpServer(make_app(service, all_routes()), "127.0.0.1", 0)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def api(server: HttpServer) -> MonitorApi:
    return MonitorApi(f"http://127.0.0.1:{server.port}/")


def source_of(api: MonitorApi) -> MonitorSource:
    return MonitorSource(api, "local é", look_ms=500, command=[])


def test_the_view_of_the_monitor_is_shown_with_its_own_age_and_pace(
    watched: WatchedCluster, api: MonitorApi
) -> None:
    assert api.clusters() == ["local é"]
    source = source_of(api)
    watched.take(answers(now_ms() - HOUR_MS, 100, commits=[Commit(now_ms(), 60)]))
    source.look()
    assert source.view.groups is not None
    assert source.view.groups["billing"].row.lag == 40
    assert source.poll_ms == 20_000
    assert source.view.at is not None
    assert 0 <= now_ms() - source.view.at - HOUR_MS < 60_000
    assert [row.lag for row in source.rows("billing")] == [40]
    assert source.rows("nobody") == []


def test_a_view_that_is_at_hand_is_not_sent_again(watched: WatchedCluster, api: MonitorApi) -> None:
    first = api.view("local é", "")
    assert first.view is not None
    assert api.view("local é", first.tag).view is None
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    again = api.view("local é", first.tag).view
    assert again is not None and again.error is not None
    assert again.error.message == "b1 is silent"


def test_a_monitor_that_is_gone_is_told_and_what_is_shown_grows_old(
    server: HttpServer, api: MonitorApi
) -> None:
    source = source_of(api)
    source.look()
    at = source.view.at
    server.stop()
    source.look()
    assert source.view.at == at
    assert source.view.error is not None
    assert "does not answer" in source.view.error.message
    with pytest.raises(ConnectError, match="does not answer"):
        source.rows("billing")


def test_records_are_read_from_the_brokers_where_they_are_known(api: MonitorApi) -> None:
    with pytest.raises(UsageError, match="with -b"):
        source_of(api).records("orders", 0, -1)
    page = RecordPage(0, 1, 0, 1, [])
    source = MonitorSource(
        api, "local é", look_ms=500, command=[], reader=lambda t, p, o: page._replace(at=o)
    )
    assert source.records("orders", 0, 7).at == 7


def test_the_screen_shows_what_the_monitor_sees(api: MonitorApi) -> None:
    app = TopApp(source_of(api))

    async def go() -> list[str]:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("4")
            async with asyncio.timeout(60):
                while True:
                    lines = [app.rows.render_line(y).text for y in range(app.rows.size.height)]
                    if any("billing" in line for line in lines):
                        return lines
                    await pilot.pause(0.02)

    assert any(" 40 " in line for line in asyncio.run(go()))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("127.0.0.1:8000", "write http://HOST:PORT"),
        ("ftp://a", "write http://HOST:PORT"),
        ("http://", "write http://HOST:PORT"),
        ("http://ann:secret@a:1", "no password in the address"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        MonitorApi(url)
    assert "secret" not in str(caught.value)


class Wrong(BaseHTTPRequestHandler):
    """Answers what no monitor would; ``asked`` are the paths."""

    kind = ""
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        status, headers, body = {
            "page": (200, {}, b"<html>"),
            "away": (302, {"Location": "/elsewhere"}, b""),
            "bomb": (200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(1 << 20))),
            "cut": (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08"),
            "denied": (403, {}, b'{"error":{"code":"DENIED","message":"log in"}}'),
            "strange": (500, {}, b'{"error":[]}'),
        }[self.kind]
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        ("page", WireError, "is no monitor"),
        ("away", WireError, "HTTP status 302"),
        ("bomb", ConnectError, "more than"),
        ("cut", PkoError, "monitor"),
        ("denied", ConnectError, "lets nobody in: log in"),
        ("strange", WireError, "HTTP status 500"),
    ],
)
def test_what_is_no_monitor_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, kind: str, error: type[PkoError], said: str
) -> None:
    monkeypatch.setattr(monitor_api, "LONGEST", 1 << 16)
    handler = type("Handler", (Wrong,), {"kind": kind, "asked": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        with pytest.raises(error, match=said) as caught:
            MonitorApi(f"http://127.0.0.1:{server.server_port}").clusters()
    finally:
        server.shutdown()
        server.server_close()
    wait_for(lambda: not thread.is_alive(), what="the end of the server")
    assert "\n" not in str(caught.value)
    assert handler.asked == ["/api/v1/clusters"]


def test_a_token_proves_who_looks_and_is_in_no_message() -> None:
    seen: list[str | None] = []

    class Asking(Wrong):
        kind = "denied"

        def do_GET(self) -> None:
            seen.append(self.headers.get("Authorization"))
            super().do_GET()

    server = HTTPServer(("127.0.0.1", 0), Asking)
    thread = threading.Thread(target=server.handle_request, daemon=True)
    thread.start()
    try:
        with pytest.raises(ConnectError) as caught:
            MonitorApi(f"http://127.0.0.1:{server.server_port}", "s3cret").clusters()
    finally:
        thread.join(60)
        server.server_close()
    assert seen == ["Bearer s3cret"]
    assert "s3cret" not in str(caught.value)
