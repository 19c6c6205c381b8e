"""pko cluster and kafka-cluster on fake brokers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.client.config import GLANCE_SECONDS
from pykafka_ops.wire.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
)
from pykafka_ops.wire.messages.unregister_broker import UnregisterBrokerResponse
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker, Silence

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]


def members(fakes: Fakes, cluster_id: str = "abc") -> Callable[[Any], DescribeClusterResponse]:
    return lambda request: DescribeClusterResponse(
        error_code=0,
        endpoint_type=request.endpoint_type,
        cluster_id=cluster_id,
        controller_id=1,
        brokers=[
            DescribeClusterBroker(broker_id=f.node_id, host="127.0.0.1", port=f.port, rack=rack)
            for f, rack in zip(fakes, ("east", None), strict=True)
        ],
    )


def min_isr(value: str) -> Callable[[Any], DescribeConfigsResponse]:
    return lambda request: DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=0, error_message=None, resource_type=2, resource_name=r.resource_name,
                configs=[DescribeConfigsResourceResult(
                    name="min.insync.replicas", value=value, read_only=False)],
            )
            for r in request.resources
        ]
    )  # fmt: skip


def log_dirs(size: int) -> Callable[[Any], DescribeLogDirsResponse]:
    replica = DescribeLogDirsPartition(
        partition_index=0, partition_size=size, offset_lag=0, is_future_key=False
    )
    topic = DescribeLogDirsTopic(name="a", partitions=[replica])
    result = DescribeLogDirsResult(
        error_code=0, log_dir="/d", topics=[topic], total_bytes=9000, usable_bytes=4096
    )
    return lambda request: DescribeLogDirsResponse(error_code=0, results=[result])


@pytest.fixture
def cluster(fakes: Fakes) -> Fakes:
    """Topic a: partition 0 led by broker 0, 1 by 1 (not preferred), 2 by nobody."""
    for fake, size in zip(fakes, (3000, 1000), strict=True):
        fake.topics = {"a": [0, 1, -1]}
        fake.on("DescribeConfigs", min_isr("2")).on("DescribeLogDirs", log_dirs(size))
        fake.on("ListPartitionReassignments", lambda r: ListPartitionReassignmentsResponse(
            error_code=0, error_message=None, topics=[]))  # fmt: skip
    return fakes


def test_status_tells_what_is_wrong_and_how_even_it_is(cluster: Fakes, pko: Pko) -> None:
    said = pko("cluster status -o json")
    (item,) = json.loads(said.stdout)["items"]
    assert said.code == 0
    facts = item["facts"]
    assert (facts["brokers"], facts["offline"], facts["not_preferred"]) == (2, 1, 1)
    assert (facts["at_min_isr"], facts["under_replicated"]) == (3, 0)
    assert facts["bytes_skew_percent"] == 50
    assert item["partitions"]["offline"] == ["a-2"]
    assert [b["bytes"] for b in item["brokers"]] == [3000, 1000]
    assert [b["controller"] for b in item["brokers"]] == [False, True]


def test_status_for_people_names_brokers_and_troubled_partitions(cluster: Fakes, pko: Pko) -> None:
    said = pko("cluster status")
    assert "2.9 KiB" in said.stdout
    assert ["controller", "1", "-", "-"] in [line.split() for line in said.stdout.splitlines()]
    assert ["offline", "1", "bad", "a-2"] in [line.split() for line in said.stdout.splitlines()]
    assert said.stderr == ""


@pytest.mark.parametrize(
    ("condition", "code"),
    [("offline>0", 4), ("under_replicated>0|brokers<2", 0), ("offline>0&brokers<2", 0)],
)
def test_a_condition_that_holds_fails_the_command(
    cluster: Fakes, pko: Pko, condition: str, code: int
) -> None:
    assert pko("cluster status -o csv --fail-on", condition).code == code


def test_a_wrong_condition_is_a_usage_error(cluster: Fakes, pko: Pko) -> None:
    said = pko("cluster status --fail-on", "nope>0")
    assert (said.code, "there is no field nope" in said.stderr) == (2, True)


def test_watching_ends_when_the_condition_holds(cluster: Fakes, pko: Pko) -> None:
    assert pko("cluster status --watch 10ms -o json --fail-on", "offline>0").code == 4


def test_a_silent_broker_is_told_beside_the_rest(cluster: Fakes, pko: Pko) -> None:
    cluster[1].on("ApiVersions", lambda request: Silence())
    said = pko("cluster status -o json")
    document = json.loads(said.stdout)
    (item,) = document["items"]
    assert said.code == 1
    assert item["facts"]["brokers_silent"] == 1
    assert item["facts"]["bytes_skew_percent"] is None
    assert [b["state"] for b in item["brokers"]] == ["up", "silent"]
    assert "broker 1" in [e["item"] for e in document["errors"]]


def test_what_may_not_be_seen_of_many_topics_is_one_error(cluster: Fakes, pko: Pko) -> None:
    for fake in cluster:
        fake.topics["b"] = fake.topics["c"] = [0]
        fake.on("DescribeConfigs", refused)
    said = pko("cluster status -o json --fail-on", "under_min_isr>=0")
    document = json.loads(said.stdout)
    assert said.code == 4  # what is not known meets the condition
    assert document["items"][0]["facts"]["under_min_isr"] is None
    assert [(e["item"], e["error"]) for e in document["errors"]] == [
        ("settings of a and 2 more topics", "TOPIC_AUTHORIZATION_FAILED")
    ]


def refused(request: Any) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=29, error_message=None, resource_type=2,
                resource_name=r.resource_name, configs=[],
            )
            for r in request.resources
        ]
    )  # fmt: skip


# --- members


def test_brokers_that_wait_for_zookeeper_do_not_hold_up_the_glance(
    cluster: Fakes,
) -> None:
    for fake in cluster:
        fake.on("DescribeConfigs", lambda request: Silence())
    usual = ("-X", "default.api.timeout.ms=600000")
    said = run("cluster", "status", "-o", "json", "-b", cluster[0].bootstrap, *usual)
    document = json.loads(said.stdout)
    assert document["items"][0]["facts"]["under_min_isr"] is None
    (error,) = document["errors"]
    within = f"within {GLANCE_SECONDS:g} s"
    assert f"no answer to DescribeConfigsRequest {within}" in error["message"]


def test_id_and_brokers(fakes: Fakes, pko: Pko) -> None:
    fakes[0].on("DescribeCluster", members(fakes))
    assert pko("cluster id -o name").stdout == "abc\n"
    items = json.loads(pko("cluster brokers -o json").stdout)["items"]
    assert [(i["id"], i["rack"], i["controller"]) for i in items] == [
        (0, "east", False), (1, None, True),
    ]  # fmt: skip


def test_old_brokers_are_asked_for_metadata(fakes: Fakes, pko: Pko) -> None:
    for fake in fakes:
        del fake.ranges[60]
    assert pko("cluster id -o name").stdout == "fake\n"


def test_kafka_cluster_prints_the_id_and_the_endpoints(fakes: Fakes) -> None:
    fakes[0].on("DescribeCluster", members(fakes))
    server = ("--bootstrap-server", fakes[0].bootstrap)
    assert run("kafka-cluster", "cluster-id", *server).stdout == "Cluster ID: abc\n"
    lines = run("kafka-cluster", "list-endpoints", "-b", fakes[0].bootstrap).stdout.splitlines()
    assert lines[0].split() == ["ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE"]
    assert lines[1].split() == ["0", "127.0.0.1", str(fakes[0].port), "east", "unfenced", "broker"]


def test_controllers_are_asked_for_controllers(fakes: Fakes) -> None:
    fakes[0].on("DescribeCluster", members(fakes))
    said = run("kafka-cluster", "list-endpoints", "-C", fakes[0].bootstrap)
    assert said.stdout.splitlines()[1].split()[-1] == "controller"
    ((_, request),) = fakes[0].asked("DescribeCluster")
    assert request.endpoint_type == 2


def test_unregister_says_where_it_cannot_be(fakes: Fakes, pko: Pko) -> None:
    for fake in fakes:
        del fake.ranges[64]
    text = "The target cluster does not support the broker unregistration API."
    said = run("kafka-cluster", "unregister", "-b", fakes[0].bootstrap, "--id", "3")
    assert (said.stdout, said.code) == (f"{text}\n", 0)
    said = pko("cluster unregister 3 --yes")
    assert (said.stdout, said.code) == ("", 1)
    assert text in said.stderr


def test_unregister_forgets_a_broker(fakes: Fakes) -> None:
    fakes[1].on(
        "UnregisterBroker", lambda r: UnregisterBrokerResponse(error_code=0, error_message=None)
    )
    said = run("kafka-cluster", "unregister", "-b", fakes[0].bootstrap, "-i", "3")
    assert (said.stdout, said.code) == ("Broker 3 is no longer registered.\n", 0)


USAGE = """\
usage: kafka-cluster cluster-id [-h] [--config CONFIG]
                     (--bootstrap-server BOOTSTRAP_SERVER |
                     --bootstrap-controller BOOTSTRAP_CONTROLLER)
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "too few arguments"),
        ("bogus", "invalid choice: 'bogus' (choose from 'cluster-id', 'unregister')"),
        (
            "cluster-id",
            "one of the arguments --bootstrap-server/-b --bootstrap-controller/-C is required",
        ),
        ("cluster-id --nope", "unrecognized arguments: '--nope'"),
        ("cluster-id -b", "argument --bootstrap-server/-b: expected one argument"),
        (
            "cluster-id -b x:1 -C y:1",
            "argument --bootstrap-controller/-C: not allowed with argument --bootstrap-server/-b",
        ),
        ("unregister -b x:1", "argument --id/-i is required"),
        (
            "unregister -b x:1 -i z",
            "argument --id/-i: could not convert 'z' to Integer (For input string: \"z\")",
        ),
    ],
)
def test_wrong_options_are_told_in_kafkas_words(words: str, message: str) -> None:
    said = run("kafka-cluster", *words.split())
    usage, _, complaint = said.stderr.rpartition("kafka-cluster: error: ")
    assert (said.stdout, said.code, complaint) == ("", 1, f"{message}\n")
    assert usage.startswith("usage: kafka-cluster")
    assert not words.startswith("cluster-id") or usage == USAGE
