"""Processes of a mirror share partitions as members of one group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.group_describe import GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.mirror.work.seat import GroupPlace, Seated
from pykafka_ops.wire.codes import ErrorCode
from tests.conftest import Broker
from tests.support.waiting import wait_for

Place = Callable[[], GroupPlace]
FOUR: list[Partition] = [("mirrored", n) for n in range(4)]


@pytest.fixture
def place(broker: Broker, topic: str) -> Iterator[Place]:
    """Makes places in a group that nobody else uses."""
    made: list[GroupPlace] = []

    def clusters() -> Cluster:
        return Cluster(ClientConfig.of({"bootstrap.servers": broker.bootstrap}))

    def make() -> GroupPlace:
        made.append(GroupPlace(f"pko-mirror.{topic}", clusters))
        return made[-1]

    yield make
    for one in made:
        one.leave()


def joined(place: GroupPlace, fenced: list[int] | None = None) -> Seated:
    slots = [] if fenced is None else fenced
    return place.join(FOUR, {}, lambda free, _used: slots.extend(free))


def test_members_share_what_there_is_and_take_over(place: Place, broker: Broker) -> None:
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": broker.bootstrap}))
    create_topics(cluster, [NewTopic("mirrored", 4, 1)])
    first, second = place(), place()
    alone = joined(first)
    assert alone.leads and alone.partitions == tuple(FOUR) and alone.seat.slot == 0
    with ThreadPoolExecutor(2) as pool:
        newcomer = pool.submit(joined, second)
        wait_for(lambda: first.must_join, what="the first hears that somebody joins")
        both = [pool.submit(joined, first).result(), newcomer.result()]
    assert sorted(p for one in both for p in one.partitions) == FOUR
    assert [one.seat.slot for one in both] == [0, 1]
    assert set(both[0].partitions) < set(alone.partitions)

    described = describe_groups(cluster, [first.group])[first.group]
    assert isinstance(described, GroupDescription)
    assert {m.assigned for m in described.members} == {one.partitions for one in both}
    old = alone.seat
    refused = commit_offsets(
        cluster, old.group, {FOUR[0]: Committed(1, -1, "")},
        member_id=old.member_id, generation=old.generation,
    )  # fmt: skip
    assert isinstance(refused, dict)
    error = refused[FOUR[0]]
    assert error is not None and error.code == ErrorCode.ILLEGAL_GENERATION
    cluster.close()

    second.leave()
    wait_for(lambda: first.must_join, what="the first hears that somebody left")
    fenced: list[int] = []
    last = joined(first, fenced)
    assert last.partitions == tuple(FOUR) and fenced == [1]
