"""/metrics of the monitor: exporters' names, nothing for what is not known, nothing stale."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service
from tests.support.monitor.rounds import answers

HOSTILE = 'a"b\\c\nd<script>'


def samples(*clusters: WatchedCluster) -> dict[tuple[Any, ...], float]:
    """Values by name and sorted labels."""
    service = Service({c.view.name: c for c in clusters})
    answer = TestClient(make_app(service, all_routes())).get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.documentation
        for s in family.samples:
            key = (s.name, *sorted(s.labels.items()))
            assert key not in found
            found[key] = s.value
    return found


def test_kafka_exporters_names_and_labels() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, 100, commits=[Commit(1, 60)]))
    found = samples(watched)
    place = (("partition", "0"), ("topic", "orders"))
    group = ("consumergroup", "billing")
    assert found["kafka_brokers",] == 1
    assert found["kafka_broker_info", ("address", "b1:9092"), ("id", "1")] == 1
    assert found["kafka_topic_partitions", ("topic", "orders")] == 1
    for name, value in (
        ("current_offset", 100), ("oldest_offset", 0), ("in_sync_replica", 1), ("leader", 1),
        ("leader_is_preferred", 1), ("replicas", 1), ("under_replicated_partition", 0),
    ):  # fmt: skip
        assert found[f"kafka_topic_partition_{name}", *place] == value
    assert found["kafka_consumergroup_current_offset", group, *place] == 60
    assert found["kafka_consumergroup_lag", group, *place] == 40
    assert found["kafka_consumergroup_lag_sum", group, ("topic", "orders")] == 40
    assert found["kafka_consumergroup_current_offset_sum", group, ("topic", "orders")] == 60
    assert found["kafka_consumergroup_members", group] == 1


def test_the_dashboard_of_groups_finds_its_series() -> None:
    board = Path(__file__).parents[4] / "packaging" / "grafana" / "groups.json"
    asked = set(re.findall(r"kafka_[a-z_]+", " ".join(_expressions(json.loads(board.read_text())))))
    watched = WatchedCluster("local")
    watched.take(answers(1, 100, commits=[Commit(1, 60)]))
    assert len(asked) > 5
    assert asked <= {key[0] for key in samples(watched)}


def _expressions(board: Any) -> list[str]:
    if isinstance(board, list):
        return [text for one in board for text in _expressions(one)]
    if not isinstance(board, dict):
        return []
    own = [board["expr"]] if isinstance(board.get("expr"), str) else []
    return own + [text for one in board.values() for text in _expressions(one)]


def test_what_is_not_known_is_not_told() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, -1, commits=[Commit(1, 60)]))
    names = {key[0] for key in samples(watched)}
    assert "kafka_consumergroup_current_offset" in names
    assert not names & {
        "kafka_topic_partition_current_offset", "kafka_consumergroup_lag",
        "kafka_consumergroup_lag_sum", "pko_kafka_group_time_lag_seconds",
    }  # fmt: skip


def test_a_cluster_that_does_not_answer_tells_only_that() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, 100))
    watched.failed(NotAsked("cluster", "SilentError", "silent"))
    found = samples(watched)
    assert found["pko_monitor_cluster_up", ("cluster", "local")] == 0
    assert found["pko_monitor_poll_age_seconds", ("cluster", "local")] > 1000
    assert not [key for key in found if key[0].startswith("kafka_")]


def test_several_clusters_are_told_apart() -> None:
    clusters = [WatchedCluster("a"), WatchedCluster("b")]
    for one in clusters:
        one.take(answers(1, 100, commits=[Commit(1, 60)]))
    found = samples(*clusters)
    assert found["kafka_brokers", ("cluster", "a")] == found["kafka_brokers", ("cluster", "b")] == 1


def test_a_new_round_is_told() -> None:
    watched = WatchedCluster("local")
    service = Service({"local": watched})
    client = TestClient(make_app(service, all_routes()))
    for end in (100, 200):
        watched.take(answers(end, end))
        line = f'kafka_topic_partition_current_offset{{topic="orders",partition="0"}} {end}\n'
        assert line in client.get("/metrics").text


def test_names_of_any_bytes_are_escaped() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, 100, commits=[Commit(1, 60)], group=HOSTILE))
    assert samples(watched)["kafka_consumergroup_members", ("consumergroup", HOSTILE)] == 1


def test_verdicts_and_what_retention_never_takes() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, 100, commits=[Commit(1, 100)]))
    found = samples(watched)
    labels = (("cluster", "local"), ("group", "billing"))
    assert found["pko_kafka_group_verdict", *labels, ("verdict", "OK")] == 1
    assert found["pko_kafka_group_loss_seconds", *labels] == float("inf")
