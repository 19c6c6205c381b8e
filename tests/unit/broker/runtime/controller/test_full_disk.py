"""A full disk under the tree refuses what it cannot store, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.services import config_store
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.support.memory.topic_desk import TopicDesk, at_desk

MANY = 600
"""Partitions that need more of the file than is free in it, and for which rules pause."""


async def create(desk: TopicDesk, name: str, partitions: int = MANY) -> Any:
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    (answer,) = (await desk.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)).topics
    return answer


def test_a_topic_that_cannot_be_stored_is_refused_and_the_controller_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def body(desk: TopicDesk) -> None:
        await desk.create([0], name="small")
        desk.nodes.first.fill()
        assert "no space for the metadata file" in caplog.text
        caplog.clear()
        for name in ("a", "b", "a"):
            refused = await create(desk, name)
            assert refused.error_code == ErrorCode.KAFKA_STORAGE_ERROR
            assert "database or disk is full" in refused.error_message
        more = CreatePartitionsTopic(name="small", count=MANY, assignments=None)
        request = CreatePartitionsRequest(topics=[more], timeout_ms=60_000)
        (answer,) = (await desk.ask(request, 3)).results
        assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert desk.nodes[0].loop.epoch == 1
        assert set(desk.image().topics) == {"small"}
        desk.nodes.first.make_room()
        assert (await create(desk, "a")).error_code == ErrorCode.NONE
        assert (await desk.ask(request, 3)).results[0].error_code == ErrorCode.NONE
        assert desk.nodes[0].loop.epoch == 1

    at_desk(tmp_path, body)
    said = [r.getMessage() for r in caplog.records if "the metadata file" in r.getMessage()]
    assert [text.split(" the metadata")[0] for text in said] == ["there is room for"]
    assert "controller stops" not in caplog.text


def test_settings_that_cannot_be_stored_are_refused(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        store = desk.nodes.first
        store.fill()
        long = {"leader.replication.throttled.replicas": "0:0," * 50_000}
        with pytest.raises(KafkaError) as caught:
            await config_store.change(store, "topics/t", lambda _: long)
        assert caught.value.code == ErrorCode.KAFKA_STORAGE_ERROR
        store.make_room()
        await config_store.change(store, "topics/t", lambda _: long)
        assert await config_store.read(store, "topics/t") == [long]

    at_desk(tmp_path, body)


def test_what_is_written_in_parts_is_read_again_where_a_part_is_refused(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        store = desk.nodes[0].store
        multi, calls = store.multi, 0

        async def once(ops: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 2:
                store.fill()
            return await multi(ops)

        store.multi = once  # type: ignore[method-assign]
        refused = await create(desk, "huge", 5_000)
        assert refused.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        store.make_room()
        async with asyncio.timeout(100):
            while not desk.image().has_leaders("huge", range(5_000)):
                await asyncio.sleep(0.01)

    at_desk(tmp_path, body)


def test_producer_ids_that_cannot_be_claimed_are_an_error_of_the_answer(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        desk.nodes.first.fill()
        request = AllocateProducerIdsRequest(broker_id=0, broker_epoch=desk.epoch(0))
        answer = await desk.ask(request, 0)
        assert answer.error_code == ErrorCode.UNKNOWN_SERVER_ERROR

    at_desk(tmp_path, body)
