"""Who asks the wrong broker is told the right one (KIP-951)."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch, topic_id

NOT_LEADER, FENCED = 6, 74


@pytest.fixture
def site() -> Site:
    """Topic moved is led by the other broker, gone by one that is dead, elsewhere hosted there."""
    made = Site()
    made.topic("moved", leader=OTHER, epoch=7, replicas=(ME, OTHER))
    made.topic("gone", leader=9, epoch=8, replicas=(ME, 9))
    made.update({"elsewhere": {0: PartitionImage(OTHER, 5, (OTHER,), (OTHER,))}})
    made.topic("mine")
    return made


def produce(site: Site, topic: str, version: int, acks: int = 1) -> Any:
    data = [PartitionProduceData(index=0, records=batch(b"a"))]
    topics = [TopicProduceData(name=topic, partition_data=data)]
    return site.ask(ProduceRequest(acks=acks, timeout_ms=1000, topic_data=topics), version)


def fetch(site: Site, topic: str, version: int, epoch: int = -1, replica: int = -1) -> Any:
    wanted = [
        FetchPartition(partition=0, partition_max_bytes=1000, current_leader_epoch=epoch),
    ]
    return site.ask(
        FetchRequest(
            topics=[FetchTopic(topic_id=topic_id(topic), partitions=wanted)],
            replica_state=ReplicaState(replica_id=replica),
        ),
        version,
    )


def hint(partition: Any) -> tuple[int, int, int]:
    led = partition.current_leader
    return partition.error_code, led.leader_id, led.leader_epoch


@pytest.mark.parametrize(
    ("topic", "leader", "addresses"),
    [
        ("moved", (OTHER, 7), [OTHER]),
        ("gone", (9, 8), []),
        ("elsewhere", (OTHER, 5), [OTHER]),
    ],
)
def test_the_leader_and_its_address_come_with_the_error(
    site: Site, topic: str, leader: tuple[int, int], addresses: list[int]
) -> None:
    for answer, name in (
        (produce(site, topic, 10), "partition_responses"),
        (fetch(site, topic, 16, replica=OTHER), "partitions"),
    ):
        (partition,) = getattr(answer.responses[0], name)
        assert hint(partition) == (NOT_LEADER, *leader)
        assert [node.node_id for node in answer.node_endpoints] == addresses


def test_earlier_versions_have_no_room_for_it(site: Site) -> None:
    assert produce(site, "moved", 9).responses[0].partition_responses[0].current_leader is None
    assert fetch(site, "moved", 15).responses[0].partitions[0].current_leader is None


def test_a_fenced_fetch_is_told_the_new_epoch(site: Site) -> None:
    (partition,) = fetch(site, "mine", 16, epoch=1).responses[0].partitions
    assert hint(partition) == (FENCED, ME, 3)


def test_who_is_no_replica_cannot_follow(site: Site) -> None:
    for stranger in (ME, OTHER):
        (partition,) = fetch(site, "mine", 16, replica=stranger).responses[0].partitions
        assert hint(partition) == (NOT_LEADER, ME, 3)


def test_a_leader_lost_while_waiting_is_told_too(site: Site) -> None:
    (partition,) = site.topic("shared", isr=(ME, OTHER), replicas=(ME, OTHER))
    later = produce(site, "shared", 11, acks=-1)
    assert isinstance(later, Later)
    partition.leader, partition.leader_epoch = OTHER, 4
    site.replicas.wake(partition.key)
    site.run_soon()
    answer = later.answer
    assert hint(answer.responses[0].partition_responses[0]) == (NOT_LEADER, OTHER, 4)
    assert [(n.host, n.port) for n in answer.node_endpoints] == [(f"host{OTHER}", 9092 + OTHER)]
