"""``--zookeeper`` as the tool did before 3.0, on a running Apache Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from tests.support.cluster.apache_cluster import Brokers
from tests.support.golden.transcripts import error_of
from tests.support.golden.transcripts import run_patiently as run
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
TOOL = "kafka-reassign-partitions"
MOVES = "/admin/reassign_partitions"


@pytest.fixture
def tree(apache_cluster: Brokers, topic: str) -> Iterator[KazooClient]:
    """A topic with a replica on 0 and 1."""
    words = ("--create", "--topic", topic, "--replica-assignment", "0:1")
    assert run("kafka-topics", "--bootstrap-server", apache_cluster.bootstrap, *words).code == 0
    client = KazooClient(apache_cluster.zookeeper.connect)
    client.start()
    yield client
    client.stop()
    client.close()
    run("topics", "delete", topic, "--yes", "-b", apache_cluster.bootstrap)


def setting(tree: KazooClient, entity: str, name: str) -> str | None:
    path = f"/config/{entity}"
    if not tree.exists(path):
        return None
    found: str | None = json.loads(tree.get(path)[0])["config"].get(name)
    return found


def test_a_running_kafka_makes_the_moves(
    apache_cluster: Brokers, tree: KazooClient, topic: str, tmp_path: Path
) -> None:
    file = tmp_path / "moves.json"
    file.write_text(
        json.dumps({"partitions": [{"topic": topic, "partition": 0, "replicas": [2, 1]}]})
    )
    where = ("--zookeeper", apache_cluster.zookeeper.connect)
    words = (*where, "--reassignment-json-file", str(file))

    said = run(TOOL, *words, "--execute", "--throttle", "90000000")
    lines = said.stdout.splitlines()
    assert said.code == 0, said
    assert lines[0].startswith("Warning: --zookeeper is deprecated")
    assert json.loads(lines[3])["partitions"][0]["replicas"] == [0, 1]
    assert lines[-2:] == [
        "The inter-broker throttle limit was set to 90000000 B/s",
        f"Successfully started partition reassignment for {topic}-0",
    ]
    assert setting(tree, f"topics/{topic}", "leader.replication.throttled.replicas") == "0:0,0:1"
    assert setting(tree, f"topics/{topic}", "follower.replication.throttled.replicas") == "0:2"
    for broker in range(3):
        assert setting(tree, f"brokers/{broker}", "leader.replication.throttled.rate") == "90000000"

    wait_for(lambda: not tree.exists(MOVES), what="the controller to make the moves", poll=0.1)
    said = run(TOOL, *words, "--verify")
    assert said.code == 0
    assert said.stdout.splitlines()[2:] == [
        "Status of partition reassignment:",
        f"Reassignment of partition {topic}-0 is completed.",
        "Clearing broker-level throttles on brokers 0,1,2",
        f"Clearing topic-level throttles on topic {topic}",
    ]
    assert setting(tree, f"topics/{topic}", "leader.replication.throttled.replicas") is None
    assert setting(tree, "brokers/2", "follower.replication.throttled.rate") is None
    assert json.loads(tree.get(f"/brokers/topics/{topic}")[0])["partitions"]["0"] == [2, 1]


def test_a_proposal_comes_from_the_tree(
    apache_cluster: Brokers, tree: KazooClient, topic: str, tmp_path: Path
) -> None:
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"topics": [{"topic": topic}]}))
    where = ("--zookeeper", apache_cluster.zookeeper.connect, "--generate")
    words = (*where, "--topics-to-move-json-file", str(file), "--broker-list")
    now, then = [
        json.loads(line)["partitions"][0]["replicas"]
        for line in run(TOOL, *words, "1,2").stdout.splitlines()
        if line.startswith("{")
    ]
    assert now == [0, 1]
    assert sorted(then) == [1, 2]
    said = run(TOOL, *words, "1")
    assert error_of(said.stdout)[-1] == (
        "Error: Replication factor: 2 larger than available brokers: 1."
    )


def test_nobody_at_that_address_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.commands.framework.run.SILENCE", 0.3)
    (tmp_path / "moves.json").write_text("{}")
    words = ("--verify", "--reassignment-json-file", str(tmp_path / "moves.json"))
    said = run(TOOL, "--zookeeper", "127.0.0.1:1", *words)
    assert said.code == 1
    assert said.stdout.splitlines()[-1].startswith("Error: no ZooKeeper at 127.0.0.1:1 lets us")
