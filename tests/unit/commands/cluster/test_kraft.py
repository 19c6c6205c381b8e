"""``pko cluster`` in KRaft: the controller is the leader of the quorum, whoever brokers name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_cluster as dc
from pykafka_ops.wire.messages import describe_topic_partitions as dtp
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker, HangUp
from tests.unit.commands.cluster.test_cluster import cluster as cluster  # a fixture

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]


def members(fakes: Fakes, fenced: int) -> Callable[[Any], dc.DescribeClusterResponse]:
    """Broker 1 is named as the controller; one more is fenced."""
    found = [
        dc.DescribeClusterBroker(broker_id=f.node_id, host="127.0.0.1", port=f.port) for f in fakes
    ]
    gone = dc.DescribeClusterBroker(broker_id=fenced, host="127.0.0.1", port=1, is_fenced=True)
    return lambda request: dc.DescribeClusterResponse(
        cluster_id="abc", controller_id=1,
        brokers=[*found, gone] if request.include_fenced_brokers else found,
    )  # fmt: skip


def page(request: Any) -> dtp.DescribeTopicPartitionsResponse:
    """Of topic a: partition 0 on the first page, 2 on the second."""
    number = 0 if request.cursor is None else 2
    partition = dtp.DescribeTopicPartitionsResponsePartition(
        partition_index=number, eligible_leader_replicas=[0] if number else None,
        last_known_elr=[] if number else [1],
    )  # fmt: skip
    topic = dtp.DescribeTopicPartitionsResponseTopic(name="a", partitions=[partition])
    after = None if number else dtp.Cursor(topic_name="a", partition_index=2)
    return dtp.DescribeTopicPartitionsResponse(topics=[topic], next_cursor=after)


@pytest.fixture
def kraft(cluster: Fakes) -> Fakes:
    for fake in cluster:
        fake.in_kraft(leader=0).on("DescribeCluster", members(cluster, fenced=7))
        fake.on("DescribeTopicPartitions", page)
    return cluster


def status(pko: Pko) -> tuple[int | None, dict[str, Any], list[str]]:
    """Exit code, the one item, what went wrong."""
    said = pko("cluster status -o json")
    document = json.loads(said.stdout)
    return said.code, document["items"][0], [e["item"] for e in document["errors"]]


def test_the_controller_is_the_leader_of_the_quorum(kraft: Fakes, pko: Pko) -> None:
    code, item, errors = status(pko)
    assert (code, item["controller"], item["facts"]["no_controller"], errors) == (0, 0, 0, [])
    assert [b["controller"] for b in item["brokers"]] == [True, False]
    items = json.loads(pko("cluster brokers -o json").stdout)["items"]
    assert [i["controller"] for i in items] == [True, False]


def test_fenced_brokers_are_counted_and_named(kraft: Fakes, pko: Pko) -> None:
    _, item, _ = status(pko)
    assert (item["facts"]["brokers_fenced"], item["fenced"]) == (1, [7])
    lines = [line.split() for line in pko("cluster status").stdout.splitlines()]
    assert ["brokers_fenced", "1", "bad", "7"] in lines


def test_who_may_lead_is_read_page_by_page_of_topics_with_too_few_in_sync(
    kraft: Fakes, pko: Pko
) -> None:
    _, item, _ = status(pko)
    assert (item["facts"]["elr"], item["facts"]["last_known_elr"]) == (1, 1)
    assert item["partitions"]["elr"] == ["a-2 (0)"]
    assert item["partitions"]["last_known_elr"] == ["a-0 (1)"]
    pages = [r for f in kraft for _, r in f.asked("DescribeTopicPartitions")]
    assert [[t.name for t in r.topics] for r in pages] == [["a"], ["a"]]


def test_topics_with_enough_in_sync_are_not_asked_for(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.topics = {"b": [0, 1]}
    _, item, _ = status(pko)
    assert item["facts"]["elr"] == 0
    assert not [r for f in kraft for r in f.asked("DescribeTopicPartitions")]


def test_a_quorum_without_a_leader_is_a_fact_and_exit_code_4(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.in_kraft(leader=-1)
    code, item, _ = status(pko)
    assert (code, item["controller"], item["facts"]["no_controller"]) == (4, None, 1)


def test_a_quorum_that_nobody_answers_for_is_lost(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.on("DescribeQuorum", lambda request: HangUp())
    code, item, errors = status(pko)
    assert (code, item["facts"]["no_controller"]) == (4, 1)
    assert "quorum of controllers" in errors


def test_a_quorum_that_one_may_not_see_is_unknown_and_no_pass(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.in_kraft(leader=0, code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    code, item, errors = status(pko)
    assert (code, item["controller"], item["facts"]["no_controller"]) == (4, None, None)
    assert errors == ["quorum of controllers"]
    failing = pko("cluster status -o json --fail-on", "no_controller>5")
    assert "no_controller" in failing.stderr
