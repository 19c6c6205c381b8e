import json
from collections.abc import Callable

import pytest

from pykafka_ops.commands.api_versions.versions import release
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Pko = Callable[..., Said]


def test_kafkas_text_names_what_is_usable_and_what_is_not(fakes: Fakes, pko: Pko) -> None:
    for fake in fakes:
        fake.ranges = {0: (3, 13), 3: (0, 12), 18: (0, 3), 45: (0, 0), 11: (20, 21), 99: (1, 2)}
        fake.ranges |= {55: (0, 2), 76: (0, 1), 78: (0, 0)}  # as brokers of Kafka 4 have
    bootstrap = fakes[0].bootstrap
    text = pko(f"kafka-broker-api-versions --bootstrap-server {bootstrap}").stdout
    assert text.startswith(f"{bootstrap} (id: 0 rack: null) -> (\n\tProduce(0): 3 to 13 [usable: ")
    assert "\tAlterPartitionReassignments(45): 0 [usable: 0],\n" in text
    assert "\tJoinGroup(11): 20 to 21 [unusable: node too new],\n" in text
    assert "\tFetch(1): UNSUPPORTED,\n" in text
    assert "\tDescribeQuorum(55): 0 to 2 [usable: 2],\n" in text
    assert "\tShareGroupHeartbeat(76): 0 to 1 [usable: 1],\n" in text
    assert "\tShareFetch(78): 0 [unusable: node too old],\n" in text
    assert "\tUNKNOWN(99): 1 to 2\n)\n" in text


def test_kafkas_text_is_that_of_its_tool_of_kafka_4_where_a_broker_is(
    fakes: Fakes, pko: Pko
) -> None:
    for fake in fakes:
        fake.ranges = {1: (4, 18), 3: (0, 13), 18: (0, 4), 62: (0, 4), 150: (0, 1)}
    bootstrap = fakes[0].bootstrap
    text = pko(f"kafka-broker-api-versions --bootstrap-server {bootstrap}").stdout
    assert text.startswith(f"{bootstrap} (id: 0 rack: null isFenced: false) -> (\n\tProduce(0): ")
    assert "\tStreamsGroupDescribe(89): UNSUPPORTED,\n" in text
    assert "\tBrokerRegistration(62): 0 to 4 " in text
    assert "\tUNKNOWN(150): 0 to 1\n" in text
    for name in ("LeaderAndIsr", "\tVote(", "AlterPartition(", "UpdateRaftVoter"):
        assert name not in text


def test_rows_tell_the_release_and_differences(fakes: Fakes, pko: Pko) -> None:
    fakes[1].ranges[1] = (0, 15)
    said = pko("api-versions --diff -o json")
    assert [(r["broker"], r["api"], r["max"]) for r in json.loads(said.stdout)["items"]] == [
        (0, "Fetch", 17),
        (1, "Fetch", 15),
    ]
    assert said.stderr == "broker 0: Kafka about 3.9\nbroker 1: Kafka about 3.5\n"


@pytest.mark.parametrize(
    ("ranges", "name"),
    [
        ({2: (1, 10), 1: (4, 17)}, "4.0 or newer"),
        ({1: (0, 17), 2: (0, 9)}, "about 3.9"),
        ({1: (0, 11), 45: (0, 0)}, "about 2.4"),
        ({}, "older than 2.1"),
    ],
)
def test_a_release_is_told_by_what_came_with_it(
    ranges: dict[int, tuple[int, int]], name: str
) -> None:
    assert release(ranges) == name
