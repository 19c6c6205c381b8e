"""DeleteTopics, by name and by id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from pykafka_ops.wire.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tests.support.memory.topic_desk import TopicDesk, at_desk


async def create(desk: TopicDesk, *names: str, factor: int = 1) -> list[int]:
    topics = [CreatableTopic(name=n, num_partitions=2, replication_factor=factor) for n in names]
    answer = await desk.ask(CreateTopicsRequest(topics=topics, timeout_ms=60_000), 7)
    return [topic.error_code for topic in answer.topics]


async def delete(desk: TopicDesk, *names: str, version: int = 6, **rest: Any) -> list[ErrorCode]:
    on = rest.pop("on", 0)
    rest.setdefault("timeout_ms", 60_000)
    if version >= 6:
        rest["topics"] = [DeleteTopicState(name=name) for name in names]
    else:
        rest["topic_names"] = list(names)
    answer = await desk.ask(DeleteTopicsRequest(**rest), version, on=on)
    assert [each.name for each in answer.responses] == list(names)
    return [ErrorCode(each.error_code) for each in answer.responses]


@pytest.mark.parametrize("version", range(7))
def test_a_deleted_topic_is_gone_and_can_be_created_at_once(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", "stay")
        before = desk.image().topics["t"].topic_id
        assert await delete(desk, "t", "nope", version=version) == [
            ErrorCode.NONE,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ]
        assert set(desk.image().topics) == {"stay"}
        assert await create(desk, "t") == [0]
        assert desk.image().topics["t"].topic_id != before

    at_desk(tmp_path, body)


def test_topics_can_be_named_by_id(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t")
        id_ = desk.image().topics["t"].topic_id
        asked = [DeleteTopicState(topic_id=id_), DeleteTopicState(topic_id=b"x" * 16)]
        answer = await desk.ask(DeleteTopicsRequest(topics=asked, timeout_ms=60_000), 6)
        assert [(each.name, each.topic_id, each.error_code) for each in answer.responses] == [
            ("t", id_, ErrorCode.NONE),
            (None, b"x" * 16, ErrorCode.UNKNOWN_TOPIC_ID),
        ]
        assert desk.image().topics == {}

    at_desk(tmp_path, body)


def test_name_and_id_together_are_refused(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        asked = [DeleteTopicState(name="t", topic_id=b"x" * 16)]
        answer = await desk.ask(DeleteTopicsRequest(topics=asked), 6)
        (result,) = answer.responses
        assert result.error_code == ErrorCode.INVALID_REQUEST
        assert result.error_message == "Topic name and topic ID can not both be specified."

    at_desk(tmp_path, body)


@pytest.mark.parametrize(
    ("version", "code"),
    [(2, ErrorCode.INVALID_REQUEST), (3, ErrorCode.TOPIC_DELETION_DISABLED)],
)
def test_deletion_can_be_switched_off(tmp_path: Path, version: int, code: ErrorCode) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t")
        assert await delete(desk, "t", version=version) == [code]
        assert "t" in desk.image().topics

    at_desk(tmp_path, body, settings={"delete.topic.enable": "false"})


def test_no_time_to_wait_means_timed_out_though_deleted(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t")
        assert await delete(desk, "t", timeout_ms=0) == [ErrorCode.REQUEST_TIMED_OUT]
        assert await delete(desk, "t") in (
            [ErrorCode.NONE],
            [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
        )
        assert desk.image().topics == {}

    at_desk(tmp_path, body)


def test_a_topic_with_a_replica_on_a_dead_broker_stays_marked(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await create(desk, "t", factor=2)
        await desk.nodes[1].die()
        del desk.nodes.nodes[1]
        await desk.settle()
        assert await delete(desk, "t") == [ErrorCode.NONE]
        assert await create(desk, "t") == [ErrorCode.TOPIC_ALREADY_EXISTS]
        assert await delete(desk, "t") == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]

    at_desk(tmp_path, body, brokers=2)


def test_only_the_controller_deletes(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        assert await delete(desk, "t", on=1) == [ErrorCode.NOT_CONTROLLER]

    at_desk(tmp_path, body, brokers=2)
