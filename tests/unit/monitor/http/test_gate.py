"""Every door shows a person the clusters that a role lets them view, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person, Role
from pykafka_ops.monitor.alerts.rules.model import Alert, AlertKey, Silence
from pykafka_ops.monitor.alerts.service import AlertService, AlertsNow
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

SEEN, HIDDEN = "dev-cluster", "prod-cluster"
READER = Role("reader", frozenset({"view"}), re.compile("dev.*"))


class NamedAccess(MonitorAccess):
    """Who says a name in ``X-Test`` is that person."""

    def person_of(self, request: HTTPConnection) -> Person | None:
        name = request.headers.get("x-test")
        return Person(name, (READER,), "test") if name else None


@pytest.fixture
def service() -> Service:
    found = {}
    for name in (SEEN, HIDDEN):
        found[name] = WatchedCluster(name)
        found[name].take(answers(now_ms(), 100, commits=[Commit(now_ms(), 60)]))
    return Service(found, access=NamedAccess())


@pytest.fixture
def client(service: Service) -> TestClient:
    return TestClient(make_app(service, all_routes()), headers={"X-Test": "anna"})


@pytest.mark.parametrize(
    "path",
    [
        "/", "/api/v1/clusters", "/v3/kafka", "/v3/config/cluster", "/v3/config", "/metrics",
        f"/c/{SEEN}", f"/c/{SEEN}/groups", f"/c/{SEEN}/topics/orders", f"/api/v1/clusters/{SEEN}",
    ],
)  # fmt: skip
def test_lists_name_no_cluster_that_a_person_may_not_view(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert HIDDEN not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        f"/c/{HIDDEN}", f"/c/{HIDDEN}/groups/billing", f"/api/v1/clusters/{HIDDEN}",
        f"/api/v1/clusters/{HIDDEN}/topics", f"/api/v1/clusters/{HIDDEN}/history",
        f"/api/v1/clusters/{HIDDEN}/events", f"/v3/kafka/{HIDDEN}",
        f"/v3/kafka/{HIDDEN}/consumer", f"/v3/kafka/{HIDDEN}/consumer/billing/lag",
        f"/v3/config/cluster/{HIDDEN}",
    ],
)  # fmt: skip
def test_a_hidden_cluster_is_answered_as_one_that_is_not_there(
    client: TestClient, path: str
) -> None:
    hidden, absent = client.get(path), client.get(path.replace(HIDDEN, "absent"))
    assert hidden.status_code == 404
    assert hidden.text.replace(HIDDEN, "absent") == absent.text


def test_who_is_not_known_has_to_log_in_whatever_is_asked(service: Service) -> None:
    client = TestClient(make_app(service, all_routes()), follow_redirects=False)
    for path in ("/api/v1/clusters", "/metrics", "/v3/kafka", "/api/v1/stream", "/api/v1/nothing"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "LOGIN"), path
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for method in ("POST", "DELETE", "PUT", "OPTIONS"):
        assert client.request(method, "/c/x").status_code == 401
    page = client.get(f"/c/{SEEN}/groups?sort=-lag&search=a b")
    assert page.status_code == 303
    assert page.headers["location"] == (
        f"/login?next=%2Fc%2F{SEEN}%2Fgroups%3Fsort%3D-lag%26search%3Da%2520b"
    )


def test_no_address_of_a_hidden_cluster_is_answered_otherwise_than_one_of_none(
    client: TestClient,
) -> None:
    routes = [r for r in all_routes() if isinstance(r, Route) and "{cluster}" in r.path]
    paths = [r.path for r in routes if r.methods and "GET" in r.methods]
    assert len(paths) > 40
    for path in paths:
        filled = re.sub(r"\{(?!cluster)\w+(:\w+)?\}", "0", path)
        of = [filled.replace("{cluster}", name) for name in (HIDDEN, "absent")]
        hidden, absent = map(client.get, of)
        assert hidden.status_code == absent.status_code >= 400, path
        assert hidden.text.replace(HIDDEN, "absent") == absent.text, path


def test_a_script_of_a_page_is_told_that_the_login_has_ended(service: Service) -> None:
    client = TestClient(make_app(service, all_routes()), follow_redirects=False)
    answer = client.get(f"/c/{SEEN}", headers={"Sec-Fetch-Dest": "empty"})
    assert answer.status_code == 401


def test_health_and_styles_are_for_all(service: Service) -> None:
    client = TestClient(make_app(service, all_routes()), follow_redirects=False)
    for path in ("/healthz", "/readyz", "/burrow/admin", "/burrow/admin/ready", "/api/health",
                 "/static/monitor.css"):  # fmt: skip
        assert client.get(path).status_code == 200, path
    assert client.get("/static/../api/v1/clusters").status_code == 401


def test_burrows_changes_need_their_rights(client: TestClient, service: Service) -> None:
    answer = client.delete(f"/v3/kafka/{SEEN}/consumer/billing")
    assert (answer.status_code, answer.json()["error"]) == (403, True)
    assert "no right forget" in answer.json()["message"]
    assert client.get(f"/v3/kafka/{SEEN}/consumer/billing").status_code == 200
    assert client.delete(f"/v3/kafka/{HIDDEN}/consumer/billing").status_code == 200
    assert "billing" in (service.clusters[HIDDEN].view.groups or {})
    answer = client.post("/v3/admin/loglevel", json={"level": "debug"})
    assert (answer.status_code, answer.json()["error"]) == (403, True)


def test_the_timeline_of_a_hidden_cluster_stays_hidden(tmp_path: Path, service: Service) -> None:
    history = History(tmp_path / "history.db")
    try:
        service.history = history
        client = TestClient(make_app(service, all_routes()), headers={"X-Test": "anna"})
        assert client.get(f"/api/v1/clusters/{SEEN}/events").status_code == 200
        assert client.get(f"/api/v1/clusters/{HIDDEN}/events").status_code == 404
    finally:
        history.close()


def test_alerts_and_silences_of_hidden_clusters_stay_hidden(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerts = AlertService(alert_settings({}, "m"), str(tmp_path / "alerts.db"), [SEEN, HIDDEN])
    said = [Alert(c, AlertKey("late", c, "group", "g"), "warning", 1) for c in (SEEN, HIDDEN)]
    silences = [
        Silence(c, 1 << 60, "anna", "works", patterns={"cluster": re.compile(c)})
        for c in (SEEN, HIDDEN)
    ]
    monkeypatch.setattr(alerts, "state", lambda: AlertsNow(True, "", said, said, said, [*silences]))
    try:
        service.alerts = alerts
        client = TestClient(make_app(service, all_routes()), headers={"X-Test": "anna"})
        body = client.get("/api/v1/alerts").json()
        for kind in ("firing", "pending", "past", "silences"):
            assert [one["id"] for one in body[kind]] == [SEEN], kind
        whole = Service(service.clusters, alerts=alerts)
        local = TestClient(make_app(whole, all_routes())).get("/api/v1/alerts").json()
        assert len(local["firing"]) == len(local["silences"]) == 2
    finally:
        alerts.close()
