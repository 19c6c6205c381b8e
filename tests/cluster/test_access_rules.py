"""Access rules in a cluster of Apache Kafka's broker and ours: one that is added on either holds on
both, and outlives kill -9."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.security.acls.rules import PatternType
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.metadata import MetadataRequest
from tests.support.cluster import guest_rules
from tests.support.cluster.guest_rules import GUEST, REFUSED, allow_again, forbid, produce
from tests.support.differential.rights import SETTINGS
from tests.support.differential.two_brokers import Link
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

OURS, THEIRS = 1, 0


class Mixed:
    """Broker 0 is Apache's and controller, broker 1 ours."""

    def __init__(self, directory: Path) -> None:
        self.zookeeper = ZooKeeper(directory / "zookeeper")
        settings = {**SETTINGS, "zookeeper.connect": f"{self.zookeeper.connect}/kafka"}
        theirs = ApacheBroker(directory / "broker-0", self.zookeeper, settings, heap="256M")
        ours = BrokerProcess(directory / "broker-1", {**settings, "broker.id": OURS})
        ours.port = free_port()
        self.brokers: tuple[Any, Any] = (theirs, ours)

    def start(self) -> Mixed:
        self.zookeeper.start()
        for broker in self.brokers:
            broker.start()
        wait_for(lambda: len(self.ask(THEIRS, MetadataRequest(topics=[]), 9).brokers) == 2)
        return self

    def close(self) -> None:
        for broker in (*self.brokers, self.zookeeper):
            broker.close()

    def ask(self, broker: int, request: Any, version: int) -> Any:
        return guest_rules.ask(self.brokers[broker].bootstrap, request, version)

    def guest_code(self, broker: int, topic: str) -> int:
        """What a guest hears who wants to know about a topic."""
        return guest_rules.guest_code(self.brokers[broker].bootstrap, topic)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    made = Mixed(tmp_path_factory.mktemp("rules"))
    try:
        yield made.start()
    finally:
        made.close()


@pytest.mark.parametrize("adds", [OURS, THEIRS])
@pytest.mark.parametrize("pattern", [PatternType.LITERAL, PatternType.PREFIXED])
def test_a_rule_added_on_one_broker_holds_on_the_other_until_it_is_deleted_there(
    mixed: Mixed, adds: int, pattern: PatternType
) -> None:
    topic, other = f"t{adds}{pattern}", 1 - adds
    answer = mixed.ask(adds, forbid(topic, pattern), 3)
    assert answer.results[0].error_code == 0
    assert mixed.guest_code(adds, topic) == REFUSED, "at once where it was added"
    wait_for(lambda: mixed.guest_code(other, topic) == REFUSED, what="the rule on the other broker")
    mixed.ask(other, allow_again(topic), 3)
    assert mixed.guest_code(other, topic) != REFUSED
    wait_for(lambda: mixed.guest_code(adds, topic) != REFUSED, what="its end on the first")


def test_rules_hold_after_kill_9(mixed: Mixed) -> None:
    mixed.ask(OURS, forbid("kept"), 3)
    ours = mixed.brokers[OURS]
    ours.kill()
    ours.start()
    assert mixed.guest_code(OURS, "kept") == REFUSED, "from the first request on"


def test_a_connection_that_has_produced_is_refused_once_its_right_is_gone(mixed: Mixed) -> None:
    """Our broker knows such requests by their bytes: it must not let them pass."""
    ours = CreatableReplicaAssignment(partition_index=0, broker_ids=[OURS])
    topic = CreatableTopic(name="led", num_partitions=-1, replication_factor=-1, assignments=[ours])
    made = mixed.ask(THEIRS, CreateTopicsRequest(topics=[topic], timeout_ms=10_000), 7)
    assert made.topics[0].error_code == 0
    link = Link(mixed.brokers[OURS].bootstrap, source=GUEST)

    def code() -> int:
        answer = link.ask(produce("led"), 9)
        return int(answer.responses[0].partition_responses[0].error_code)

    try:
        wait_for(lambda: code() == 0, what="the leader")
        for _ in range(5):
            assert code() == 0
        mixed.ask(OURS, forbid("led"), 3)
        assert code() == REFUSED
        fetch = FetchRequest(
            max_wait_ms=0,
            max_bytes=1000,
            topics=[
                FetchTopic(
                    topic="led",
                    partitions=[
                        FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
                    ],
                )
            ],
        )
        assert link.ask(fetch, 11).responses[0].partitions[0].error_code == REFUSED
        mixed.ask(OURS, allow_again("led"), 3)
        assert code() == 0
    finally:
        link.close()
