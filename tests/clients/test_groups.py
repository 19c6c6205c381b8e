"""Consumers of every library share a topic, take over from each other and go on after restarts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.wire.messages.describe_groups import DescribedGroup, DescribeGroupsRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from tests.support.clients.group_member import CONSUMER
from tests.support.clients.group_members import (
    GO,
    JAVA,
    PYTHON,
    Crew,
    Hosts,
    create,
    produce,
    values,
    wait_shared,
)
from tests.support.differential.two_brokers import Link
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
ILLEGAL_GENERATION = 22
BRIEF_MS = 6000  # the least that brokers allow
EVERY = [*PYTHON, *(pytest.param(name, marks=pytest.mark.java) for name in JAVA)]
BY_BROKER = [
    ("confluent-kafka", CONSUMER),
    *(pytest.param(name, CONSUMER, marks=pytest.mark.java) for name in JAVA),
    pytest.param(GO, CONSUMER, marks=pytest.mark.go),
]


@pytest.fixture
def strategy() -> str:
    """Who assigns, where a test does not say it."""
    return "range"


@pytest.fixture
def crew(
    request: pytest.FixtureRequest, topic: str, java_hosts: Hosts, strategy: str
) -> Iterator[Crew]:
    """The group of the test, still without members."""
    broker = request.getfixturevalue("consumer_site" if strategy == CONSUMER else "broker")
    create(broker.bootstrap, topic)
    made = Crew(broker.bootstrap, topic, java_hosts)
    yield made
    made.close()


def generation(crew: Crew) -> int:
    """The group's once nobody rejoins, found out with heartbeats."""
    link = Link(crew.bootstrap)

    def described() -> DescribedGroup:
        found: DescribedGroup = link.ask(DescribeGroupsRequest(groups=[crew.group]), 5).groups[0]
        return found

    try:
        wait_for(lambda: described().group_state == "Stable", what="a stable group")
        member = described().members[0].member_id
        for number in range(1, 100):
            beat = HeartbeatRequest(group_id=crew.group, generation_id=number, member_id=member)
            if link.ask(beat, 4).error_code != ILLEGAL_GENERATION:
                return number
    finally:
        link.close()
    raise AssertionError(f"{member} is in no generation")


@pytest.mark.parametrize(
    ("library", "strategy"),
    [
        *((library, "range") for library in PYTHON),
        *(pytest.param(library, "range", marks=pytest.mark.java) for library in JAVA),
        *BY_BROKER,
    ],
)
def test_members_share_take_over_and_go_on(crew: Crew, library: str, strategy: str) -> None:
    produce(crew.bootstrap, crew.topic, values(0))
    first = crew.join(library, strategy)
    wait_for(lambda: len(first.read) == 40, what="the first records")
    second = crew.join(library, strategy)
    wait_shared(first, second)
    produce(crew.bootstrap, crew.topic, values(40))
    crew.wait_read(80)
    first.body.leave()
    wait_shared(second)
    produce(crew.bootstrap, crew.topic, values(80))
    crew.wait_read(120)
    assert sorted(crew.read()) == sorted(values(0, 120))
    second.body.leave()
    third = crew.join(library, strategy)
    wait_shared(third)
    produce(crew.bootstrap, crew.topic, ["new"])
    wait_for(lambda: third.read, what="the new record")
    assert third.read == ["new"]


@pytest.mark.parametrize(
    ("library", "strategy"),
    [
        ("confluent-kafka", "cooperative-sticky"),
        ("kafka-python", "sticky"),
        ("kafka-python", "cooperative-sticky"),
        ("aiokafka", "sticky"),
        *(
            pytest.param(library, strategy, marks=pytest.mark.java)
            for library in JAVA
            for strategy in ("sticky", "cooperative-sticky")
        ),
        *BY_BROKER,
    ],
)
def test_strategies_that_keep_what_they_can(crew: Crew, library: str, strategy: str) -> None:
    first = crew.join(library, strategy)
    wait_shared(first)
    second = crew.join(library, strategy)
    wait_shared(first, second)
    assert len(first.assigned) == len(second.assigned) == 2
    kept, changes = set(first.assigned), first.changes
    produce(crew.bootstrap, crew.topic, values(0))
    crew.wait_read(40)
    second.body.leave()
    wait_shared(first)
    assert first.changes - changes <= 2
    assert kept < first.assigned
    assert sorted(crew.read()) == sorted(values(0))


def test_libraries_share_a_group(crew: Crew) -> None:
    wait_shared(*(crew.join(library) for library in PYTHON))


def test_a_killed_member_is_replaced_when_its_session_ends(crew: Crew) -> None:
    first, second = (crew.join("confluent-kafka", session_ms=BRIEF_MS) for _ in range(2))
    wait_shared(first, second)
    first.body.kill()
    wait_shared(second)


@pytest.mark.parametrize("library", EVERY)
def test_a_static_member_comes_back_without_a_rebalance(crew: Crew, library: str) -> None:
    one, other = crew.join(library, "range", "one"), crew.join(library, "range", "other")
    wait_shared(one, other)
    produce(crew.bootstrap, crew.topic, values(0))
    crew.wait_read(40)  # kafka-python's leader joins twice: who reads has done so
    before, changes, had = generation(crew), other.changes, set(one.assigned)
    one.body.kill()
    back = crew.join(library, "range", "one")
    wait_for(lambda: back.assigned == had, what="its old partitions")
    produce(crew.bootstrap, crew.topic, values(40))
    crew.wait_read(80)
    assert sorted(crew.read()) == sorted(values(0, 80))
    assert (generation(crew), other.changes) == (before, changes)


# aiokafka heartbeats in a version without names: both would take the name from each other for ever.
@pytest.mark.parametrize("library", [name for name in EVERY if name != "aiokafka"])
def test_a_second_instance_of_a_static_member_fences_the_first(crew: Crew, library: str) -> None:
    first = crew.join(library, "range", "one")
    wait_shared(first)
    second = crew.join(library, "range", "one")
    wait_shared(second)
    produce(crew.bootstrap, crew.topic, values(0))
    wait_for(lambda: first.fenced, what="the end of the first", about=crew.made)
    wait_for(lambda: len(second.read) == 40, what="all records")
    assert sorted(second.read) == sorted(values(0))
    assert (first.read, second.fenced) == ([], False)


def test_pko_consume_goes_on_where_its_group_ended(broker: Any, topic: str, crew: Crew) -> None:
    produce(broker.bootstrap, topic, values(0))
    words = ("consume", "--bootstrap-server", broker.bootstrap, "--topic", topic)
    group = ("--group", f"pko-{topic}", "--from-beginning", "--timeout-ms", "120000")
    said = pko(*words, *group, "--max-messages", "40")
    assert sorted(said.out.split()) == sorted(values(0)), said.err
    produce(broker.bootstrap, topic, ["new"])
    said = pko(*words, *group, "--max-messages", "1")
    assert said.out.split() == ["new"], said.err
