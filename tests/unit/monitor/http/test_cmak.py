"""CMAK's ``/api/status``, answered as its sources have it."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cmak.bodies import size_text
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.service import Service, ShownCluster
from tests.support.monitor.rounds import answers

PARTITIONS = [
    PartitionDescription(0, 1, 0, [1, 2], [1, 2], []),
    PartitionDescription(1, 1, 0, [2, 1], [1], []),
    PartitionDescription(2, -1, 0, [3], [3], []),
]


def at(time: int, *ends: int) -> dict[str, Any]:
    """The fields of a round of three partitions on two brokers, a third one being away."""
    return {
        "at": time,
        "end": 0,
        "nodes": {b: Node(b, f"b{b}", 9092, None) for b in (1, 2)},
        "topics": {"orders": TopicDescription("orders", b"i" * 16, False, PARTITIONS)},
        "ends": {"orders": array("q", ends)},
        "starts": {"orders": array("q", [0, 0, 0])},
        "dirs": {
            1: [LogDirDescription("/d", None, 1, 1, [
                ReplicaInfo("orders", 0, 1500, 0, False), ReplicaInfo("orders", 1, 800, 0, False),
            ])],
        },
    }  # fmt: skip


@pytest.fixture
def watched() -> WatchedCluster:
    found = WatchedCluster("local")
    found.take(answers(**at(1000, 100, 10, 5), commits=[Commit(900, 60)]))
    found.take(answers(**at(3000, 125, 10, 5)))
    return found


@pytest.fixture
def client(watched: WatchedCluster) -> TestClient:
    shown = {"local": ShownCluster(("b1:9092",), 15_000, "SASL_SSL")}
    return TestClient(make_app(Service({"local": watched}, shown), all_routes()))


def test_brokers(client: TestClient) -> None:
    assert client.get("/api/status/local/brokers").text == '{"brokers":[1,2]}'
    extended = client.get("/api/status/local/brokers/extended").json()["brokers"]
    assert extended[0] == {
        "id": 1, "host": "b1", "jmxPort": -1, "secure": True, "nonSecure": False,
        "endpoints": {"endpoints": ["SASL_SSL:9092"]},
    }  # fmt: skip


def test_topics_and_their_partitions_in_trouble(client: TestClient) -> None:
    assert client.get("/api/status/local/topics").json() == {"topics": ["orders"]}
    of = "/api/status/local/orders"
    assert client.get(f"{of}/underReplicatedPartitions").json() == {
        "topic": "orders", "underReplicatedPartitions": [1],
    }  # fmt: skip
    assert client.get(f"{of}/unavailablePartitions").json() == {
        "topic": "orders", "unavailablePartitions": [2],
    }  # fmt: skip


def test_the_identity_of_a_topic(client: TestClient) -> None:
    answer = client.get("/api/status/local/topicIdentities")
    assert answer.headers["content-type"].startswith("text/plain")
    [topic] = answer.json()["topicIdentities"]
    partitions = topic.pop("partitionsIdentity")
    assert partitions[0] == {
        "partNum": 0, "leader": 1, "latestOffset": 125, "rateOfChange": 12.5, "isr": [1, 2],
        "replicas": [1, 2], "isPreferredLeader": True, "isUnderReplicated": False,
        "leaderSize": 1500, "size": "1.5 kB",
    }  # fmt: skip
    assert "leaderSize" not in partitions[2]
    assert topic.pop("clusterContext")["config"]["name"] == "local"
    assert topic == {
        "topic": "orders", "readVersion": -1, "partitions": 3, "numBrokers": 2,
        "configReadVersion": -1,
        "config": [["retention.ms", "3600000"], ["cleanup.policy", "delete"]], "size": "2.3 kB",
        "replicationFactor": 2,
        "partitionsByBroker": [
            {"id": 1, "partitions": [0, 1], "isSkewed": False, "leaders": [0, 1],
             "isLeaderSkewed": True},
            {"id": 2, "partitions": [0], "isSkewed": False, "leaders": [], "isLeaderSkewed": False},
            {"id": 3, "partitions": [2], "isSkewed": False, "leaders": [], "isLeaderSkewed": False},
        ],
        "summedTopicOffsets": 140, "preferredReplicasPercentage": 33,
        "underReplicatedPercentage": 33, "topicBrokers": 3, "brokersSkewPercentage": 0,
        "brokersSpreadPercentage": 150, "producerRate": "12.50",
    }  # fmt: skip


def test_what_a_group_has_read(client: TestClient) -> None:
    summary = {
        "totalLag": 65, "percentageCovered": 33, "partitionOffsets": [60, -1, -1],
        "partitionLatestOffsets": [125, 10, 5], "owners": ["m-1:/10.0.0.7"],
    }  # fmt: skip
    of = "/api/status/local/billing"
    assert client.get(f"{of}/orders/KF/topicSummary").json() == summary
    assert client.get(f"{of}/KF/groupSummary").json() == {"orders": summary}
    answer = client.get("/api/status/local/consumersSummary")
    assert answer.text == (
        '{\n  "consumers" : [ {\n    "name" : "billing",\n    "type" : "KF",\n'
        '    "topics" : [ "orders" ],\n    "lags" : {\n      "orders" : 65\n    }\n  } ]\n}'
    )


def test_a_lag_that_is_not_known_is_null(watched: WatchedCluster, client: TestClient) -> None:
    watched.take(answers(**at(4000, 125, 10, -1)))
    body = client.get("/api/status/local/billing/orders/KF/topicSummary").json()
    assert body["totalLag"] is None
    consumers = client.get("/api/status/local/consumersSummary").json()["consumers"]
    assert consumers[0]["lags"] == {}


def test_clusters_and_health(client: TestClient) -> None:
    body = json.loads(client.get("/api/status/clusters").text)["clusters"]
    assert [one["name"] for one in body["active"]] == ["local"]
    assert body["pending"] == []
    assert client.get("/api/health").text == "healthy"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("x/brokers", "Unknown cluster : x"),
        ("local/x/underReplicatedPartitions", "Unknown topic : x"),
        ("local/x/KF/groupSummary", "Unknown consumer : x of type KF"),
        ("local/billing/ZK/groupSummary", "Unknown consumer : billing of type ZK"),
        ("local/billing/x/KF/topicSummary", "Unknown topic : x of consumer billing"),
    ],
)
def test_what_is_wrong_is_told_with_400(client: TestClient, path: str, message: str) -> None:
    answer = client.get(f"/api/status/{path}")
    assert (answer.status_code, answer.json()) == (400, {"msg": message})


def test_before_the_first_round_nothing_is_told() -> None:
    service = Service({"local": WatchedCluster("local")})
    answer = TestClient(make_app(service, all_routes())).get("/api/status/local/brokers")
    assert answer.status_code == 400
    assert "did not answer yet" in answer.json()["msg"]


def test_groups_that_nobody_listed_are_not_none(watched: WatchedCluster) -> None:
    watched.view = replace(watched.view, groups=None)
    client = TestClient(make_app(Service({"local": watched}), all_routes()))
    assert client.get("/api/status/local/consumersSummary").status_code == 400


def test_sizes_as_cmak_writes_them() -> None:
    found = [size_text(n) for n in (0, 999, 1000, 123_456, 10**9)]
    assert found == ["0 B", "999 B", "1.0 kB", "123.5 kB", "1.0 GB"]
