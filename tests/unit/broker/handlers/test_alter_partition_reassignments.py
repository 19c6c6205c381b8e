"""AlterPartitionReassignments on brokers in memory; texts are those of Apache Kafka 3.9.1."""

from __future__ import annotations

import json
from pathlib import Path

from pykafka_ops.broker.metadata.znodes.admin import (
    IsrChangeNotifications,
    PreferredElection,
    Reassignments,
)
from pykafka_ops.broker.metadata.znodes.topics import PartitionState, TopicZNode
from pykafka_ops.broker.state.controller.isr_rules import IsrChange
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from tests.support.memory.replica_double import eventually
from tests.support.memory.topic_desk import TopicDesk, at_desk


async def move(
    desk: TopicDesk, moves: dict[int, list[int] | None], *, on: int = 0
) -> tuple[int, dict[int, tuple[ErrorCode, str | None]]]:
    parts = [ReassignablePartition(partition_index=i, replicas=r) for i, r in moves.items()]
    request = AlterPartitionReassignmentsRequest(
        topics=[ReassignableTopic(name="t", partitions=parts)]
    )
    answer = await desk.ask(request, 0, on=on)
    return answer.error_code, {
        part.partition_index: (ErrorCode(part.error_code), part.error_message)
        for topic in answer.responses
        for part in topic.partitions
    }


async def in_sync(desk: TopicDesk, index: int, *isr: int) -> None:
    """The leader of a partition asks for an ISR."""
    loop = desk.nodes[0].loop
    controller = loop._rules
    assert controller is not None
    record = controller.cluster.topics["t"].partitions[index]
    assert record.state is not None
    state = record.state
    change = IsrChange(isr, state.leader_epoch, state.partition_epoch)
    epoch = controller.cluster.brokers[state.leader].epoch
    await loop.perform(lambda c: c.isr.alter(state.leader, epoch, {("t", index): change}))


def test_a_move_runs_to_its_end(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1], [1, 0])
        assert await move(desk, {0: [1, 2], 1: None, 7: [0]}) == (
            0,
            {
                0: (ErrorCode.NONE, None),
                1: (
                    ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
                    "No partition reassignment is in progress.",
                ),
                7: (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist."),
            },
        )
        node = await desk.nodes.first.get(TopicZNode.path("t"))
        assert node is not None
        written = json.loads(node.data or b"")
        assert written["partitions"] == {"0": [1, 2, 0], "1": [1, 0]}
        assert (written["adding_replicas"], written["removing_replicas"]) == (
            {"0": [2]},
            {"0": [0]},
        )
        await eventually(lambda: ("t", 0) in desk.nodes[2].replicas.replicas)
        await in_sync(desk, 0, 0, 1, 2)
        await eventually(lambda: ("t", 0) not in desk.nodes[0].replicas.replicas)
        image = desk.image().topics["t"].partitions[0]
        assert (image.replicas, image.leader, image.isr) == ((1, 2), 1, (1, 2))

    at_desk(tmp_path, body, brokers=3)


def test_other_brokers_do_not_do_it(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0])
        assert await move(desk, {0: [1]}, on=1) == (ErrorCode.NOT_CONTROLLER, {})

    at_desk(tmp_path, body, brokers=2)


def test_older_tools_ask_by_znodes(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1], [1, 0])
        store = desk.nodes[1].store
        await store.create(Reassignments.path, Reassignments.encode({("t", 0): [1, 0]}))
        await gone(desk, Reassignments.path)
        await store.create(PreferredElection.path, PreferredElection.encode([("t", 0)]))
        await gone(desk, PreferredElection.path)
        await eventually(lambda: desk.image().topics["t"].partitions[0].leader == 1)
        # What makes no sense is left for whoever wrote it to see, and does no harm.
        await store.create(Reassignments.path, b"{nonsense")
        assert await move(desk, {1: [0, 1]}) == (0, {1: (ErrorCode.NONE, None)})
        await store.set(Reassignments.path, Reassignments.encode({("t", 0): [0, 1]}))
        await gone(desk, Reassignments.path)
        assert desk.image().topics["t"].partitions[0].replicas == (0, 1)

    at_desk(tmp_path, body, brokers=2)


async def gone(desk: TopicDesk, path: str) -> None:
    """The controller removes a znode."""
    seen: list[str] = []
    known = 0
    cancel = desk.nodes.first.watch_data(path, seen.append)
    while await desk.nodes.first.get(path) is not None:
        await eventually(lambda: len(seen) > known)  # noqa: B023
        known = len(seen)
    cancel()


def test_isrs_of_brokers_of_old_protocols_are_told_by_znodes(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0])
        assert (await move(desk, {0: [1]}))[1][0] == (ErrorCode.NONE, None)
        store, path = desk.nodes[1].store, PartitionState.path("t", 0)
        node = await store.get(path)
        assert node is not None
        state = PartitionState.decode("t", 0, node.data, node.stat.version)
        await store.set(path, PartitionState.encode(state._replace(isr=(0, 1))))
        await store.create(IsrChangeNotifications.prefix, b"{nonsense", sequence=True)
        noted = IsrChangeNotifications.encode([("t", 0)])
        await store.create(IsrChangeNotifications.prefix, noted, sequence=True)
        await eventually(lambda: desk.image().topics["t"].partitions[0].replicas == (1,))
        assert await store.children(IsrChangeNotifications.path) == []

    at_desk(tmp_path, body, brokers=2)
