"""confluent-kafka with ``group.protocol=consumer`` on our broker: the broker assigns (KIP-848)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.clients.confluent import ConfluentClient
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

PARTITIONS = 6


class Members:
    """Consumers of one group, polled in turn."""

    def __init__(self, broker: BrokerProcess, group: str) -> None:
        self.broker, self.group = broker, group
        self.alive: list[Consumer] = []

    def add(self, *topics: str, protocol: str = "consumer", **settings: Any) -> Consumer:
        """One more, subscribed."""
        asked = {name.replace("_", "."): value for name, value in settings.items()}
        if protocol == "classic":
            asked |= {"session.timeout.ms": 6000, "heartbeat.interval.ms": 200}
            asked |= {"partition.assignment.strategy": "cooperative-sticky"}
        found = Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap,
                "group.id": self.group,
                "group.protocol": protocol,
                "auto.offset.reset": "earliest",
                **asked,
            }
        )
        found.subscribe(list(topics))
        self.alive.append(found)
        return found

    def close(self, consumer: Consumer) -> None:
        """It leaves."""
        self.alive.remove(consumer)
        consumer.close()

    def owned(self) -> list[list[int]]:
        """What each has."""
        return [sorted(place.partition for place in each.assignment()) for each in self.alive]

    def poll(self) -> None:
        for each in self.alive:
            each.poll(0.02)

    def share(self, *counts: int) -> None:
        """Poll until they have so many partitions, all different."""

        def done() -> bool:
            self.poll()
            owned = self.owned()
            places = [index for each in owned for index in each]
            return sorted(map(len, owned)) == sorted(counts) and len(set(places)) == sum(counts)

        wait_for(done, what=f"{counts} partitions for {self.group}")


@pytest.fixture
def members(consumer_site: BrokerProcess, topic: str) -> Iterator[Members]:
    """No members yet of a group named as the topic, which has six partitions."""
    ConfluentClient(consumer_site.bootstrap).create_topic(topic, partitions=PARTITIONS)
    found = Members(consumer_site, topic)
    yield found
    for each in list(found.alive):
        found.close(each)


def test_members_share_and_hand_over(members: Members, topic: str) -> None:
    first = members.add(topic)
    members.share(6)
    members.add(topic)
    members.add(f"^{topic}$")
    members.share(2, 2, 2)
    members.close(first)
    members.share(3, 3)


def test_a_group_goes_on_after_its_broker_was_killed(members: Members, topic: str) -> None:
    for n in range(2):
        members.add(topic, client_id=f"c{n}", enable_auto_commit=False)
    members.share(3, 3)
    before = members.owned()
    producer = Producer({"bootstrap.servers": members.broker.bootstrap})
    producer.produce(topic, b"one", partition=0)
    producer.flush()
    found: list[Any] = []

    def read() -> bool:
        for each in members.alive:
            record = each.poll(0.05)
            if record is not None and not record.error():
                each.commit(record, asynchronous=False)
                found.append(record)
        return bool(found)

    wait_for(read, what="the record")
    members.broker.kill()
    members.broker.start()
    members.share(3, 3)
    assert members.owned() == before
    members.add(topic)
    members.share(2, 2, 2)
    place = TopicPartition(topic, 0)
    assert members.alive[0].committed([place])[0].offset == 1


def test_a_static_member_keeps_its_partitions(members: Members, topic: str) -> None:
    members.add(topic)
    static = members.add(topic, group_instance_id="one")
    members.share(3, 3)
    had = sorted(place.partition for place in static.assignment())
    members.close(static)
    back = members.add(topic, group_instance_id="one")
    members.share(3, 3)
    assert sorted(place.partition for place in back.assignment()) == had


def test_a_live_group_goes_to_the_new_protocol_and_back(members: Members, topic: str) -> None:
    old = [members.add(topic, protocol="classic") for _ in range(2)]
    members.share(3, 3)
    new = members.add(topic)
    members.share(2, 2, 2)
    for each in old:
        members.close(each)
    members.share(6)
    members.add(topic, protocol="classic")
    members.share(3, 3)
    members.close(new)
    members.share(6)


def test_a_topic_that_grows_is_assigned(members: Members, topic: str) -> None:
    members.add(topic)
    members.add(topic)
    members.share(3, 3)
    ConfluentClient(members.broker.bootstrap).create_partitions(topic, 8)
    members.share(4, 4)


def test_pko_shows_the_group(members: Members, topic: str) -> None:
    members.add(topic, client_id="me")
    members.share(6)
    listed = json.loads(pko("groups", "list", "-b", members.broker.bootstrap, "-o", "json").out)
    mine = [each for each in listed["items"] if topic in each.values()]
    assert [(each["type"].lower(), each["state"]) for each in mine] == [("consumer", "Stable")]
    shown = pko("groups", "describe", topic, "--members", "-b", members.broker.bootstrap)
    assert "me" in shown.out


def test_without_the_setting_the_protocol_is_refused(broker: Any, topic: str) -> None:
    errors: list[Any] = []
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "group.id": topic,
            "group.protocol": "consumer",
            "error_cb": errors.append,
        }
    )
    consumer.subscribe([topic])
    assert consumer.poll(1.0) is None
    assert consumer.assignment() == []
    consumer.close()
