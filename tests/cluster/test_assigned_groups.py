"""A group that the broker assigns outlives the broker that coordinates it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.testing import KafkaCluster
from tests.support.clients.consumer_site import SETTINGS, epoch
from tests.support.clients.group_member import CONSUMER
from tests.support.clients.group_members import (
    PARTITIONS,
    Crew,
    Hosts,
    produce,
    values,
    wait_shared,
)
from tests.support.java.java_kit import NEWEST
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.java, pytest.mark.slow]
OURS = {**SETTINGS, "offsets.topic.replication.factor": 3, "zookeeper.session.timeout.ms": 6000}
TOPIC = "read"


@pytest.fixture
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with KafkaCluster(3, tmp_path_factory.mktemp("consumers"), OURS) as made:
        made.create_topic(TOPIC, PARTITIONS, 3)
        yield made


@pytest.fixture
def crew(kafka: KafkaCluster) -> Iterator[Crew]:
    hosts = Hosts()
    made = Crew(kafka.bootstrap_servers, TOPIC, hosts)
    yield made
    made.close()
    hosts.close()


def coordinator(kafka: KafkaCluster, bootstrap: str, but: LocalBroker | None = None) -> LocalBroker:
    """Who leads the only partition of the topic of groups, as a broker says it; once that is
    another than ``but``."""
    client = AdminClient({"bootstrap.servers": bootstrap})
    others = {each.broker_id: each for each in kafka.brokers if each is not but}

    def leader() -> LocalBroker | None:
        topics = client.list_topics(timeout=120).topics
        return others.get(topics["__consumer_offsets"].partitions[0].leader)

    found = wait_for(leader, what="a coordinator")
    assert found is not None
    return found


def test_another_broker_goes_on_with_the_group(kafka: KafkaCluster, crew: Crew) -> None:
    python, java = crew.join("confluent-kafka", CONSUMER), crew.join(f"java-{NEWEST}", CONSUMER)
    wait_shared(python, java)
    produce(crew.bootstrap, TOPIC, values(0))
    crew.wait_read(40)
    first = coordinator(kafka, crew.bootstrap)
    before = epoch(first.bootstrap_servers, crew.group)
    had, changes = (set(python.assigned), set(java.assigned)), (python.changes, java.changes)
    first.kill()
    other = next(each for each in kafka.brokers if each is not first).bootstrap_servers
    second = coordinator(kafka, other, but=first)
    produce(other, TOPIC, values(40))
    crew.wait_read(80)
    assert sorted(crew.read()) == sorted(values(0, 80))
    assert ((python.assigned, java.assigned), (python.changes, java.changes)) == (had, changes)
    assert epoch(second.bootstrap_servers, crew.group) == before
    wait_shared(python, java, crew.join("confluent-kafka", CONSUMER))
    places = [TopicPartition(TOPIC, n) for n in range(PARTITIONS)]
    asking = Consumer({"bootstrap.servers": other, "group.id": crew.group})
    assert [place.offset for place in asking.committed(places, 120)] == [20] * PARTITIONS
    asking.close()
