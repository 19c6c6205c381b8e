import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from pykafka_ops.wire.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from pykafka_ops.wire.messages.describe_configs import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from pykafka_ops.wire.messages.metadata import MetadataResponse
from pykafka_ops.wire.messages.partition_reassignments import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Pko = Callable[..., Said]


def settings(request: Any) -> DescribeConfigsResponse:
    """min.insync.replicas 2 by default, retention.ms set by the topic."""
    entries = [
        DescribeConfigsResourceResult(name="retention.ms", value="9", config_source=1),
        DescribeConfigsResourceResult(name="min.insync.replicas", value="2", config_source=5),
    ]
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                resource_type=r.resource_type, resource_name=r.resource_name, configs=entries
            )
            for r in request.resources
        ]
    )


def moving(request: Any) -> ListPartitionReassignmentsResponse:
    """orders-1 moves from broker 0 to broker 1."""
    move = OngoingPartitionReassignment(
        partition_index=1, replicas=[0, 1], adding_replicas=[1], removing_replicas=[0]
    )
    topic = OngoingTopicReassignment(name="orders", partitions=[move])
    return ListPartitionReassignmentsResponse(topics=[topic])


@pytest.fixture
def cluster(fakes: Fakes) -> FakeBroker:
    """orders: partition 0 whole, 1 moving, 2 without leader, one in sync; the controller is 1."""
    for fake in fakes:
        fake.topics = {"orders": [0, 1, -1], "__consumer_offsets": [0]}
        fake.on("DescribeConfigs", settings).on("ListPartitionReassignments", moving)
        whole = fake.metadata

        def answer(request: Any, whole: Any = whole) -> MetadataResponse:
            response: MetadataResponse = whole(request)
            for topic in response.topics:
                if topic.name == "orders":
                    topic.partitions[2].isr_nodes = [0]
            return response

        fake.on("Metadata", answer)
    return fakes[1]


# --- reading


def test_describe_in_kafkas_tongue_is_kafkas_text(cluster: FakeBroker, pko: Pko) -> None:
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


def test_check_exits_4_and_names_the_trouble(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics check -o json")
    assert said.code == 4
    (row,) = json.loads(said.stdout)["items"]
    assert (row["partition"], row["problems"]) == (
        2,
        ["under-replicated", "unavailable", "under-min-isr"],
    )
    (_, asked) = cluster.peers[0].asked("DescribeConfigs")[0]
    assert asked.resources[0].configuration_keys == ["min.insync.replicas"]


def test_check_of_healthy_topics_is_0_and_says_so(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics check __consumer_offsets")
    assert (said.code, said.stdout) == (0, "")
    assert said.stderr == "1 topic, no partition in trouble\n"


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


def test_a_topic_that_is_nearly_there_is_named(cluster: FakeBroker, pko: Pko) -> None:
    for verb in ("list", "describe", "check", "alter -p 5", "delete --yes"):
        said = pko(f"topics {verb} ordrs")
        assert said.code == 1
        assert (
            "pko: ordrs: there is no topic ordrs (did you mean orders?) [UNKNOWN_TOPIC"
            in said.stderr
        )
    assert "did you mean" not in pko("kafka-topics --describe --topic ordrs").stdout


def test_one_word_may_hold_several_topics(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("topics list orders,__consumer_offsets -o name")
    assert said.stdout == "__consumer_offsets\norders\n"
    assert pko("topics list --topic orders --topic __consumer_offsets -o name") == said


def test_a_topic_by_its_id(cluster: FakeBroker, pko: Pko) -> None:
    said = pko("kafka-topics --describe --topic-id b3JkZXJzLi4uLi4uLi4uLg --topic other")
    assert said.stdout.startswith("Topic: orders\t")
    said = pko("kafka-topics --describe --topic-id AAAAAAAAAAAAAAAAAAAAAQ")
    assert "TopicId 'AAAAAAAAAAAAAAAAAAAAAQ' does not exist as expected" in said.stdout


def test_list_shows_health_where_there_is_something_to_show(cluster: FakeBroker, pko: Pko) -> None:
    lines = pko("topics list --exclude-internal").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["TOPIC", "PARTITIONS", "REPLICAS", "UNDER-REPLICATED", "OFFLINE"],
        ["orders", "3", "2", "1", "1"],
    ]
    assert pko("topics list -e ord.* -o name").stdout == "orders\n"


# --- writing


def made(request: Any) -> CreateTopicsResponse:
    """Creates all but ``taken``."""
    results = []
    for t in request.topics:
        code = 36 if t.name == "taken" else 0
        text = f"Topic '{t.name}' already exists." if code else None
        results.append(
            CreatableTopicResult(
                name=t.name, error_code=code, error_message=text, num_partitions=3,
                replication_factor=2, topic_id=b"x" * 16,
            )
        )  # fmt: skip
    return CreateTopicsResponse(topics=results)


def test_several_topics_are_created_alike_and_fail_alone(cluster: FakeBroker, pko: Pko) -> None:
    cluster.on("CreateTopics", made)
    said = pko("topics create a taken b -p 3 -r 2 -c retention.ms=5 -o json")
    assert said.code == 1
    document = json.loads(said.stdout)
    assert [i["topic"] for i in document["items"]] == ["a", "b"]
    assert document["errors"][0]["error"] == "TOPIC_ALREADY_EXISTS"
    ((_, request),) = cluster.asked("CreateTopics")
    topic = request.topics[0]
    assert (topic.num_partitions, topic.replication_factor) == (3, 2)
    assert [(c.name, c.value) for c in topic.configs] == [("retention.ms", "5")]
    assert pko("topics create taken --if-not-exists").code == 0


def test_a_setting_that_no_broker_knows_is_compared_with_those_there_are(
    cluster: FakeBroker, pko: Pko
) -> None:
    text = "Unknown topic config name: retention.mss"
    refused = CreatableTopicResult(name="a", error_code=40, error_message=text)
    cluster.on("CreateTopics", lambda r: CreateTopicsResponse(topics=[refused]))
    said = pko("topics create a -c retention.mss=5")
    assert said.stderr == f"pko: a: {text} (did you mean retention.ms?) [INVALID_CONFIG]\n"


def test_a_dry_run_is_checked_by_the_brokers(cluster: FakeBroker, pko: Pko) -> None:
    cluster.on("CreateTopics", made)
    said = pko("topics create a --dry-run")
    assert said.stderr == "dry run: nothing was created\n"
    assert cluster.asked("CreateTopics")[0][1].validate_only


def test_one_topic_in_kafkas_tongue(cluster: FakeBroker, pko: Pko) -> None:
    cluster.on("CreateTopics", made)
    assert pko("kafka-topics --create --topic a --replica-assignment 0:1,1:0").stdout == (
        "Created topic a.\n"
    )
    topic = cluster.asked("CreateTopics")[0][1].topics[0]
    assert [(a.partition_index, a.broker_ids) for a in topic.assignments] == [
        (0, [0, 1]),
        (1, [1, 0]),
    ]
    assert (topic.num_partitions, topic.replication_factor) == (-1, -1)
    document = json.loads(pko("kafka-topics --create --topic b_c --output json").stdout)
    assert document["items"][0]["topic"] == "b_c"
    said = pko("kafka-topics --create --topic taken")
    assert (said.code, said.stdout) == (
        1,
        "Error while executing topic command : Topic 'taken' already exists.\n",
    )
    assert pko("kafka-topics --create --topic taken --if-not-exists").stdout == ""


def test_partitions_and_an_assignment_do_not_go_together(cluster: FakeBroker, pko: Pko) -> None:
    assert pko("topics create a -p 3 --replica-assignment 0").code == 2


def test_topics_grow_and_change_their_settings(cluster: FakeBroker, pko: Pko) -> None:
    def grown(request: Any) -> CreatePartitionsResponse:
        results = [CreatePartitionsTopicResult(name=t.name) for t in request.topics]
        return CreatePartitionsResponse(results=results)

    def altered(request: Any) -> IncrementalAlterConfigsResponse:
        responses = [
            AlterConfigsResourceResponse(
                resource_type=r.resource_type, resource_name=r.resource_name
            )
            for r in request.resources
        ]
        return IncrementalAlterConfigsResponse(responses=responses)

    for fake in cluster.peers:
        fake.on("CreatePartitions", grown).on("IncrementalAlterConfigs", altered)
    said = pko("topics alter orders -p 5 -c a=1 --delete-config b")
    assert (said.code, said.stdout) == (0, "ALTERED\norders\n")
    assert cluster.asked("CreatePartitions")[0][1].topics[0].count == 5
    asked = [r for f in cluster.peers for _, r in f.asked("IncrementalAlterConfigs")]
    assert [(c.name, c.config_operation, c.value) for c in asked[0].resources[0].configs] == [
        ("a", 0, "1"),
        ("b", 1, None),
    ]
    assert pko("kafka-topics --alter --topic orders --partitions 6").stdout == ""
    assert pko("topics alter orders").code == 2


def test_an_assignment_for_growth_names_the_new_partitions_only(
    cluster: FakeBroker, pko: Pko
) -> None:
    cluster.on("CreatePartitions", lambda r: CreatePartitionsResponse())
    pko("kafka-topics --alter --topic orders --partitions 5 --replica-assignment 0,0,0,1,0")
    topic = cluster.asked("CreatePartitions")[0][1].topics[0]
    assert [a.broker_ids for a in topic.assignments] == [[1], [0]]


def test_topics_are_deleted_after_yes(cluster: FakeBroker, pko: Pko) -> None:
    def deleted(request: Any) -> DeleteTopicsResponse:
        names = [t.name for t in request.topics]
        return DeleteTopicsResponse(responses=[DeletableTopicResult(name=n) for n in names])

    cluster.on("DeleteTopics", deleted)
    assert pko("topics delete orders --dry-run").stdout == "DELETED\norders\n"
    assert cluster.asked("DeleteTopics") == []
    assert pko("topics delete orders -y").stdout == "DELETED\norders\n"
    assert pko("kafka-topics --delete --topic orders").stdout == ""
    assert [t.name for t in cluster.asked("DeleteTopics")[1][1].topics] == ["orders"]


def test_a_refusal_in_kafkas_tongue_is_on_stdout(cluster: FakeBroker, pko: Pko) -> None:
    refused = DeletableTopicResult(name="orders", error_code=73)
    cluster.on("DeleteTopics", lambda r: DeleteTopicsResponse(responses=[refused]))
    said = pko("kafka-topics --delete --topic orders")
    assert (said.code, said.stdout) == (
        1,
        "Error while executing topic command : Topic deletion is disabled.\n",
    )
