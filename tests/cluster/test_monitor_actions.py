"""Elections and moves through the monitor, on three brokers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import BROKER, AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.own_settings import own_settings
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.errors import PkoError
from pykafka_ops.testing import KafkaCluster
from tests.support.clients.base import Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java]
HERE = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}"
TOPIC = "acted-on"


@pytest.fixture
def admin(cluster: KafkaCluster) -> Iterator[Cluster]:
    made = Cluster(ClientConfig.of({"bootstrap.servers": cluster.bootstrap_servers}))
    yield made
    assert pko("topics", "delete", TOPIC, "-y", "-b", cluster.bootstrap_servers).returncode == 0
    made.close()


@pytest.fixture
def monitor(cluster: KafkaCluster, tmp_path: Path) -> Iterator[MonitorProcess]:
    with watching(cluster, tmp_path) as running:
        yield running


@contextmanager
def watching(cluster: KafkaCluster, tmp_path: Path) -> Iterator[MonitorProcess]:
    """A monitor of the cluster that may change it."""
    config = tmp_path / "monitor.toml"
    config.write_text(
        'actions = ["elect", "elect-unclean", "cancel-move", "throttle", "unthrottle"]\n'
    )
    with MonitorProcess("--config", str(config), "-b", cluster.bootstrap_servers) as running:
        wait_for(lambda: running.get(HERE)[0] == 200, what="the first round")
        yield running


def described(admin: Cluster) -> TopicDescription | None:
    found = describe_topics(admin, [TOPIC])[TOPIC]
    return found if isinstance(found, TopicDescription) else None


def leader(admin: Cluster) -> int | None:
    found = described(admin)
    return found.partitions[0].leader if found else None


def planned(monitor: MonitorProcess, action: str, **more: str) -> Any:
    status, body = monitor.post(f"{HERE}/actions/{action}?dry_run=true", {"topic": TOPIC, **more})
    assert status == 200, body
    return body


def done(monitor: MonitorProcess, action: str, token: str, **more: str) -> None:
    status, body = monitor.post(f"{HERE}/actions/{action}", {"token": token, **more})
    assert (status, body.get("result")) == (200, "done"), body


@contextmanager
def throttled(admin: Cluster, bootstrap: str) -> Iterator[None]:
    """What moves of the topic stays under way."""
    slow = {
        ConfigResource(BROKER, str(n)): [(AlterOp.SET, f"{side}.replication.throttled.rate", "1")]
        for n, side in ((1, "leader"), (2, "follower"))
    }
    free = {r: [(AlterOp.DELETE, key, None) for _, key, _ in c] for r, c in slow.items()}
    for side in ("leader", "follower"):
        setting = f"{side}.replication.throttled.replicas=*"
        assert pko("configs", "set", "topics", TOPIC, setting, "-b", bootstrap).returncode == 0
    ConfluentClient(bootstrap).produce(TOPIC, [Message(b"x" * 100_000) for _ in range(50)])
    assert not any(alter_configs(admin, slow).values())
    try:
        yield
    finally:
        alter_configs(admin, free)


def test_moves_are_cancelled_and_preferred_leaders_elected(
    cluster: KafkaCluster, admin: Cluster, monitor: MonitorProcess
) -> None:
    bootstrap = cluster.bootstrap_servers
    (made,) = create_topics(admin, [NewTopic(TOPIC, -1, -1, {0: [0, 1]})]).values()
    assert not isinstance(made, PkoError), made
    wait_for(lambda: leader(admin) == 0, what="the topic has its leader")
    assert planned(monitor, "elect")["plan"] == [], "the preferred replica leads"
    assert planned(monitor, "cancel-move")["plan"] == [], "nothing moves"

    # the other order of the replicas makes another one the preferred
    assert not any(alter_reassignments(admin, {(TOPIC, 0): [1, 0]}).values())
    wait_for(lambda: not list_reassignments(admin, [(TOPIC, 0)]), what="the order")
    wait_for(lambda: (d := described(admin)) and d.partitions[0].replicas == [1, 0], what="it")
    shown = wait_for(lambda: (p := planned(monitor, "elect"))["plan"] and p, what="a plan")
    assert [(r["before"], r["after"]) for r in shown["plan"]] == [("broker 0", "broker 1")]
    assert leader(admin) == 0
    done(monitor, "elect", shown["token"])
    wait_for(lambda: leader(admin) == 1, what="the preferred replica leads")
    said = pko("leader-election", "list", TOPIC, "-b", bootstrap, "-o", "json")
    assert json.loads(said.stdout)["items"] == []

    with throttled(admin, bootstrap):
        assert not any(alter_reassignments(admin, {(TOPIC, 0): [1, 2]}).values())
        wait_for(lambda: list_reassignments(admin, [(TOPIC, 0)]), what="the move is under way")
        shown = planned(monitor, "cancel-move")
        (row,) = shown["plan"]
        assert row["before"] == "1,0, to come: 2, to go: 0"
        assert row["after"] == "1,0"
        done(monitor, "cancel-move", shown["token"])
        wait_for(lambda: not list_reassignments(admin, [(TOPIC, 0)]), what="the move is over")
        found = described(admin)
        assert found is not None
        assert sorted(found.partitions[0].replicas) == [0, 1]
    entries = monitor.json("/api/v1/audit")["entries"]
    assert [(e["action"], e["result"]) for e in entries] == [
        ("cancel-move", "done"), ("elect", "done"),
    ]  # fmt: skip


def test_moves_are_throttled_and_freed(
    cluster: KafkaCluster, admin: Cluster, monitor: MonitorProcess
) -> None:
    (made,) = create_topics(admin, [NewTopic(TOPIC, -1, -1, {0: [0, 1]})]).values()
    assert not isinstance(made, PkoError), made
    wait_for(lambda: leader(admin) == 0, what="the topic has its leader")
    refused, body = monitor.post(
        f"{HERE}/actions/throttle?dry_run=true", {"topic": TOPIC, "rate": "1MB"}
    )
    assert (refused, "moves" in body["error"]["message"]) == (400, True), body
    with throttled(admin, cluster.bootstrap_servers):
        assert not any(alter_reassignments(admin, {(TOPIC, 0): [1, 2]}).values())
        wait_for(lambda: list_reassignments(admin, [(TOPIC, 0)]), what="the move is under way")
        stale = planned(monitor, "throttle", rate="1kB")
        shown = planned(monitor, "throttle", rate="2kB")
        done(monitor, "throttle", shown["token"])
        wait_for(lambda: _rates(admin, "2000") == {0, 1, 2}, what="every broker has the rate")
        status, body = monitor.post(f"{HERE}/actions/throttle", {"token": stale["token"]})
        assert (status, body["error"]["code"]) == (409, "PLAN_CHANGED"), body
        shown = planned(monitor, "unthrottle")
        done(monitor, "unthrottle", shown["token"])
        wait_for(lambda: not _rates(admin, None), what="no broker has a rate")
        wait_for(lambda: not list_reassignments(admin, [(TOPIC, 0)]), what="the move is over")
    assert planned(monitor, "unthrottle")["plan"] == []


def _rates(admin: Cluster, value: str | None) -> set[int]:
    """Brokers with such a throttled rate (None: with any)."""
    places = [ConfigResource(BROKER, str(n)) for n in range(3)]
    keys = [f"{side}.replication.throttled.rate" for side in ("leader", "follower")]
    found = own_settings(admin, places, keys)
    return {
        int(place.name)
        for place, held in found.items()
        if not isinstance(held, PkoError) and (set(held.values()) >= {value} if value else held)
    }


def test_a_replica_that_is_not_in_sync_is_elected_where_no_other_lives(tmp_path: Path) -> None:
    """Broker 2 dies, broker 1 takes a record alone and dies, too: only broker 2 comes back."""
    settings = {"unclean.leader.election.enable": "false", "min.insync.replicas": "1"}
    with KafkaCluster(3, tmp_path / "own") as own, watching(own, tmp_path) as monitor:
        admin = Cluster(ClientConfig.of({"bootstrap.servers": own.bootstrap_servers}))
        (made,) = create_topics(admin, [NewTopic(TOPIC, -1, -1, {0: [1, 2]}, settings)]).values()
        assert not isinstance(made, PkoError), made
        wait_for(lambda: leader(admin) == 1, what="the topic has its leader")
        own.brokers[2].kill()
        wait_for(lambda: (d := described(admin)) and d.partitions[0].isr == [1], what="one in ISR")
        ConfluentClient(own.bootstrap_servers).produce(TOPIC, [Message(b"lost")])
        own.brokers[1].kill()
        own.brokers[2].start()
        wait_for(lambda: leader(admin) == -1, what="nobody leads")
        before = ["no leader", "broker 2"]
        shown = wait_for(lambda: _plan_that_says(monitor, before), what="the plan")
        status, body = monitor.post(f"{HERE}/actions/elect-unclean", {"token": shown["token"]})
        assert (status, body["error"]["code"]) == (400, "NOT_CONFIRMED"), body
        assert leader(admin) == -1
        done(monitor, "elect-unclean", body["token"], confirm=TOPIC)
        wait_for(lambda: leader(admin) == 2, what="the lost replica leads")
        own.brokers[1].start()
        wait_for(lambda: (d := described(admin)) and len(d.partitions[0].isr) == 2, what="both")
        (entry,) = monitor.json("/api/v1/audit?action=elect-unclean&result=done")["entries"]
        assert (entry["resource"], list(entry["after"].values())) == (TOPIC, ["broker 2"])
        admin.close()


def _plan_that_says(monitor: MonitorProcess, before_and_after: list[str]) -> Any:
    """The plan of an unclean election, once it says this: a broker that starts is there later."""
    status, body = monitor.post(f"{HERE}/actions/elect-unclean?dry_run=true", {"topic": TOPIC})
    rows = body.get("plan", []) if status == 200 else []
    return body if [[r["before"], r["after"]] for r in rows] == [before_and_after] else None
