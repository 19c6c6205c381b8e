"""Changes asked for by HTTP: no page of another site gets one through, no strange body breaks
anything, and every page works without a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.actions import desk as desk_module
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.actions.every import EVERY
from pykafka_ops.monitor.actions.plan import ActionPlan, PlannedChange
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http import actions as door
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

API = "/api/v1/clusters/local/actions/seek"
PAGE = "/c/local/actions/seek"
OURS = {"X-Pko": "1"}
HOSTILE = "<script>alert(1)</script>\"'&"


class Changing:
    """A monitor on which ``seek`` moves a group to ``to``; ``moved`` is what was done."""

    def __init__(self, directory: Path, actions: list[str]) -> None:
        self.moved: list[str] = []
        access = MonitorAccess(actions)
        desk = ChangeDesk(access, AuditLog(directory, now_ms), self._connect, directory, now_ms)
        watched = WatchedCluster("local")
        watched.take(answers(now_ms(), 100))
        service = Service({"local": watched}, access=access)
        service.desk = desk
        self.client = TestClient(make_app(service, all_routes()), "http://monitor:8000")

    def _connect(self, name: str) -> Cluster:
        return cast("Cluster", self)

    def brokers(self) -> dict[int, object]:
        return {}

    def close(self) -> None:
        pass

    def plan(self, cluster: Any, params: Any, ground: Any) -> ActionPlan:
        to = params.get("to", "-")
        change = PlannedChange("orders-0", "5", to, "5 records read again")
        said = {"group": params["group"], "to": to}
        return ActionPlan(params["group"], (change,), to, said, said, ("pko",), (), "undo")

    def run(self, cluster: Any, plan: ActionPlan, ground: Any) -> dict[str, Any]:
        self.moved.append(plan.steps)
        return {}


@pytest.fixture
def changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Changing:
    made = Changing(tmp_path, ["seek", "delete-records"])
    fake = {
        name: EVERY[name]._replace(plan=made.plan, run=made.run, subject="group")
        for name in ("seek", "delete-records")
    }
    for module in (desk_module, door):
        monkeypatch.setattr(module, "EVERY", fake)
    return made


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))


def test_a_script_asks_twice(changing: Changing) -> None:
    body = {"group": "billing", "to": 0}
    shown = changing.client.post(f"{API}?dry_run=true", json=body, headers=OURS).json()
    assert shown["plan"] == [
        {"what": "orders-0", "before": "5", "after": "0", "note": "5 records read again"}
    ]
    assert changing.moved == []
    answer = changing.client.post(API, json={"token": shown["token"]}, headers=OURS)
    assert (answer.status_code, answer.json()["result"]) == (200, "done")
    assert changing.moved == ["0"]
    (entry,) = changing.client.get("/api/v1/audit").json()["entries"]
    assert (entry["action"], entry["result"]) == ("seek", "done")


def test_a_person_asks_twice_on_pages(changing: Changing) -> None:
    index = changing.client.get("/c/local/actions").text
    assert 'href="/c/local/actions/seek"' in index
    assert "actions/undo" not in index
    assert 'href="/c/local/audit">What was changed' in index
    form = changing.client.get(f"{PAGE}?group=billing").text
    assert 'name="group" value="billing"' in form
    assert "<script" not in form
    data = {**hidden(form), "group": "billing", "to": "earliest"}
    page = changing.client.post(PAGE, data=data, headers={"Origin": "http://monitor:8000"}).text
    for text in ("orders-0", "5 records read again", "<code>pko</code>", "Move a group now"):
        assert text in page
    assert changing.moved == []
    done = changing.client.post(PAGE, data=hidden(page)).text
    assert "Done." in done
    assert 'href="/c/local/actions/undo?' in done
    assert changing.moved == ["earliest"]
    audit = changing.client.get("/c/local/audit").text
    assert "orders-0: 5 → earliest" in audit
    assert ">local<" in audit


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "NO_HEADER"),
        ({"X-Pko": "0"}, "NO_HEADER"),
        ({**OURS, "Origin": "http://evil.example"}, "FOREIGN_ORIGIN"),
        ({**OURS, "Origin": "null"}, "FOREIGN_ORIGIN"),
        ({**OURS, "Sec-Fetch-Site": "cross-site"}, "FOREIGN_ORIGIN"),
    ],
)
def test_a_page_of_another_site_changes_nothing(
    changing: Changing, headers: dict[str, str], code: str
) -> None:
    for path in (API, f"{API}?dry_run=true"):
        answer = changing.client.post(path, json={"group": "billing"}, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, code)
    for data in ({"group": "billing"}, {"group": "billing", "form": "x" * 64}):
        answer = changing.client.post(PAGE, data=data, headers=headers)
        assert answer.status_code == 403
    simple = {"Content-Type": "text/plain", **OURS}
    answer = changing.client.post(f"{API}?dry_run=true", content=b"{}", headers=simple)
    assert answer.status_code == 415
    assert changing.moved == []


def test_what_is_not_switched_on_is_refused_and_written_down(changing: Changing) -> None:
    assert changing.client.get("/api/v1/clusters/local/actions").json()["actions"][0]["action"] == (
        "seek"
    )
    changing.client.app.state.service.access.actions = frozenset()  # type: ignore[attr-defined]
    answer = changing.client.post(f"{API}?dry_run=true", json={"group": "b"}, headers=OURS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert changing.client.get(PAGE).status_code == 404
    assert changing.client.get("/c/local/actions").text.count("Nothing:") == 1
    (entry,) = changing.client.get("/api/v1/audit").json()["entries"]
    assert entry["result"] == "refused"
    assert "switches on" in entry["why"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "INVALID_REQUEST"),
        (b"[]", 400, "INVALID_REQUEST"),
        (b"[" * 50_000, 400, "INVALID_REQUEST"),
        (b'{"group": {"a": 1}}', 400, "INVALID_REQUEST"),
        (b'{"group": true}', 400, "INVALID_REQUEST"),
        (b'{"group": ["a", null]}', 400, "INVALID_REQUEST"),
        (b"\xff", 400, "INVALID_REQUEST"),
        (b'{"group": "' + b"x" * 70_000 + b'"}', 413, "BODY_TOO_LARGE"),
    ],
)
def test_a_strange_body_is_refused(changing: Changing, body: bytes, status: int, code: str) -> None:
    headers = {**OURS, "Content-Type": "application/json"}
    answer = changing.client.post(f"{API}?dry_run=true", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_strange_questions_are_answered(changing: Changing) -> None:
    cases = {
        ("POST", "/api/v1/clusters/none/actions/seek"): (404, "UNKNOWN_CLUSTER"),
        ("POST", "/api/v1/clusters/local/actions/none?dry_run=true"): (404, "UNKNOWN_ACTION"),
        ("POST", API): (400, "NO_TOKEN"),
        ("GET", API): (405, "METHOD_NOT_ALLOWED"),
        ("GET", "/api/v1/audit?limit=x"): (400, "INVALID_REQUEST"),
        ("GET", "/api/v1/audit?colour=red"): (400, "INVALID_REQUEST"),
    }
    for (method, path), (status, code) in cases.items():
        body = {"json": {}} if method == "POST" else {}
        answer = changing.client.request(method, path, headers=OURS, **body)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), path
    assert changing.client.get("/c/none/actions").status_code == 404
    assert changing.client.get("/c/none/audit").status_code == 404
    assert changing.client.get("/c/local/audit?limit=x").status_code == 400


def test_no_name_becomes_markup(changing: Changing) -> None:
    form = changing.client.get(PAGE, params={"group": HOSTILE, "to": HOSTILE}).text
    data = {**hidden(form), "group": HOSTILE, "to": HOSTILE}
    shown = changing.client.post(PAGE, data=data).text
    done = changing.client.post(PAGE, data=hidden(shown)).text
    for page in (form, shown, done, changing.client.get("/c/local/audit").text):
        assert "<script" not in page.replace('<script src="/static/', "")
        assert "alert(1)" in page


def test_pages_lead_to_what_may_be_done_about_them(changing: Changing) -> None:
    page = changing.client.get("/c/local/groups/billing").text
    assert 'href="/c/local/actions/seek?group=billing"' in page
    assert "actions/undo" not in page
    topic = changing.client.get("/c/local/topics/orders").text
    assert "actions/delete-records?topic=orders" in topic
    changing.client.app.state.service.access.actions = frozenset()  # type: ignore[attr-defined]
    for path in ("/c/local/groups/billing", "/c/local/topics/orders", "/c/local"):
        assert "actions/" not in changing.client.get(path).text, path


def test_what_is_dangerous_is_typed(changing: Changing) -> None:
    path = "/c/local/actions/delete-records"
    data = {**hidden(changing.client.get(path).text), "group": "orders"}
    shown = changing.client.post(path, data=data)
    assert 'name="confirm"' in shown.text
    wrong = changing.client.post(path, data={**hidden(shown.text), "confirm": "x"})
    assert wrong.status_code == 400
    assert "to confirm, write orders exactly" in wrong.text
    assert changing.moved == []
    changing.client.post(path, data={**hidden(wrong.text), "confirm": "orders"})
    assert changing.moved == ["-"]
