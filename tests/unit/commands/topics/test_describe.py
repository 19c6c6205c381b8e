import json
from collections.abc import Callable

import pytest

from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
)
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


def test_describe_in_kafkas_form_is_kafkas_text(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("kafka-topics --describe --topic orders")
    assert said.stdout == (
        "Topic: orders\tTopicId: b3JkZXJzLi4uLi4uLi4uLg\tPartitionCount: 3\t"
        "ReplicationFactor: 2\tConfigs: retention.ms=9\n"
        "\tTopic: orders\tPartition: 0\tLeader: 0\tReplicas: 0,1\tIsr: 0,1\t"
        "Elr: N/A\tLastKnownElr: N/A\n"
        "\tTopic: orders\tPartition: 1\tLeader: 1\tReplicas: 0,1\tIsr: 0,1\t"
        "Adding Replicas: 1\tRemoving Replicas: 0\tElr: N/A\tLastKnownElr: N/A\n"
        "\tTopic: orders\tPartition: 2\tLeader: none\tReplicas: 0,1\tIsr: 0\t"
        "Elr: N/A\tLastKnownElr: N/A\n"
    )


@pytest.mark.parametrize(
    ("report", "partitions"),
    [
        ("under-replicated-partitions", [2]),
        ("unavailable-partitions", [2]),
        ("under-min-isr-partitions", [2]),
        ("at-min-isr-partitions", [0, 1]),
    ],
)
def test_reports_show_only_the_partitions_they_mean(
    cluster: FakeBroker, pko: Pko, report: str, partitions: list[int]
) -> None:
    said = pko(f"kafka-topics --describe --topic orders --{report}")
    shown = [int(line.split("\t")[2].split()[1]) for line in said.stdout.splitlines()]
    assert shown == partitions
    document = json.loads(pko(f"topics describe orders --{report} -o json").stdout)
    (item,) = document["items"]
    assert [p["partition"] for p in item["partitions"]] == partitions
    assert item["configs"] == {"retention.ms": "9"}


def test_describe_for_people_has_two_grids(cluster: FakeBroker, pko: Pko) -> None:
    lines = pko("topics describe orders").stdout.splitlines()
    assert lines[0].split() == [
        "TOPIC", "PARTITIONS", "REPLICAS", "MIN-ISR", "ID", "CONFIGS"
    ]  # fmt: skip
    assert lines[1].split()[-1] == "retention.ms=9"
    assert lines[2] == ""
    assert "ADDING" in lines[3]
    assert "PROBLEMS" in lines[3]


def test_a_cluster_that_hides_its_moves_is_described_all_the_same(
    cluster: FakeBroker, pko: Pko
) -> None:
    refused = ListPartitionReassignmentsResponse(error_code=31)
    cluster.on("ListPartitionReassignments", lambda r: refused)
    assert "Adding" not in pko("kafka-topics --describe --topic orders").stdout
    for fake in cluster.peers:
        del fake.ranges[46]
    assert pko("kafka-topics --describe --topic orders").code == 0


def test_a_topic_that_is_not_there(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics describe orders nope")
    assert said.code == 1
    assert "pko: nope: there is no topic nope [UNKNOWN_TOPIC_OR_PARTITION]" in said.stderr
    assert "orders" in said.stdout
    said = pko("topics describe nope --if-exists")
    assert (said.code, said.stdout, said.stderr) == (0, "", "")
    said = pko("kafka-topics --describe --topic nope")
    assert said.stdout == (
        "Error while executing topic command : Topic 'Optional[nope]' does not exist as expected\n"
    )


def test_a_topic_by_its_id(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("kafka-topics --describe --topic-id b3JkZXJzLi4uLi4uLi4uLg --topic other")
    assert said.stdout.startswith("Topic: orders\t")
    said = pko("kafka-topics --describe --topic-id AAAAAAAAAAAAAAAAAAAAAQ")
    assert "TopicId 'AAAAAAAAAAAAAAAAAAAAAQ' does not exist as expected" in said.stdout
