"""ElectLeaders, AlterPartitionReassignments, ListPartitionReassignments."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from tests.support.differential.core import Cases, Side

CASES = Cases()


@CASES.add(ApiKey.ELECT_LEADERS, "0-2")
def elections(side: Side, version: int) -> None:
    side.create(partitions=2)

    def ask(note: str, topics: list[TopicPartitions] | None, **more: Any) -> None:
        request = ElectLeadersRequest(topic_partitions=topics, **{"timeout_ms": 60_000, **more})
        side.ask(request, note=note, own_only=topics is None)

    mine = TopicPartitions(topic=side.topic(), partitions=[0, 1])
    for kind in (0, 1, 2, -1) if version else (0,):
        ask(f"kind {kind}", [mine], election_type=kind)
        ask(f"all, kind {kind}", None, election_type=kind)
        ask(f"kind {kind}, no topics", [], election_type=kind)
        unknown = TopicPartitions(topic=side.topic("none"), partitions=[0])
        ask(f"kind {kind}, unknown", [unknown], election_type=kind)
        some = TopicPartitions(topic=side.topic(), partitions=[0, 9, -1])
        ask(f"kind {kind}, some unknown", [some, unknown], election_type=kind)
    ask("no partitions", [TopicPartitions(topic=side.topic())])
    ask("twice", [mine, mine])
    ask("without time", [mine], timeout_ms=0)


@CASES.add(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "0")
def moves(side: Side, version: int) -> None:
    side.create(partitions=2)

    def ask(note: str, *parts: tuple[str, int, list[int] | None]) -> None:
        topics = [
            ReassignableTopic(
                name=side.topic(name),
                partitions=[ReassignablePartition(partition_index=index, replicas=replicas)],
            )
            for name, index, replicas in parts
        ]
        request = AlterPartitionReassignmentsRequest(timeout_ms=60_000, topics=topics)
        side.ask(request, note=note)

    ask("none")
    ask("the same", ("t", 0, [0]))
    ask("nothing to cancel", ("t", 0, None))
    ask("empty", ("t", 0, []))
    ask("duplicates", ("t", 0, [0, 0]))
    ask("negative", ("t", 0, [0, -1]))
    ask("not alive", ("t", 0, [0, 7, 8]))
    ask("unknown topic", ("none", 0, [0]))
    ask("unknown partition", ("t", 9, [0]))
    ask("unknown, cancelled", ("none", 0, None))
    ask("unknown, empty", ("none", 0, []))
    ask("unknown, not alive", ("none", 0, [7]))
    ask("good and bad", ("t", 0, [0]), ("t", 1, [5]))
    request = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic(name=side.topic())])
    side.ask(request, note="no partitions")


@CASES.add(ApiKey.LIST_PARTITION_REASSIGNMENTS, "0")
def reassignments(side: Side, version: int) -> None:
    side.create(partitions=2)

    def ask(note: str, topics: list[ListPartitionReassignmentsTopics] | None) -> None:
        side.ask(ListPartitionReassignmentsRequest(timeout_ms=60_000, topics=topics), note=note)

    def part(name: str, *indexes: int) -> ListPartitionReassignmentsTopics:
        topic = side.topic(name)
        return ListPartitionReassignmentsTopics(name=topic, partition_indexes=list(indexes))

    ask("all", None)
    ask("no topics", [])
    ask("one", [part("t", 0)])
    ask("unknown", [part("none", 0)])
    ask("unknown partition", [part("t", 9)])
    ask("no partitions", [part("t")])
    ask("twice", [part("t", 0, 0), part("t", 0)])
