"""Mirror links as pages, as ``/api/v1`` and as metrics."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from pykafka_ops.mirror.control.state import MirrorPause, pause_entry
from pykafka_ops.mirror.report.rows import SeenPartition
from pykafka_ops.monitor.alerts.rules.facts import FACTS, LINK_STATES
from pykafka_ops.monitor.changes import changes
from pykafka_ops.monitor.cluster import links
from pykafka_ops.monitor.cluster.codec import pack_view, unpack_view
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.series import values
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.subjects import poll_round
from tests.support.monitor import scraped
from tests.support.monitor.mirrored import MirroredPair, link

SECOND = 1000


@pytest.fixture
def pair() -> MirroredPair:
    """Of 200 records 150 are copied."""
    made = MirroredPair()
    made.round(10 * SECOND, 100, link(100))
    made.round(20 * SECOND, 200, link(150))
    return made


def client(*clusters: WatchedCluster) -> TestClient:
    return TestClient(make_app(Service({c.view.name: c for c in clusters}), all_routes()))


def words(asked: TestClient, path: str, status: int = 200) -> str:
    answer = asked.get(path)
    assert answer.status_code == status, answer.text[:300]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.text))


def test_links_are_listed_with_their_commands(pair: MirroredPair) -> None:
    asked = client(pair.us, pair.eu)
    said = words(asked, "/mirrors")
    assert re.search(r"us-&gt;eu behind 50 250 B 5\.0s 5\.0 10\.0 - orders-0 1 eu us pko", said)
    assert "pko mirror status mirror.toml --partitions --link &#x27;us-&gt;eu&#x27;" in said
    assert 'href="/mirrors"' in asked.get("/c/us").text
    assert "Mirrors into it: 1" in words(asked, "/c/eu")
    assert "Mirrors into it" not in words(asked, "/c/us")
    pair.round(30 * SECOND, 200, link(150, pause_entry(MirrorPause(), 1, by="me")))
    assert "pko mirror resume mirror.toml --link" in words(asked, "/mirrors")


def test_the_command_for_mirror_maker_changes_nothing(pair: MirroredPair) -> None:
    (made,) = pair.eu.view.links
    pair.eu.tell_links([replace(made, kind=links.MM2)], pair.eu.link_rows)
    said = words(client(pair.us, pair.eu), "/mirrors")
    assert "pko mirror takeover mm2.properties --dry-run --link" in said


def test_a_link_has_a_page_with_its_topics_and_partitions(pair: MirroredPair) -> None:
    said = words(client(pair.us, pair.eu), "/c/eu/mirrors/us->eu")
    assert "orders us.orders 1 behind 50" in said
    assert "Partitions: 1" in said
    assert "pko groups describe pko-mirror.us-eu" in said
    assert "There is no mirror" in words(client(pair.eu), "/c/eu/mirrors/x->eu", 404)


def test_without_mirrors_no_page_leads_to_them() -> None:
    asked = client(WatchedCluster("local"))
    assert "/mirrors" not in asked.get("/c/local").text
    assert "no mirror links into the clusters" in words(asked, "/mirrors")


def test_a_broken_link_is_why_the_cluster_is_not_well(pair: MirroredPair) -> None:
    pair.round(30 * SECOND, 200, link(150, members=[]))
    said = words(client(pair.us, pair.eu), "/c/eu")
    assert "1 mirror without a process" in said
    assert "mirror us-&gt;eu: no process copies it" in said
    pair.round(40 * SECOND, 300, link(150), start=160)
    said = words(client(pair.us, pair.eu), "/c/eu")
    assert "1 mirror lost records" in said
    assert "the source deleted records of 1 partition before they were copied" in said


def test_the_api_has_the_form_of_the_command(pair: MirroredPair) -> None:
    asked = client(pair.us, pair.eu)
    body = asked.get("/api/v1/mirrors").json()
    assert (body["kind"], body["version"], body["errors"]) == ("mirror-topics", 1, [])
    assert [(i["topic"], i["lag"], i["cluster"]) for i in body["items"]] == [("orders", 50, "eu")]
    assert [(one["link"], one["state"]) for one in body["links"]] == [("us->eu", "behind")]
    body = asked.get("/api/v1/mirrors?partitions=true&state=behind").json()
    assert body["kind"] == "mirror-partitions"
    assert body["items"][0].keys() - {"cluster"} == set(SeenPartition._fields)
    assert asked.get("/api/v1/mirrors?partitions=x").status_code == 400
    assert asked.get("/api/v1/mirrors?state=ok").json()["items"] == []


def test_a_link_is_shown_to_who_may_see_both_of_its_clusters(pair: MirroredPair) -> None:
    assert client(pair.eu).get("/api/v1/mirrors").json()["links"] == []
    assert client(pair.us).get("/api/v1/mirrors").json()["links"] == []


def test_metrics_have_a_sample_for_each_link_and_none_for_what_is_not_known(
    pair: MirroredPair,
) -> None:
    name = ("cluster", "eu"), ("source", "us"), ("target", "eu")
    found = scraped.samples(client(pair.us, pair.eu).get("/metrics?collect[]=mirrors").text)
    assert found["pko_kafka_mirror_lag_records", *name] == 50
    assert found["pko_kafka_mirror_processes", *name] == 1
    topic = ("cluster", "eu"), ("source", "us"), ("target", "eu"), ("topic", "orders")
    assert found["pko_kafka_mirror_topic_lag_records", *topic] == 50
    made, rows = pair.judge.judge(link(150), pair.eu.view, None, {})
    pair.eu.tell_links([made], {made.name: rows})
    found = scraped.samples(client(pair.us, pair.eu).get("/metrics?collect[]=mirrors").text)
    assert ("pko_kafka_mirror_lag_records", *name) not in found


def test_alerts_and_the_history_get_what_is_known(pair: MirroredPair) -> None:
    view = pair.eu.view
    (subject,) = (s for s in poll_round(view, 7).subjects if s.kind == "mirror")
    assert subject.facts.keys() <= FACTS["mirror"].keys()
    assert (subject.name, subject.facts["lag"], subject.facts["gap_partitions"]) == (
        "us->eu",
        50,
        0,
    )
    assert values(view)[SeriesKey("mirror", "us->eu", "lag")] == 50
    assert LINK_STATES == links.LINK_STATES
    assert unpack_view(pack_view(view)).links[0].lag == 50


def test_a_link_that_breaks_is_on_the_timeline(pair: MirroredPair) -> None:
    before = pair.eu.view
    pair.round(30 * SECOND, 200, link(200))
    assert [c for c in changes(before, pair.eu.view) if c.kind == "mirror"] == []
    at_work = pair.eu.view
    pair.round(40 * SECOND, 200, link(200, members=[]))
    told = [c.text for c in changes(at_work, pair.eu.view) if c.kind == "mirror"]
    assert told == ["mirror us->eu was at work, is no process"]
