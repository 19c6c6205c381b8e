"""CreatePartitions: codes and texts are those of Apache Kafka 3.9.1 in ZooKeeper mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.topic_desk import TopicDesk, at_desk

Outcome = tuple[ErrorCode, str | None]


async def create(desk: TopicDesk, name: str, *replicas: list[int]) -> None:
    assignments = [
        CreatableReplicaAssignment(partition_index=i, broker_ids=r) for i, r in enumerate(replicas)
    ]
    topic = CreatableTopic(
        name=name, num_partitions=-1, replication_factor=-1, assignments=assignments
    )
    await desk.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)


def grow(name: str, count: int, replicas: list[list[int]] | None = None) -> CreatePartitionsTopic:
    wanted = [CreatePartitionsAssignment(broker_ids=ids) for ids in replicas or []]
    return CreatePartitionsTopic(
        name=name, count=count, assignments=None if replicas is None else wanted
    )


async def enlarge(desk: TopicDesk, *topics: CreatePartitionsTopic, **rest: Any) -> list[Outcome]:
    on, version = rest.pop("on", 0), rest.pop("version", 3)
    rest.setdefault("timeout_ms", 60_000)
    request = CreatePartitionsRequest(topics=list(topics), **rest)
    answer = await desk.ask(request, version, on=on)
    return [(ErrorCode(r.error_code), r.error_message) for r in answer.results]


DONE: Outcome = (ErrorCode.NONE, None)


@pytest.mark.parametrize("version", range(4))
def test_new_partitions_have_leaders_when_the_answer_comes(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        assert await enlarge(desk, grow("t", 3), version=version) == [DONE]
        assert desk.image().has_leaders("t", range(3))

    at_desk(tmp_path, body)


def test_replicas_go_on_where_creation_stopped(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [1, 2], [2, 0])
        assert await enlarge(desk, grow("t", 5)) == [DONE]
        replicas = [desk.image().topics["t"].partitions[i].replicas for i in range(5)]
        # As AdminUtils continues from partition 2 with the start at broker 1.
        assert replicas[2:] == [(0, 2), (1, 2), (2, 0)]

    at_desk(tmp_path, body, brokers=3)


def test_replicas_can_be_given(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0, 1])
        assert await enlarge(desk, grow("t", 3, [[1, 0], [0, 1]])) == [DONE]
        assert desk.image().topics["t"].partitions[1].replicas == (1, 0)

    at_desk(tmp_path, body, brokers=2)


BAD = ErrorCode.INVALID_REPLICA_ASSIGNMENT
REFUSALS = [
    (
        grow("t", 1),
        ErrorCode.INVALID_PARTITIONS,
        "Topic currently has 2 partitions, which is higher than the requested 1.",
    ),
    (grow("t", 2), ErrorCode.INVALID_PARTITIONS, "Topic already has 2 partitions."),
    (
        grow("t", 2**31 - 1),
        ErrorCode.INVALID_PARTITIONS,
        "Number of partitions must be at most 10000.",
    ),
    (grow("x", 3), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The topic 'x' does not exist."),
    (grow("t", 3, [[0, 9]]), BAD, "Unknown broker(s) in replica assignment: 9."),
    (
        grow("t", 4, [[0, 1]]),
        BAD,
        "Increasing the number of partitions by 2 but 1 assignments provided.",
    ),
    (grow("t", 3, [[]]), BAD, "Cannot have replication factor of 0 for partition id 2."),
    (
        grow("t", 3, [[1, 1]]),
        BAD,
        "Duplicate brokers not allowed in replica assignment: 1, 1 for partition id 2.",
    ),
    (
        grow("t", 4, [[1, 0], [1]]),
        BAD,
        "Inconsistent replication factor between partitions, partition 0 has 2 while partitions"
        " [3] have replication factors [1], respectively.",
    ),
]


@pytest.mark.parametrize("only", [False, True])
def test_what_may_not_be_is_refused_in_kafkas_words(tmp_path: Path, only: bool) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0, 1], [1, 0])
        for asked, code, text in REFUSALS:
            assert await enlarge(desk, asked, validate_only=only) == [(code, text)]
        assert len(desk.image().topics["t"].partitions) == 2

    at_desk(tmp_path, body, brokers=2)


def test_a_topic_on_its_way_out_does_not_grow(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0, 9])
        await desk.services(0).topics.delete([("t", ZERO_UUID)], 1000)
        assert await enlarge(desk, grow("t", 2)) == [
            (ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is queued for deletion.")
        ]

    at_desk(tmp_path, body)


def test_validation_adds_nothing(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        assert await enlarge(desk, grow("t", 3), validate_only=True) == [DONE]
        assert len(desk.image().topics["t"].partitions) == 1

    at_desk(tmp_path, body)


def test_no_time_to_wait_means_timed_out(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        timed_out = (ErrorCode.REQUEST_TIMED_OUT, None)
        assert await enlarge(desk, grow("t", 3), timeout_ms=0) == [timed_out]

    at_desk(tmp_path, body)


def test_duplicates_are_answered_once(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", [0])
        assert await enlarge(desk, grow("t", 3), grow("t", 4)) == [
            (ErrorCode.INVALID_REQUEST, "Duplicate topic in request.")
        ]

    at_desk(tmp_path, body)


def test_only_the_controller_enlarges(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        refusal = (ErrorCode.NOT_CONTROLLER, None)
        assert await enlarge(desk, grow("t", 3), on=1) == [refusal]

    at_desk(tmp_path, body, brokers=2)
