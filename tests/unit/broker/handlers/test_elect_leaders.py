"""ElectLeaders: codes and texts are those of Apache Kafka 3.9.1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from tests.support.memory.replica_double import eventually
from tests.support.memory.topic_desk import TopicDesk, at_desk

PREFERRED, UNCLEAN = 0, 1
Outcome = dict[tuple[str, int], tuple[ErrorCode, str | None]]


async def create(desk: TopicDesk, name: str, *replicas: list[int]) -> None:
    assignments = [
        CreatableReplicaAssignment(partition_index=i, broker_ids=r) for i, r in enumerate(replicas)
    ]
    topic = CreatableTopic(
        name=name, num_partitions=-1, replication_factor=-1, assignments=assignments
    )
    await desk.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)


async def elect(
    desk: TopicDesk, kind: int, *keys: tuple[str, int], everything: bool = False, **rest: Any
) -> Outcome:
    on, version = rest.pop("on", 0), rest.pop("version", 2)
    rest.setdefault("timeout_ms", 60_000)
    if version > 0:
        rest["election_type"] = kind
    asked = None if everything else [TopicPartitions(topic=t, partitions=[i]) for t, i in keys]
    answer = await desk.ask(ElectLeadersRequest(topic_partitions=asked, **rest), version, on=on)
    return {
        (topic.topic, p.partition_id): (ErrorCode(p.error_code), p.error_message)
        for topic in answer.replica_election_results
        for p in topic.partition_result
    }


async def follow(desk: TopicDesk) -> None:
    """Broker 1 dies and comes back, in sync again but leading nothing."""
    await desk.nodes[1].die()
    await desk.nodes.add(1)
    await desk.settle()
    cluster = desk.nodes[0].loop._rules
    assert cluster is not None
    for topic, index, record in cluster.cluster.all_partitions():
        assert record.state is not None
        grown = record.state._replace(isr=record.assignment.replicas)
        record.state = grown
        assert topic, index


@pytest.mark.parametrize("version", range(3))
def test_the_preferred_leader_leads_again(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 0], [0, 1])
        await follow(desk)
        assert desk.image().topics["t"].partitions[0].leader == 0
        results = await elect(desk, PREFERRED, ("t", 0), ("t", 1), ("x", 0), version=version)
        assert results == {
            ("t", 0): (ErrorCode.NONE, None),
            ("t", 1): (
                ErrorCode.ELECTION_NOT_NEEDED,
                "Leader election not needed for topic partition.",
            ),
            ("x", 0): (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist."),
        }
        assert desk.image().topics["t"].partitions[0].leader == 1

    at_desk(tmp_path, body, brokers=2)


def test_for_all_partitions_only_those_with_something_to_do_are_told(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 0], [0, 1])
        await follow(desk)
        assert await elect(desk, PREFERRED, everything=True) == {("t", 0): (ErrorCode.NONE, None)}
        assert await elect(desk, PREFERRED, everything=True) == {}

    at_desk(tmp_path, body, brokers=2)


def test_a_preferred_leader_that_is_down_cannot_be_elected(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 0])
        await desk.nodes[1].die()
        del desk.nodes.nodes[1]
        await desk.settle()
        assert await elect(desk, PREFERRED, ("t", 0)) == {
            ("t", 0): (
                ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
                "Failed to elect leader for partition t-0 under strategy"
                " PreferredReplicaPartitionLeaderElectionStrategy",
            )
        }

    at_desk(tmp_path, body, brokers=2)


def test_an_unclean_election_gives_a_lost_partition_a_leader(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1])
        await desk.nodes[1].die()
        del desk.nodes.nodes[1]
        await desk.settle()
        (outcome,) = (await elect(desk, UNCLEAN, ("t", 0))).values()
        assert outcome[0] == ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
        await desk.nodes.add(1)
        await eventually(lambda: desk.image().topics["t"].partitions[0].leader == 1)
        (outcome,) = (await elect(desk, UNCLEAN, ("t", 0))).values()
        assert outcome[0] == ErrorCode.ELECTION_NOT_NEEDED

    at_desk(tmp_path, body, brokers=2)


def test_unknown_kinds_and_other_brokers_are_refused(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        (outcome,) = (await elect(desk, 7, ("t", 0))).values()
        assert outcome[0] == ErrorCode.INVALID_REQUEST
        (outcome,) = (await elect(desk, PREFERRED, ("t", 0), on=1)).values()
        assert outcome == (ErrorCode.NOT_CONTROLLER, None)

    at_desk(tmp_path, body, brokers=2)


def test_reassignments_are_listed(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0], [0])
        answer = await desk.ask(ListPartitionReassignmentsRequest(), 0)
        assert (answer.error_code, answer.error_message, answer.topics) == (0, "", [])
        controller = desk.nodes[0].loop._rules
        assert controller is not None
        record = controller.cluster.topics["t"].partitions[1]
        record.assignment = record.assignment.reassign_to([1])
        asked = [
            ListPartitionReassignmentsTopics(name="t", partition_indexes=[0, 1, 7]),
            ListPartitionReassignmentsTopics(name="x", partition_indexes=[0]),
        ]
        for request in (
            ListPartitionReassignmentsRequest(),
            ListPartitionReassignmentsRequest(topics=asked),
        ):
            (topic,) = (await desk.ask(request, 0)).topics
            (moving,) = topic.partitions
            assert (topic.name, moving.partition_index, moving.replicas) == ("t", 1, [1, 0])
            assert (moving.adding_replicas, moving.removing_replicas) == ([1], [0])

    at_desk(tmp_path, body)
