"""Pages of a cluster with 1,000 brokers, 100,000 partitions and 10,000 groups: they stay small, and
what they are made of is made once a round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.rows import PerRound
from pykafka_ops.monitor.service import Service
from tests.support.monitor.large import GROUPS, large_view
from tests.support.monitor.rounds import answers

MOST_BYTES = 100 << 10
MOST_ROWS = 101 + 101
"""Two tables of 100 rows and their heads."""
PATHS = (
    "", "/groups", "/groups?sort=-lag", "/groups?status=STOP&offset=400", "/topics",
    "/topics?search=77", "/topics/topic-0077", "/brokers", "/brokers?sort=-bytes", "/brokers/11",
    "/moves", "/elections", "/search?q=client-77", "/transactions", "/acls", "/alerts",
    "/timeline",
)  # fmt: skip


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    watched = WatchedCluster("large")
    watched.view = large_view("large", now_ms())
    yield TestClient(make_app(Service({"large": watched}), all_routes()))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_small(client: TestClient, path: str) -> None:
    answer = client.get(f"/c/large{path}")
    assert answer.status_code == 200
    assert len(answer.content) < MOST_BYTES
    assert answer.text.count("<tr") <= MOST_ROWS


@pytest.mark.slow
def test_what_is_left_out_is_counted(client: TestClient) -> None:
    html = client.get("/c/large").text
    assert f"Who suffers: {GROUPS * 4 // 5} of {GROUPS} groups" in html
    assert "7980 more" in html
    assert "980 more" in html
    assert "1 to 100 of 10,000" in client.get("/c/large/groups").text


def test_what_is_made_of_a_view_is_made_once_a_round() -> None:
    made: list[ClusterView] = []

    def make(view: ClusterView) -> int:
        made.append(view)
        return len(made)

    once = PerRound(make)
    view = WatchedCluster("local").take(answers(1000, 100))
    assert [once(view), once(view)] == [1, 1]
    later = replace(view, number=2)
    assert [once(later), once(later), len(made)] == [2, 2, 2]
    assert [once(replace(view, name="other")), once(later)] == [3, 2]
