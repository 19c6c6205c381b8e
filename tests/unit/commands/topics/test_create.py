import json
from collections.abc import Callable
from typing import Any

from pykafka_ops.wire.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


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


def test_one_topic_in_kafkas_form(cluster: FakeBroker, pko: Pko) -> None:
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
