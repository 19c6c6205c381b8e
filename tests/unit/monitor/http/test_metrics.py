"""/metrics of the monitor: exporters' names, nothing for what is not known, nothing stale."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.alerts.settings.tables import alert_settings
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.metrics import MOST_AT_ONCE, chosen
from pykafka_ops.monitor.metrics.lines import LINES, PARTS, Scope, text
from pykafka_ops.monitor.metrics.settings import MetricsSettings, metrics_settings
from pykafka_ops.monitor.service import Service
from tests.support.monitor import scraped
from tests.support.monitor.rounds import answers, in_kraft, shared

HOSTILE = 'a"b\\c\nd<script>'


def samples(
    *clusters: WatchedCluster, settings: str = "", query: str = ""
) -> dict[tuple[Any, ...], float]:
    """Values by name and sorted labels."""
    metrics = metrics_settings(tomllib.loads(f"[metrics]\n{settings}"), "m")
    service = Service({c.view.name: c for c in clusters}, metrics=metrics)
    answer = TestClient(make_app(service, all_routes())).get(f"/metrics{query}")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return scraped.samples(answer.text)


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
    expressions = " ".join(_expressions(json.loads(board.read_text())))
    asked = set(re.findall(r"(?:pko_)?kafka_[a-z_]+", expressions))
    watched = WatchedCluster("local")
    watched.take(answers(1, 100, commits=[Commit(1, 60)]))
    assert len(asked) > 10
    known = {key[0] for key in samples(watched)}
    for got in (in_kraft(2), shared(3, 100, ShareStart(40, 7))):
        watched.take(got)
        known |= {key[0] for key in samples(watched)}
    assert asked <= known


def test_a_share_group_has_names_of_its_own_and_none_of_commits() -> None:
    watched = WatchedCluster("local")
    watched.take(shared(1, 100, ShareStart(40, 7)))
    found = samples(watched, settings=ALL)
    of = (("cluster", "local"), ("group", "billing"))
    place = (*of, ("partition", "0"), ("topic", "orders"))
    assert found["pko_kafka_share_group_start_offset", *place] == 40
    assert found["pko_kafka_share_group_lag", *place] == 7
    assert found["pko_kafka_share_group_lag_sum", *of, ("topic", "orders")] == 7
    assert found["pko_kafka_group_info", *of, ("state", "Stable"), ("type", "Share")] == 1
    named = {key[0] for key in found if ("consumergroup", "billing") in key[1:]}
    assert named == {"kafka_consumergroup_members"}
    assert not [key for key in found if ("consumer_group", "billing") in key[1:]]
    watched.take(shared(2, 100, None))
    names = {key[0] for key in samples(watched)}
    assert not [name for name in names if name.startswith("pko_kafka_share_group")]


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


ALL = 'dialects = ["kafka_exporter", "kminion", "burrow"]'
EXPORTERS = Path(__file__).parents[3] / "golden" / "metrics" / "exporters.txt"


def watched_for_long() -> WatchedCluster:
    """Every fact is known: ten commits, sizes of directories, a member without partitions."""
    found = WatchedCluster("local")
    replica = ReplicaInfo("orders", 0, 1234, 0, False)
    dirs = {1: [LogDirDescription("/d", None, 10_000, 5_000, [replica])]}
    for n in range(1, 11):
        at = n * 1000
        found.take(answers(at, 10 * n, commits=[Commit(at, 10 * n - 4)], dirs=dirs))
    return found


def test_every_name_and_label_of_the_exporters_is_told_or_it_is_said_why_not() -> None:
    found: dict[str, set[str]] = {}
    for name, *labels in samples(watched_for_long(), settings=ALL):
        found.setdefault(name, set()).update(label for label, _ in labels)
    lines = [line.partition("  ") for line in EXPORTERS.read_text().splitlines()]
    wanted = [(*line[:-1].split("{"), why) for line, _, why in lines]
    assert len(wanted) > 40
    said = {name: set(labels.split(",")) - {""} for name, labels, why in wanted if not why}
    theirs = {n: found[n] for n in found if not n.startswith(("pko_", "process_"))}
    assert said == theirs
    for name, labels, why in wanted:
        if why:
            assert not set(labels.split(",")) & found.get(name, set()), name


def test_kminions_values() -> None:
    found = samples(watched_for_long(), settings='dialects = ["kminion"]')
    group, topic = ("group_id", "billing"), ("topic_name", "orders")
    broker = (("address", "b1"), ("broker_id", "1"))
    info = (*broker, ("is_controller", "true"), ("port", "9092"), ("rack_id", ""))
    assert found["kminion_kafka_broker_info", *info] == 1
    of = "kminion_kafka_consumer_group"
    assert found[f"{of}_topic_partition_lag", group, ("partition_id", "0"), topic] == 4
    assert found[f"{of}_topic_lag", group, topic] == 4
    assert found[f"{of}_topic_offset_sum", group, topic] == 96
    assert found[f"{of}_topic_assigned_partitions", group, topic] == 1
    assert found[f"{of}_empty_members", group] == 0
    assert found["kminion_kafka_topic_high_water_mark_sum", topic] == 100
    assert found["kminion_kafka_topic_low_water_mark_sum", topic] == 0
    assert not [name for name, *_ in found if name.startswith("kafka_")]


def test_burrows_values_are_those_of_its_rules() -> None:
    found = samples(watched_for_long(), settings='dialects = ["burrow"]')
    group = (("cluster", "local"), ("consumer_group", "billing"))
    partition = (*group, ("partition", "0"), ("topic", "orders"))
    assert found["burrow_kafka_consumer_lag_total", *group] == 4
    assert found["burrow_kafka_consumer_status", *group] == 2  # its lag never shrank: WARN
    assert found["burrow_kafka_topic_partition_status", *partition] == 2
    assert found["burrow_kafka_consumer_current_offset", *partition] == 96


def test_burrow_tells_no_offset_of_a_window_that_is_not_complete_nor_a_lag_without_an_end() -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, -1, commits=[Commit(1, 60)]))
    names = {name for name, *_ in samples(watched, settings='dialects = ["burrow"]')}
    assert "burrow_kafka_consumer_status" in names
    assert not names & {
        "burrow_kafka_consumer_current_offset", "burrow_kafka_topic_partition_status",
        "burrow_kafka_consumer_partition_lag", "burrow_kafka_consumer_lag_total",
    }  # fmt: skip


def test_by_topic_no_sample_has_a_partition() -> None:
    found = samples(watched_for_long(), settings=f'{ALL}\ngranularity = "topic"')
    labels = {label for _, *pairs in found for label, _ in pairs}
    assert not labels & {"partition", "partition_id"}
    assert "kafka_consumergroup_lag_sum" in {name for name, *_ in found}


def test_groups_and_topics_are_chosen_by_patterns() -> None:
    watched = watched_for_long()
    for settings in ('groups = "bill"', 'groups-deny = "bill.*"'):
        assert "billing" not in str(samples(watched, settings=f"{ALL}\n{settings}"))
    for settings in ('topics-deny = "ord.*"', 'topics = "other"'):
        assert "orders" not in str(samples(watched, settings=f"{ALL}\n{settings}"))


def test_a_part_is_asked_for_alone() -> None:
    watched = watched_for_long()
    names = {name for name, *_ in samples(watched, query="?collect[]=groups")}
    assert "kafka_consumergroup_lag" in names
    assert "pko_kafka_group_verdict" in names
    assert not names & {"kafka_brokers", "kafka_topic_partitions", "pko_monitor_cluster_up"}
    both = samples(watched, query="?collect[]=brokers&collect[]=monitor")
    assert {"kafka_brokers", "pko_monitor_cluster_up"} <= {name for name, *_ in both}


def test_an_unknown_part_is_refused() -> None:
    client = TestClient(make_app(Service({}), all_routes()))
    answer = client.get("/metrics?collect[]=grups")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == (
        "collect[]='grups': choose from brokers, topics, groups, monitor, probes, mirrors, audits"
    )


def test_the_text_is_made_in_slices() -> None:
    watched = WatchedCluster("local")
    groups = {f"g{n}": GroupListing(f"g{n}", "consumer", "Empty", "classic", 1) for n in range(50)}
    commits = {(g, "orders", n): [Commit(1, 5)] for g in groups for n in range(40)}
    watched.take(answers(1, 100, listed=groups, described={}))
    watched.take(answers(2, 100, listed=groups, described={}, commits=[]))
    many = answers(3, 100, listed=groups, described={})
    many.commits = commits
    watched.take(many)
    scope = Scope(watched, watched.view, MetricsSettings(), {})
    pieces = list(text(chosen(MetricsSettings(), frozenset()), [scope]))
    assert len(pieces) > 2
    assert max(piece.count("\n") for piece in pieces) <= LINES + 2
    lags = [s for s in scraped.samples("".join(pieces)) if s[0] == "kafka_consumergroup_lag"]
    assert len(lags) == 50  # partition 0 alone has an end


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ('dialects = ["kminon"]', "'kminon': choose from kafka_exporter, kminion, burrow (did you"),
        ('granularity = "broker"', "[metrics]: granularity: 'broker': choose one of partition"),
        ('groups = "("', "[metrics]: groups: '(' is not a regular expression"),
        ('group = "x"', "m: [metrics]: unknown key 'group' (did you mean groups?)"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(settings: str, complaint: str) -> None:
    with pytest.raises(UsageError) as said:
        metrics_settings(tomllib.loads(f"[metrics]\n{settings}"), "m")
    assert complaint in str(said.value)


def test_the_monitor_tells_of_itself(tmp_path: Path) -> None:
    watched = WatchedCluster("local")
    watched.take(answers(1, 100))
    settings = alert_settings(
        tomllib.loads('[notify.ops]\nkind = "command"\ncommand = ["true"]'), "m"
    )
    history = History(tmp_path / "history.db")
    alerts = AlertService(settings, str(tmp_path / "alerts.db"), ["local"])
    requests = {"local": {"Metadata": 3}}
    service = Service({"local": watched}, history=history, alerts=alerts, requests=requests)
    try:
        history.record("local", 1, {SeriesKey("group", "billing", "lag"): 5})
        alerts.start()
        client = TestClient(make_app(service, all_routes()))
        found = scraped.samples(client.get("/metrics").text)
    finally:
        alerts.close()
        history.close()
    labels = (("api", "Metadata"), ("cluster", "local"))
    assert found["pko_monitor_requests_total", *labels] == 3
    assert found["pko_monitor_series",] == 1
    assert found["pko_monitor_history_bytes",] > 0
    assert found["pko_monitor_history_up",] == 1
    assert found["pko_monitor_alerts_lead",] == 1
    assert found["pko_monitor_alerts_firing", ("severity", "critical")] == 0
    ops = (("receiver", "ops"), ("result", "sent"))
    assert found["pko_monitor_deliveries_total", *ops] == 0
    assert found["pko_monitor_sse_clients",] == 0
    assert found["process_resident_memory_bytes",] > 1e6


def test_texts_that_are_made_at_a_time_are_bounded() -> None:
    watched = watched_for_long()
    client = TestClient(make_app(Service({"local": watched}), all_routes()))
    for n in range(3 * MOST_AT_ONCE):  # each gives its place back
        part = PARTS[n % len(PARTS)]
        watched.take(answers(20_000 + n, 200 + n))
        assert client.get(f"/metrics?collect[]={part}").status_code == 200
