"""Topics created, enlarged and deleted against a quota of partitions per second (KIP-599)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.state.quotas.entities import DEFAULT, QuotaEntity
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.memory.topic_desk import TopicDesk, at_desk

OK, OVER = int(ErrorCode.NONE), int(ErrorCode.THROTTLING_QUOTA_EXCEEDED)
TWO_SECONDS = {"controller.quota.window.num": "2"}


def limit(desk: TopicDesk, rate: float) -> None:
    settings = {"controller_mutation_rate": str(rate)}
    assert desk.quotas.entities.set(QuotaEntity(DEFAULT), settings) == []


async def create(desk: TopicDesk, *names: str, version: int = 7, **rest: Any) -> list[int]:
    """The errors for new topics of three partitions."""
    topics = [CreatableTopic(name=n, num_partitions=3, replication_factor=1) for n in names]
    request = CreateTopicsRequest(topics=topics, timeout_ms=60_000, **rest)
    answer = await desk.ask(request, version)
    for topic in answer.topics:
        if topic.error_code == OVER:
            assert (topic.error_message, topic.num_partitions) == (None, -1)
    return [topic.error_code for topic in answer.topics]


async def enlarge(desk: TopicDesk, name: str, count: int, version: int) -> int:
    topics = [CreatePartitionsTopic(name=name, count=count, assignments=None)]
    answer = await desk.ask(CreatePartitionsRequest(topics=topics, timeout_ms=60_000), version)
    code: int = answer.results[0].error_code
    return code


async def delete(desk: TopicDesk, *names: str, version: int = 6) -> list[int]:
    if version < 6:
        request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=60_000)
    else:
        topics = [DeleteTopicState(name=name) for name in names]
        request = DeleteTopicsRequest(topics=topics, timeout_ms=60_000)
    answer = await desk.ask(request, version)
    return [each.error_code for each in answer.responses]


def test_topics_beyond_the_quota_are_refused_one_by_one(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        limit(desk, 2)  # four at once are free, and one topic may go beyond
        assert await create(desk, "a", "b", "c", "d") == [OK, OK, OVER, OVER]
        assert desk.throttle_ms == 1000
        assert sorted(desk.image().topics) == ["a", "b"]
        desk.time += 999
        assert await create(desk, "c") == [OVER]
        assert desk.throttle_ms == 1
        desk.time += 1
        assert await create(desk, "c") == [OK]
        assert desk.throttle_ms == 0

    at_desk(tmp_path, body, settings=TWO_SECONDS)


def test_older_clients_are_only_told_to_wait(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        limit(desk, 2)
        assert await create(desk, "a", "b", "c", version=5) == [OK] * 3
        assert desk.throttle_ms == 2500
        assert await enlarge(desk, "a", 4, version=2) == OK
        assert desk.throttle_ms == 3000
        assert await delete(desk, "a", version=4) == [OK]
        assert desk.throttle_ms == 5000

    at_desk(tmp_path, body, settings=TWO_SECONDS)


def test_enlarging_and_deleting_count_too(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        assert await create(desk, "a", "b") == [OK, OK]
        limit(desk, 2)
        assert await enlarge(desk, "a", 8, version=3) == OK
        assert await enlarge(desk, "b", 4, version=3) == OVER
        assert await delete(desk, "a", "b", "none") == [OVER, OVER, 3]
        assert desk.throttle_ms == 500
        desk.time += 1500
        assert await delete(desk, "a", "b") == [OK, OVER]
        assert sorted(desk.image().topics) == ["b"]

    at_desk(tmp_path, body, settings=TWO_SECONDS)


def test_what_changes_nothing_costs_nothing(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "a")
        limit(desk, 0.001)
        for _ in range(3):
            assert await create(desk, "b", "c", validate_only=True) == [OK, OK]
            assert await create(desk, "a") == [int(ErrorCode.TOPIC_ALREADY_EXISTS)]
            assert await delete(desk, "none") == [3]
        assert desk.throttle_ms == 0

    at_desk(tmp_path, body, settings=TWO_SECONDS)


@pytest.mark.parametrize("on", [0, 1])
def test_topics_that_are_only_asked_for_count_and_are_not_refused(tmp_path: Path, on: int) -> None:
    async def body(desk: TopicDesk) -> None:
        sent: list[str] = []
        admin = desk.services(0).topics

        async def send_on(specs: Any, timeout_ms: int) -> dict[str, None]:
            sent.extend(spec.name for spec in specs)
            made: dict[str, None] = await admin.create_all(specs, timeout_ms, None)
            return made

        desk.services(1).topics.auto.send_on = send_on
        limit(desk, 1)
        for name in ("a", "b", "c", "d"):
            await desk.ask(MetadataRequest(topics=[MetadataRequestTopic(name=name)]), 9, on=on)
        assert sorted(desk.image().topics) == ["a", "b", "c", "d"]
        assert len(sent) == 4 * on
        assert await create(desk, "e") == [OVER]
        assert desk.throttle_ms == 2000

    at_desk(tmp_path, body, brokers=2, settings=TWO_SECONDS)
