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
    config = tmp_path / "monitor.toml"
    config.write_text('actions = ["elect", "cancel-move"]\n')
    with MonitorProcess("--config", str(config), "-b", cluster.bootstrap_servers) as running:
        wait_for(lambda: running.get(HERE)[0] == 200, what="the first round")
        yield running


def described(admin: Cluster) -> TopicDescription | None:
    found = describe_topics(admin, [TOPIC])[TOPIC]
    return found if isinstance(found, TopicDescription) else None


def leader(admin: Cluster) -> int | None:
    found = described(admin)
    return found.partitions[0].leader if found else None


def planned(monitor: MonitorProcess, action: str) -> Any:
    status, body = monitor.post(f"{HERE}/actions/{action}?dry_run=true", {"topic": TOPIC})
    assert status == 200, body
    return body


def done(monitor: MonitorProcess, action: str, token: str) -> None:
    status, body = monitor.post(f"{HERE}/actions/{action}", {"token": token})
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
