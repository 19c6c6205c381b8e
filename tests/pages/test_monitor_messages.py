"""Pages of records in a real browser: no payload runs or leaves its place, and records are told
live."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http import tail
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.server import HttpServer
from pykafka_ops.monitor.messages import service as messages_service
from pykafka_ops.monitor.messages.service import MessageService
from pykafka_ops.monitor.messages.settings import MessageSettings
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers
from tests.support.monitor.topic_logs import NOW, TopicLogs
from tests.support.process.browser import Node, parse, run

pytestmark = pytest.mark.browser
PAGE = "/c/local/topics/orders/messages"
SCRIPT = "<script>document.title='owned'</script>"
IMAGE = "<img src=x onerror=\"document.title='owned'\">"
HOSTILE = (
    SCRIPT, IMAGE, f"</pre></td></table>{SCRIPT}", f"\u202e\u2066{SCRIPT}\x1b[2J\x07", "[" * 50_000,
    json.dumps({SCRIPT: [IMAGE, {"</script>": SCRIPT}]}), "javascript:alert(1)", "x" * 3_000_000,
)  # fmt: skip


class Connected:
    """A connection to the logs of the test."""

    def __init__(self, logs: TopicLogs) -> None:
        self.config = ClientConfig.of({"bootstrap.servers": "b1:1"})
        self.metadata = logs.metadata

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> TopicLogs:
    made = TopicLogs(1).install(monkeypatch)
    records = [
        Record(n, NOW, text.encode(), text.encode() + (b"\xff" if n % 2 else b""),
               [(text[:1000], text.encode())])
        for n, text in enumerate(HOSTILE)
    ]  # fmt: skip
    made.batches[0].append(bytes(build_batch(records, base_offset=0)))
    monkeypatch.setattr(messages_service, "Cluster", lambda config: Connected(made))
    return made


@pytest.fixture
def url(logs: TopicLogs) -> Iterator[str]:
    watched = WatchedCluster("local")
    watched.take(answers(now_ms(), 100))
    clients = {"local": ClientConfig.of({"bootstrap.servers": "b1:1"})}
    service = Service({"local": watched})
    service.messages = MessageService(clients, MessageSettings())
    server = HttpServer(make_app(service, all_routes()), "127.0.0.1", 0)
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()


def shown(address: str, directory: Path, *options: str) -> tuple[Node, list[str]]:
    printed, console = run(address, directory, "--dump-dom", *options)
    return parse(printed), console


def test_no_payload_runs_or_leaves_its_place(url: str, tmp_path: Path) -> None:
    for path in ("", *(f"/0/{n}" for n in (0, 2, 3, 5, 7)), "?where=%3Cscript%3E",
                 "?text=%3C/section%3E" + SCRIPT.replace("<", "%3C")):  # fmt: skip
        page, console = shown(f"{url}{PAGE}{path}", tmp_path)
        assert console == [], path
        assert "pko monitor" in page.one("title").text, path
        assert [s.attributes["src"] for s in page.all("script")] == [
            "/static/monitor.js", "/static/messages.js",
        ], path  # fmt: skip
        assert page.all("img") == [], path
        assert "\u202e" not in page.text, path
        assert page.one("main").all("h2"), path


def test_records_are_shown_as_they_come_the_newest_on_top(
    url: str, logs: TopicLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "ROUND_SECONDS", 0.01)
    followed = tail._followed
    two = threading.Event()

    async def two_rounds(following: Any) -> Any:
        """The stream, until the records were shown: a page is looked at when nothing is to come."""
        async for event in followed(following):
            yield event
            if "event: progress" in event:
                if two.is_set():
                    break
                two.set()
                logs.write(0, b'{"n":12345678901234567890.10}', SCRIPT.encode())
        yield 'event: done\ndata: {"reason":"time"}\n\n'

    monkeypatch.setattr(tail, "_followed", two_rounds)
    page, console = shown(f"{url}{PAGE}?limit=1#live", tmp_path, "--virtual-time-budget=20000")
    assert console == []
    (live,) = [node for node in page.all("div") if node.has("id", "tail")]
    rows = [[cell.text for cell in row.all("td")] for row in live.one("tbody").all("tr")]
    assert [(row[1], row[4]) for row in rows] == [
        (str(len(HOSTILE) + 1), SCRIPT), (str(len(HOSTILE)), '{"n":12345678901234567890.10}'),
    ]  # fmt: skip
    assert live.one("tbody").all("script") == []
    assert "ended, 2 looked at, 2 shown" in live.text
    assert "pko monitor" in page.one("title").text
