import json
from collections.abc import Callable

import pytest

from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker, HangUp

Fakes = tuple[FakeBroker, FakeBroker]
Pko = Callable[..., Said]


def topic(name: str, *sizes: int) -> DescribeLogDirsTopic:
    parts = [
        DescribeLogDirsPartition(partition_index=i, partition_size=size, offset_lag=i)
        for i, size in enumerate(sizes)
    ]
    return DescribeLogDirsTopic(name=name, partitions=parts)


@pytest.fixture
def disks(fakes: Fakes) -> Fakes:
    """Broker 0: /a with both topics, /b failed; broker 1: /a with one, too old for sizes."""
    first = DescribeLogDirsResult(
        log_dir="/a", topics=[topic("orders", 100, 2048), topic("users", 5)],
        total_bytes=10_000, usable_bytes=7_000,
    )  # fmt: skip
    failed = DescribeLogDirsResult(log_dir="/b", error_code=56)
    fakes[0].on("DescribeLogDirs", lambda r: DescribeLogDirsResponse(results=[first, failed]))
    second = DescribeLogDirsResult(log_dir="/a", topics=[topic("orders", 100)])
    fakes[1].on("DescribeLogDirs", lambda r: DescribeLogDirsResponse(results=[second]))
    return fakes


def rows(said: Said) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(said.stdout)["items"]
    return found


def test_kafkas_text_is_two_lines_and_json(disks: Fakes, pko: Pko) -> None:
    said = pko("kafka-log-dirs --describe --topic-list users")
    lines = said.stdout.splitlines()
    assert said.code == 0
    assert lines[0] == "Querying brokers for log directories information"
    assert lines[1] == "Received log directory information from brokers 0,1"
    assert lines[2] == (
        '{"brokers":[{"broker":0,"logDirs":[{"partitions":[{"partition":"users-0","size":5,'
        '"offsetLag":0,"isFuture":false}],"error":null,"logDir":"/a"},{"partitions":[],'
        '"error":"org.apache.kafka.common.errors.KafkaStorageException","logDir":"/b"}]},'
        '{"broker":1,"logDirs":[{"partitions":[],"error":null,"logDir":"/a"}]}],"version":1}'
    )


def test_directories_by_default_and_a_failed_one_makes_the_exit_code(
    disks: Fakes, pko: Pko
) -> None:
    said = pko("log-dirs describe -o json")
    assert said.code == 1
    assert [(r["broker"], r["dir"], r["bytes"], r["usable_bytes"]) for r in rows(said)] == [
        (0, "/a", 2153, 7000),
        (0, "/b", 0, None),
        (1, "/a", 100, None),
    ]


def test_sums_by_topic_partition_broker_and_replica(disks: Fakes, pko: Pko) -> None:
    by_topic = rows(pko("log-dirs describe --by topic -o json -s"))
    assert [(r["topic"], r["partitions"], r["replicas"], r["bytes"]) for r in by_topic] == [
        ("orders", 2, 3, 2248),
        ("users", 1, 1, 5),
    ]
    by_partition = rows(pko("log-dirs describe orders --by partition -o json"))
    assert [(r["partition"], r["bytes"], r["largest_bytes"]) for r in by_partition] == [
        (0, 200, 100),
        (1, 2048, 2048),
    ]
    by_broker = rows(pko("log-dirs describe --by broker -o json"))
    assert [(r["broker"], r["dirs"], r["bytes"]) for r in by_broker] == [(0, 2, 2153), (1, 1, 100)]
    by_replica = rows(pko("log-dirs describe --by replica -o json --broker-list 1"))
    assert [(r["topic"], r["broker"], r["dir"]) for r in by_replica] == [("orders", 1, "/a")]


def test_sizes_for_people(disks: Fakes, pko: Pko) -> None:
    text = pko("log-dirs describe --by partition -H orders").stdout
    assert "2.0 KiB" in text
    assert "200 B" in text


def test_an_unknown_broker_is_refused_as_kafka_does(disks: Fakes, pko: Pko) -> None:
    said = pko("kafka-log-dirs --describe --broker-list 0,9")
    assert (said.code, said.stderr) == (
        1,
        "ERROR: The given brokers do not exist from --broker-list: 9. "
        "Current existent brokers: 0,1\n",
    )


def test_an_unknown_broker_is_refused_in_our_words(disks: Fakes, pko: Pko) -> None:
    for words, text in (
        ("--broker 0,9", "pko: there is no broker 9; brokers are 0, 1\n"),
        ("--broker-list 9 --broker 0", "pko: there is no broker 9; brokers are 0, 1\n"),
        ("--broker x", "pko: x: brokers are named by their number\n"),
    ):
        said = pko(f"log-dirs describe {words}")
        assert (said.code, said.stderr) == (2 if "x" in words else 1, text)


def test_a_topic_that_is_nearly_there_is_named(disks: Fakes, pko: Pko) -> None:
    said = pko("log-dirs describe ordrs,users --by partition -o json")
    assert (said.code, [r["topic"] for r in rows(said)]) == (1, ["users"])
    assert "pko: ordrs: there is no topic ordrs (did you mean orders?)" in said.stderr


def test_kafkas_options_have_kafkas_names(disks: Fakes, pko: Pko) -> None:
    tool = f"kafka-log-dirs --bootstrap-server {disks[0].bootstrap} --describe"
    assert pko(f"{tool} --topic-list users,orders --broker-list 0").code == 0
    assert pko(f"{tool} --topic users").stderr == "topic is not a recognized option\n"
    assert "option broker-list, but you asked for only one" in (
        pko(f"{tool} --broker-list 0 --broker-list 1").stderr
    )


def test_a_broker_that_does_not_answer_leaves_the_others(disks: Fakes, pko: Pko) -> None:
    disks[1].on("DescribeLogDirs", lambda r: HangUp())
    said = pko("log-dirs describe --by broker -o json", "-X", "retries=0")
    assert said.code == 1
    assert [r["broker"] for r in rows(said)] == [0]
    assert "pko: broker 1:" in said.stderr
