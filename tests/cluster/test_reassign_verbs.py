"""plan, run and rollback on three brokers of ours, under load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.errors import PkoError
from pykafka_ops.testing import KafkaCluster
from tests.support.clients.base import Fetched, Message
from tests.support.clients.load import IDEMPOTENT, Load, check_ledger
from tests.support.cluster.faulty_cluster import read_all
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java]
TOPIC = "drained"
REPLICAS = {0: [2, 0], 1: [1, 2], 2: [2, 1], 3: [0, 1]}


@pytest.fixture
def admin(cluster: KafkaCluster) -> Iterator[Cluster]:
    made = Cluster(ClientConfig.of({"bootstrap.servers": cluster.bootstrap_servers}))
    yield made
    made.close()


def _started(home: Path, bootstrap: str, *words: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PKO_BOOTSTRAP_SERVER": bootstrap, "XDG_STATE_HOME": str(home)}
    argv = [sys.executable, "-m", "pykafka_ops", "reassign-partitions", *words]
    return subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _run(home: Path, bootstrap: str, *words: str) -> tuple[str, str]:
    process = _started(home, bootstrap, *words)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def _replicas(admin: Cluster) -> dict[int, list[int]]:
    found = describe_topics(admin, [TOPIC])[TOPIC]
    if not isinstance(found, TopicDescription):  # the broker that is asked has not heard of it yet
        return {}
    return {p.number: p.replicas for p in found.partitions}


def test_a_broker_is_drained_and_filled_again_under_load(
    cluster: KafkaCluster, admin: Cluster, tmp_path: Path
) -> None:
    plan, bootstrap = str(tmp_path / "drain.json"), cluster.bootstrap_servers
    (made,) = create_topics(admin, [NewTopic(TOPIC, -1, -1, REPLICAS)]).values()
    assert not isinstance(made, PkoError), made
    wait_for(lambda: len(_replicas(admin)) == 4, what="the topic")
    load = Load(bootstrap, TOPIC, 0, IDEMPOTENT, size=20_000, rest=0.02).start()
    try:
        load.wait_acked(300)
        out, _ = _run(tmp_path, bootstrap, "plan", TOPIC, "--drain", "2", "--file", plan, "-ojson")
        assert len(json.loads(out)["items"][0]["partitions"]) == 3
        killed = _started(tmp_path, bootstrap, "run", plan, "--throttle", "100KB")
        wait_for(lambda: list_reassignments(admin), what="moves", poll=0.05)
        killed.kill()
        killed.communicate()
        _run(tmp_path, bootstrap, "run", plan, "--throttle", "50MB")
        wait_for(lambda: not [ids for ids in _replicas(admin).values() if 2 in ids], what="the end")
        _, throttled = _run(tmp_path, bootstrap, "status")
        assert "throttled" not in throttled and "nothing moves" in throttled
        load.wait_acked(100)
        _run(tmp_path, bootstrap, "rollback", plan)
        wait_for(lambda: _replicas(admin) == REPLICAS, what="replicas of before")
        load.finish()
    finally:
        load.abandon()
    values = read_all(bootstrap, TOPIC, {0: load.sent})[0]
    check_ledger(load, [Fetched(n, Message(v), 0) for n, v in enumerate(values)], exactly=True)
