"""Records by HTTP: JSON, pages and the live stream; who may see them, and hostile payloads."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http import tail
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.messages import service as messages_service
from pykafka_ops.monitor.messages.masks import MaskRule
from pykafka_ops.monitor.messages.query import search_query
from pykafka_ops.monitor.messages.service import MessageService
from pykafka_ops.monitor.messages.settings import MessageSettings
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers
from tests.support.monitor.topic_logs import TopicLogs
from tests.support.waiting import PATIENCE

API = "/api/v1/clusters/local/topics/orders"
PAGE = "/c/local/topics/orders/messages"
MASK = MaskRule("cards", (re.compile("orders"),), (("card",),))
HOSTILE = "<script>alert(1)</script>\"'&\u202e\x1b[31m"


class Connected:
    """A connection to the logs of a test, instead of a cluster."""

    logs: TopicLogs

    def __init__(self, config: ClientConfig) -> None:
        self.config = config

    def metadata(self, topics: list[str]) -> Any:
        return self.logs.metadata(topics)

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> TopicLogs:
    made = TopicLogs(2).install(monkeypatch)
    monkeypatch.setattr(Connected, "logs", made, raising=False)
    monkeypatch.setattr(messages_service, "Cluster", Connected)
    return made


def make_messages(*masks: MaskRule, **more: Any) -> MessageService:
    clients = {"local": ClientConfig.of({"bootstrap.servers": "b1:1"})}
    return MessageService(clients, MessageSettings(masks), **more)


def make_client(
    messages: MessageService | None,
    access: MonitorAccess | None = None,
    audited: Path | None = None,
) -> TestClient:
    watched = WatchedCluster("local")
    watched.take(answers(now_ms(), 100))
    service = Service({"local": watched}, access=access)
    service.messages = messages
    if audited is not None:
        log = AuditLog(audited, now_ms)
        service.desk = ChangeDesk(service.access, log, lambda _: None, audited, now_ms)  # type: ignore[arg-type, return-value]
    return TestClient(make_app(service, all_routes()))


@pytest.fixture
def client(logs: TopicLogs) -> TestClient:
    return make_client(make_messages())


def audit_of(client: TestClient, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/v1/audit?{query}").json()["entries"]
    return found[::-1]


def test_who_reads_what_is_in_the_audit_log(logs: TopicLogs, tmp_path: Path) -> None:
    """Which records, and whether masked; not what was searched for, which may be a name."""
    logs.write(0, b"x", b"y")
    client = make_client(make_messages(), audited=tmp_path)
    assert client.get(f"{API}/records?last=5&key=anna").status_code == 200
    assert client.get(f"{PAGE}?offset=0..1&partition=0").status_code == 200
    assert client.get(f"{API}/records/0/1").status_code == 200
    assert client.get(f"{API}/records/0/1/value").status_code == 200
    heard = [e["params"] for e in audit_of(client)]
    assert heard == [
        {"read": "search", "last": "5", "masked": "no"},
        {"read": "search", "partition": "0", "offset": "0..1", "masked": "no"},
        {"read": "record", "partition": "0", "offset": "1", "masked": "no"},
        {"read": "record", "partition": "0", "offset": "1", "part": "value", "masked": "no"},
    ]
    one = audit_of(client, "action=messages&resource=orders")[0]
    assert (one["who"], one["cluster"], one["result"]) == ("local", "local", "done")
    assert "anna" not in (tmp_path / "audit-read.jsonl").read_text()
    assert "read search, partition 0, offset 0..1, masked no" in words(
        client.get("/c/local/audit").text
    )
    masked = make_client(make_messages(MASK), audited=tmp_path)
    assert masked.get(f"{API}/records").status_code == 200
    assert audit_of(masked)[-1]["params"]["masked"] == "yes"


def test_no_record_is_shown_that_the_audit_log_does_not_have(
    logs: TopicLogs, tmp_path: Path
) -> None:
    logs.write(0, b"secret")
    client = make_client(make_messages(), audited=tmp_path)
    (tmp_path / "audit-read.jsonl").mkdir()
    for path in (f"{API}/records", PAGE, f"{API}/records/0/0", f"{API}/tail"):
        answer = client.get(path)
        assert answer.status_code == 503, path
        assert "no records are shown" in answer.text
        assert "secret" not in answer.text


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_a_page_of_records_as_json_with_exact_numbers_and_the_way_on(
    logs: TopicLogs, client: TestClient
) -> None:
    logs.write(0, b'{"n":12345678901234567890.10}', b"\xff", b"x")
    answer = client.get(f"{API}/records?limit=2&order=oldest")
    assert answer.status_code == 200
    assert '"data":{"n":12345678901234567890.10}' in answer.text
    body = answer.json()
    assert (body["ended"], body["complete"], body["looked"]) == ("limit", False, 2)
    first, second = body["records"]
    assert (first["partition"], first["offset"], first["state"]) == (0, 0, "committed")
    assert first["key"]["data"] == "k-0"
    assert (second["value"]["format"], second["value"]["data"]) == ("hex", "ff")
    assert body["partitions"][0] == {
        "partition": 0, "begin": 0, "end": 3, "left": [2, 3], "error": None, "faults": [],
    }  # fmt: skip
    rest = client.get(f"{API}/records?limit=2&order=oldest&cursor={body['cursor']}").json()
    assert [r["value"]["data"] for r in rest["records"]] == ["x"]
    assert (rest["complete"], rest["cursor"]) == (True, None)


@pytest.mark.parametrize(
    ("path", "status", "code", "why"),
    [
        ("/api/v1/clusters/x/topics/orders/records", 404, "UNKNOWN_CLUSTER", "no cluster x"),
        ("/api/v1/clusters/local/topics/x/records", 404, "UNKNOWN_TOPIC", "no topic x"),
        (f"{API}/records?limit=x", 400, "INVALID_REQUEST", "limit=x"),
        (f"{API}/records?where=a=b", 400, "INVALID_REQUEST", "no field a"),
        (f"{API}/records?partition=9", 400, "INVALID_REQUEST", "orders has 2"),
        (f"{API}/records/0/99", 404, "UNKNOWN_RECORD", "no record 99"),
        (f"{API}/records/0/x", 400, "INVALID_REQUEST", "offset='x'"),
        (f"{API}/records/0/{'9' * 5000}", 400, "INVALID_REQUEST", "offset="),
        (f"{API}/records/0/0/headers", 404, "NOT_FOUND", "key and value"),
        (f"{API}/tail?colour=red", 400, "INVALID_REQUEST", "colour"),
    ],
)
def test_wrong_questions_are_answered_in_one_line(
    client: TestClient, path: str, status: int, code: str, why: str
) -> None:
    answer = client.get(path)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert why in error["message"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (KafkaError(29), 403, "NOT_ALLOWED"), (ConnectError("b1 is silent"), 503, "NO_ANSWER"),
        (KafkaError(-1), 503, "FAILED"),
    ],
)  # fmt: skip
def test_what_the_brokers_refuse_is_told_in_json_and_on_the_page(
    logs: TopicLogs, client: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception,
    status: int, code: str,
) -> None:  # fmt: skip
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(logs, "metadata", fails)
    answer = client.get(f"{API}/records")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    page = client.get(PAGE)
    assert page.status_code == status
    assert "Messages of orders" in words(page.text)
    assert "pko consume" in page.text


def test_the_page_finds_and_leads_to_each_record_and_further(
    logs: TopicLogs, client: TestClient
) -> None:
    for n in range(3):
        logs.write(n % 2, b'{"n":%d}' % n, at=n)
    html = client.get(f"{PAGE}?limit=2&where=value.n>=0").text
    said = words(html)
    assert "2 of 3 records looked at" in said
    assert "There are more." in said
    assert said.index("{&quot;n&quot;:2}") < said.index("{&quot;n&quot;:1}")
    assert f'href="{PAGE}/0/1"' in html
    assert 'value="value.n&gt;=0"' in html
    assert "pko consume --last=2 --isolation-level=read_committed --output=table orders" in html
    following = re.search(r'href="(\?[^"]*cursor=[^"]*)"', html)
    assert following is not None
    rest = client.get(PAGE + following[1].replace("&amp;", "&")).text
    assert "1 of 1 records looked at" in words(rest)
    assert "That is all there is." in words(rest)
    assert f'href="{PAGE}"' in client.get("/c/local/topics/orders").text


def test_a_page_names_a_search_that_is_not_whole(logs: TopicLogs, client: TestClient) -> None:
    logs.write(0, b"x")
    logs.errors[1] = KafkaError(6)
    said = words(client.get(PAGE).text)
    assert "Not all could be read" in said
    assert "NOT_LEADER_OR_FOLLOWER" in said


def test_a_record_has_a_page_of_its_own(logs: TopicLogs, client: TestClient) -> None:
    logs.write(0, b'{"a":{"b":[1]}}', b"\x00\x00\x00\x00\x07x")
    html = client.get(f"{PAGE}/0/0").text
    assert "{\n  &quot;a&quot;: {\n    &quot;b&quot;: [\n      1\n    ]\n  }\n}" in html
    assert "pko consume --partition=0 --offset=0..0 --output=json orders" in html
    assert f'href="{API}/records/0/0/value"' in html
    said = words(client.get(f"{PAGE}/0/1").text)
    assert "schema 7" in said
    assert "begins as of schema 7; this cluster has no [schema-registry]" in said
    assert client.get(f"{PAGE}/0/2").status_code == 404
    raw = client.get(f"{API}/records/0/1/value")
    assert raw.content == b"\x00\x00\x00\x00\x07x"
    assert raw.headers["content-type"] == "application/octet-stream"
    assert raw.headers["content-disposition"] == 'attachment; filename="orders-0-1.value"'
    assert raw.headers["x-content-type-options"] == "nosniff"


def test_a_mask_holds_on_every_way(logs: TopicLogs) -> None:
    client = make_client(make_messages(MASK))
    logs.write(0, b'{"card":"4111","x":{"card":"4111"}}', b"4111", b"\xff4111")
    for path in (
        f"{API}/records",
        f"{API}/records/0/0",
        f"{API}/records/0/1",
        PAGE,
        f"{PAGE}/0/0",
        f"{PAGE}/0/2",
        f"{API}/records?value_format=hex",
        f"{PAGE}/0/0?value_format=base64",
        f"{API}/records/0/0?value_format=utf-8",
    ):
        text = client.get(path).text
        assert "***" in text, path
        assert "4111" not in text, path
        assert "34 31 31 31" not in text, path
        assert "NDExM" not in text, path
    assert client.get(f"{API}/records?text=4111").json()["records"] == []
    for part in ("value", "key"):
        answer = client.get(f"{API}/records/0/0/{part}")
        assert (answer.status_code == 403) == (part == "value")


def test_without_the_right_nobody_sees_a_record(
    logs: TopicLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = MonitorAccess()
    client = make_client(make_messages(), access)
    logs.write(0, b"geheim")

    def may(person: Person, right: str, cluster: str, name: str) -> bool:
        return (right, cluster, name) != ("messages", "local", "orders")

    monkeypatch.setattr(access, "may", may)
    for path in (
        f"{API}/records",
        f"{API}/records/0/0",
        f"{API}/records/0/0/value",
        f"{API}/tail",
        PAGE,
        f"{PAGE}/0/0",
    ):
        answer = client.get(path)
        assert answer.status_code == 403, path
        assert "has no right messages on orders" in answer.text
        assert "geheim" not in answer.text


def test_more_searches_than_may_be_are_told_to_come_back(
    logs: TopicLogs,
) -> None:
    client = make_client(make_messages(searches=1))
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(PATIENCE)

    logs.write(0, b"x")
    logs.meanwhile = wait
    statuses: list[int] = []
    asking = threading.Thread(
        target=lambda: statuses.append(client.get(f"{API}/records").status_code)
    )
    asking.start()
    assert begun.wait(PATIENCE)
    answer = client.get(f"{API}/records")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")
    assert "try again" in answer.json()["error"]["message"]
    assert client.get(PAGE).status_code == 429
    go_on.set()
    asking.join(PATIENCE)
    assert statuses == [200]
    assert client.get(f"{API}/records").status_code == 200


def test_names_and_payloads_never_become_markup(logs: TopicLogs, client: TestClient) -> None:
    logs.write(0, HOSTILE.encode(), json.dumps({HOSTILE: HOSTILE}).encode(), b"[" * 100_000,
               b"\xff" + HOSTILE.encode(), b"x" * 5_000_000)  # fmt: skip
    logs.write(1, b"</pre><script>alert(1)</script>\n" * 2000)
    for path in (
        PAGE,
        *(f"{PAGE}/0/{n}" for n in range(5)),
        f"{PAGE}/1/0",
        f"{PAGE}?text=<script>alert(1)</script>",
        f"{PAGE}?where=<script>",
    ):
        html = client.get(path).text
        assert "<script>alert" not in html, path
        assert html.count("<script") == 2, path
        assert "\u202e" not in html, path
        assert "\x1b" not in html, path
        assert len(html) < 2_000_000, path


async def events(messages: MessageService, wanted: int, meanwhile: Callable[[], object]) -> str:
    """The stream up to so many events of the kind ``record``."""
    text = ""
    stream = tail._events(messages, "local", "orders", search_query({"order": "oldest"}, now_ms()))
    async for part in stream:
        text += part
        if "event: progress" in part:
            meanwhile()
        if text.count("event: record") >= wanted or "event: done" in text:
            break
    await stream.aclose()  # type: ignore[attr-defined]
    return text


def test_what_is_written_is_told_as_it_comes(
    logs: TopicLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "ROUND_SECONDS", 0.001)
    messages = make_messages(MASK)
    logs.write(0, b'{"old":1}')

    def write() -> None:
        logs.write(1, b'{"card":"4111","n":1.10}', HOSTILE.encode())

    text = asyncio.run(events(messages, 2, write))
    assert "old" not in text
    assert "4111" not in text
    assert '"data":{"card":"***","n":1.10}' in text
    assert "\u202e" not in text.replace("\\u202e", "")
    assert all(
        line.startswith(("event: ", "data: ", "retry: ")) for line in text.split("\n") if line
    )


def test_a_stream_ends_where_there_is_no_topic_and_frees_its_place(logs: TopicLogs) -> None:
    messages = make_messages()
    logs.metadata = lambda topics: TopicLogs().metadata(["gone"])  # type: ignore[method-assign]
    for _ in range(messages_service.TAILS + 1):
        text = asyncio.run(events(messages, 1, lambda: None))
        assert '"message":"no topic orders"' in text
        assert text.endswith('event: done\ndata: {"reason":"error"}\n\n')
    for _ in range(messages_service.TAILS):
        messages.follow("local", "orders", search_query({}, now_ms()))
    assert make_client(messages).get(f"{API}/tail").status_code == 429
