"""``--zookeeper`` on a tree in memory; on a real one: tests/cli/test_reassign_zookeeper.py."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from kazoo.exceptions import ConnectionLoss, NodeExistsError, NoNodeError

from pykafka_ops.commands.configs.zookeeper import ConfigTree as Settings
from pykafka_ops.commands.reassign_partitions import zookeeper
from pykafka_ops.zookeeper.client import NOBODY
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]
File = Callable[..., str]
TOOL = "kafka-reassign-partitions --zookeeper z:1 --reassignment-json-file"

ASKED = "The proposed assignment contains"


class Nodes:
    """The calls of a client that are used, on a dict."""

    access = NOBODY

    def __init__(self) -> None:
        self.nodes = {
            "/brokers/ids/0": b'{"rack": "a"}',
            "/brokers/ids/1": b'{"rack": null}',
            "/brokers/topics/orders": b'{"partitions": {"0": [0], "1": [1, 0]}}',
        }

    def get(self, path: str) -> tuple[bytes, None]:
        if path not in self.nodes:
            raise NoNodeError
        return self.nodes[path], None

    def set(self, path: str, data: bytes) -> None:
        self.nodes[path] = data

    def get_children(self, path: str) -> list[str]:
        return [p[len(path) + 1 :] for p in self.nodes if p.startswith(path + "/")]

    def exists(self, path: str) -> bool | None:
        return True if path in self.nodes else None

    def create(self, path: str, data: bytes | None, *, sequence: bool = False, **_: Any) -> None:
        if path in self.nodes:
            raise NodeExistsError
        self.nodes[f"{path}{len(self.nodes):010d}" if sequence else path] = data or b""

    def stop(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Nodes:
    fake = Nodes()
    monkeypatch.setattr(zookeeper, "opened_tree", lambda ctx: nullcontext(Settings(fake)))
    return fake


def test_the_wish_is_left_for_the_controller(nodes: Nodes, pko: Pko, file: File) -> None:
    path = file({("orders", 1): [0, 1], ("orders", 0): [1]})
    said = pko(f"{TOOL} {path} --execute")
    assert said.code == 0
    assert json.loads(nodes.nodes["/admin/reassign_partitions"]) == {
        "version": 1,
        "partitions": [
            {"topic": "orders", "partition": 0, "replicas": [1]},
            {"topic": "orders", "partition": 1, "replicas": [0, 1]},
        ],
    }
    assert said.stdout.endswith(
        "Successfully started partition reassignments for orders-0,orders-1\n"
    )
    again = pko(f"{TOOL} {path} --execute")
    assert again.code == 1
    assert "Cannot execute because there is an existing partition assignment" in again.stdout


def test_other_settings_stay_when_throttles_come_and_go(nodes: Nodes, pko: Pko, file: File) -> None:
    before = {"version": 1, "config": {"retention.ms": "5"}}
    nodes.nodes["/config/topics/orders"] = json.dumps(before).encode()
    path = file({("orders", 0): [1]})
    pko(f"{TOOL} {path} --execute --throttle 7")
    config = json.loads(nodes.nodes["/config/topics/orders"])["config"]
    assert config == {
        "retention.ms": "5",
        "leader.replication.throttled.replicas": "0:0",
        "follower.replication.throttled.replicas": "0:1",
    }
    assert json.loads(nodes.nodes["/config/brokers/1"])["config"] == {
        "leader.replication.throttled.rate": "7",
        "follower.replication.throttled.rate": "7",
    }
    pko(f"{TOOL} {path} --verify")
    assert json.loads(nodes.nodes["/config/topics/orders"])["config"] == config  # still moving
    del nodes.nodes["/admin/reassign_partitions"]
    nodes.nodes["/brokers/topics/orders"] = b'{"partitions": {"0": [1], "1": [1, 0]}}'
    said = pko(f"{TOOL} {path} --verify")
    assert "Reassignment of partition orders-0 is completed." in said.stdout
    assert json.loads(nodes.nodes["/config/topics/orders"]) == before
    assert json.loads(nodes.nodes["/config/brokers/1"])["config"] == {}
    heard = [json.loads(v)["entity_path"] for k, v in nodes.nodes.items() if "/changes/" in k]
    ids = ["brokers/0", "brokers/1"]
    assert heard == ["topics/orders", *ids, *ids, "topics/orders"]


@pytest.mark.parametrize(
    ("replicas", "text"),
    [
        (
            {("orders", 7): [1]},
            f"{ASKED} non-existent partitions: orders-7",
        ),
        ({("orders", 0): [9, 8]}, f"{ASKED} non-existent brokerIDs: 8,9"),
        ({("none", 0): [1]}, "Topic none not found."),
        ({("../ids", 0): [1]}, "Topic ../ids not found."),
    ],
)
def test_what_is_not_there_is_refused(
    replicas: object, text: str, nodes: Nodes, pko: Pko, file: File
) -> None:
    said = pko(f"{TOOL} {file(replicas)} --execute")
    assert said.code == 1
    assert said.stdout.splitlines()[-1] == f"Error: {text}"
    assert "/admin/reassign_partitions" not in nodes.nodes


def test_directories_need_a_broker(nodes: Nodes, pko: Pko, file: File) -> None:
    path = file({("orders", 0): [1]}, {("orders", 0): ["/b"]})
    for action in ("--execute", "--verify"):
        assert pko(f"{TOOL} {path} {action}").stdout.splitlines()[-1] == (
            "Error: bootstrap-server needs to be provided when replica reassignments are present."
        )


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b'{"partitions": {"x": 1}}'])
def test_a_znode_written_by_hand_is_told(data: bytes, nodes: Nodes, pko: Pko, file: File) -> None:
    nodes.nodes["/brokers/topics/orders"] = data
    assert pko(f"{TOOL} {file({('orders', 0): [1]})} --execute").stdout.splitlines()[-1] == (
        "Error: /brokers/topics/orders holds no JSON that Kafka writes there"
    )


def test_a_broker_that_is_named_goes_first(nodes: Nodes, pko: Pko, file: File) -> None:
    said = pko(f"{TOOL} {file({})} --execute --bootstrap-server 127.0.0.1:1")
    assert said.stdout.startswith("Warning: ignoring deprecated --zookeeper option because --boot")
    assert not [path for path in nodes.nodes if path.startswith("/admin")]


def test_a_lost_connection_is_told(pko: Pko, file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(Nodes):
        def get(self, path: str) -> tuple[bytes, None]:
            raise ConnectionLoss

    fake = Lost()
    monkeypatch.setattr(zookeeper, "opened_tree", lambda ctx: nullcontext(Settings(fake)))
    said = pko(f"{TOOL} {file({('orders', 0): [1]})} --execute")
    assert said.code == 1
    assert said.stdout.splitlines()[-1] == "Error: ZooKeeper z:1: ConnectionLoss"
