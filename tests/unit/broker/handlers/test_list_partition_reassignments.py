"""ListPartitionReassignments: what moves, all of it or of the partitions asked for."""

from __future__ import annotations

from pathlib import Path

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from tests.support.memory.topic_desk import TopicDesk, at_desk


async def move(desk: TopicDesk, index: int, replicas: list[int] | None) -> None:
    part = ReassignablePartition(partition_index=index, replicas=replicas)
    topics = [ReassignableTopic(name="t", partitions=[part])]
    answer = await desk.ask(AlterPartitionReassignmentsRequest(topics=topics), 0)
    assert answer.responses[0].partitions[0].error_code == 0


async def moving(desk: TopicDesk, *partitions: int) -> dict[int, tuple[list[int], ...]]:
    """By partition the replicas, those that come and those that go; of all if none is named."""
    wanted = [ListPartitionReassignmentsTopics(name="t", partition_indexes=list(partitions))]
    request = ListPartitionReassignmentsRequest(topics=wanted if partitions else None)
    return {
        part.partition_index: (part.replicas, part.adding_replicas, part.removing_replicas)
        for topic in (await desk.ask(request, 0)).topics
        for part in topic.partitions
    }


def test_what_moves_is_told_until_it_is_done_or_cancelled(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1], [1, 0], [0, 1])
        assert await moving(desk) == {}
        await move(desk, 0, [1, 2])
        await move(desk, 1, [2, 0])
        first = ([1, 2, 0], [2], [0])
        assert await moving(desk) == {0: first, 1: ([2, 0, 1], [2], [1])}
        assert await moving(desk, 0, 2) == {0: first}
        await move(desk, 1, None)
        assert await moving(desk) == {0: first}

    at_desk(tmp_path, body, brokers=3)


def test_only_the_controller_knows(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        answer = await desk.ask(ListPartitionReassignmentsRequest(), 0, on=1)
        assert (answer.error_code, answer.topics) == (ErrorCode.NOT_CONTROLLER, [])

    at_desk(tmp_path, body, brokers=2)
