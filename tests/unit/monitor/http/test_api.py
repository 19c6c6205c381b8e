"""The doors of the monitor, asked as a client would: rows, errors, headers."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

HOSTILE = '<script>alert(1)</script>/"\u2028'


@pytest.fixture
def watched() -> WatchedCluster:
    return WatchedCluster("local")


@pytest.fixture
def client(watched: WatchedCluster) -> TestClient:
    app = make_app(Service({"local": watched}), all_routes(), ["monitor"])
    return TestClient(app, base_url="http://monitor:8000")


def get(client: TestClient, path: str) -> Any:
    answer = client.get(f"/api/v1/clusters/local{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_nothing_is_shown_before_the_first_answer(
    watched: WatchedCluster, client: TestClient
) -> None:
    assert client.get("/readyz").status_code == 503
    answer = client.get("/api/v1/clusters/local/groups")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "NOT_KNOWN_YET")
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    assert client.get("/readyz").status_code == 200
    answer = client.get("/api/v1/clusters/local/groups")
    assert "b1 is silent" in answer.json()["error"]["message"]


def test_a_group_is_shown_with_its_partitions_and_members(
    watched: WatchedCluster, client: TestClient
) -> None:
    now = now_ms()
    watched.take(answers(now, 100, commits=[Commit(now, 60)]))
    body = get(client, "/groups")
    assert body["total"] == 1
    assert body["groups"][0]["lag"] == 40
    assert 0 <= body["poll"]["age_seconds"] < 600
    one = get(client, "/groups/billing")
    assert one["rows"][0]["current_offset"] == 60
    assert one["member_list"][0]["client_id"] == "billing-1"


def test_old_answers_carry_their_age_and_why(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(1000, 100))
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    poll = get(client, "/groups")["poll"]
    assert poll["age_seconds"] > 1_000_000
    assert poll["error"]["message"] == "b1 is silent"


def test_what_is_not_known_is_null_and_sorts_last(
    watched: WatchedCluster, client: TestClient
) -> None:
    watched.take(answers(1000, -1, commits=[Commit(0, 60)]))
    assert get(client, "/groups")["groups"][0]["lag"] is None
    assert get(client, "/topics")["topics"][0]["records"] is None
    assert get(client, "/topics/orders")["rows"][0]["end"] is None
    assert get(client, "/groups?sort=-lag")["groups"][0]["lag"] is None


def test_groups_of_any_name_can_be_asked_for(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(1000, 100, commits=[Commit(0, 60)], group=HOSTILE))
    from urllib.parse import quote

    body = get(client, f"/groups/{quote(HOSTILE, safe='')}")
    assert body["group"] == HOSTILE
    assert get(client, "/groups?search=SCRIPT")["total"] == 1


def test_rows_are_filtered_and_cut(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(1000, 100, commits=[Commit(0, 60)]))
    assert get(client, "/groups?status=OK")["total"] == 0
    assert get(client, "/groups?status=!OK")["total"] == 1
    assert get(client, "/groups?limit=0")["next"] == 0
    assert get(client, "/groups?offset=5")["groups"] == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/clusters/other", 404, "UNKNOWN_CLUSTER"),
        ("/api/v1/clusters/local/topics/none", 404, "UNKNOWN_TOPIC"),
        ("/api/v1/clusters/local/groups/none", 404, "UNKNOWN_GROUP"),
        ("/api/v1/clusters/local/groups?limit=x", 400, "INVALID_REQUEST"),
        ("/api/v1/clusters/local/groups?limit=99999999", 400, "INVALID_REQUEST"),
        ("/api/v1/clusters/local/groups?colour=red", 400, "INVALID_REQUEST"),
        ("/api/v1/clusters/local/groups?sort=worst", 400, "INVALID_REQUEST"),
        ("/nothing", 404, "NOT_FOUND"),
        ("/api/v1/clusters?" + "x" * 9000, 414, "URI_TOO_LONG"),
    ],
)
def test_a_wrong_question_is_told_what_is_wrong(
    watched: WatchedCluster, client: TestClient, path: str, status: int, code: str
) -> None:
    watched.take(answers(1000, 100, commits=[Commit(0, 60)]))
    watched.take(answers(2000, 100, group="other"))
    answer = client.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_monitor_without_history_or_alerts_says_so(client: TestClient) -> None:
    for path, code in (
        ("/api/v1/clusters/local/history", "NO_HISTORY"),
        ("/api/v1/clusters/local/events", "NO_HISTORY"),
        ("/api/v1/alerts", "NO_ALERTS"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, code)


def test_a_foreign_name_of_the_host_is_refused(client: TestClient) -> None:
    answer = client.get("/healthz", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "WRONG_HOST")
    assert client.get("/healthz").status_code == 200


def test_every_answer_forbids_scripts_of_others(client: TestClient) -> None:
    for path in ("/healthz", "/api/v1/clusters", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_writing_is_not_for_these_addresses(client: TestClient) -> None:
    assert client.post("/api/v1/clusters").status_code == 405
