"""aiokafka; each call runs in an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import aiokafka
from aiokafka import errors as aio_errors
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from tests.support.clients.base import (
    Cluster,
    Fetched,
    Message,
    Partition,
    RefusedError,
)
from tests.support.waiting import PATIENCE

T = TypeVar("T")
SECONDS = 2 * PATIENCE


def _check(code: int, text: str = "") -> None:
    if code:
        raise RefusedError(code, text)


async def _read(consumer: Any, count: int) -> list[Fetched]:
    found: list[Fetched] = []
    now = asyncio.get_running_loop().time
    end = now() + PATIENCE
    while len(found) < count and now() < end:
        for records in (await consumer.getmany(timeout_ms=200)).values():
            for r in records:
                inner = Message(r.value, r.key, tuple(r.headers), r.timestamp)
                found.append(Fetched(r.offset, inner, r.timestamp_type))
    return found[:count]


class AioClient:
    name = "aiokafka"
    sends_headers = True
    sends_nulls = False

    def __init__(self, bootstrap: str, **extra: Any) -> None:
        self.bootstrap = bootstrap
        self.extra = extra

    def _run(self, work: Awaitable[T]) -> T:
        async def bounded() -> T:
            return await asyncio.wait_for(work, SECONDS)

        try:
            return asyncio.run(bounded())
        except aio_errors.KafkaError as error:
            raise RefusedError(getattr(error, "errno", -1), repr(error)) from None

    def _admin(self, work: Callable[[Any], Awaitable[T]]) -> T:
        async def go() -> T:
            admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap, **self.extra)
            await admin.start()
            try:
                return await work(admin)
            finally:
                await admin.close()

        return self._run(go())

    def produce(
        self,
        topic: str,
        messages: Sequence[Message],
        *,
        partition: int = 0,
        codec: str = "none",
        acks: str = "all",
        idempotent: bool = False,
        max_request: int = 1_048_576,
    ) -> list[int]:
        async def go() -> list[int]:
            producer = aiokafka.AIOKafkaProducer(
                bootstrap_servers=self.bootstrap,
                **self.extra,
                compression_type=None if codec == "none" else codec,
                acks="all" if acks == "all" else int(acks),
                enable_idempotence=idempotent,
                max_request_size=max_request,
                linger_ms=5,
            )
            await producer.start()
            try:
                sent = [
                    await producer.send(
                        topic,
                        value=m.value,
                        key=m.key,
                        partition=partition,
                        timestamp_ms=m.timestamp,
                        headers=list(m.headers),
                    )
                    for m in messages
                ]
                answers = await asyncio.gather(*sent)
                return [-1 if a is None else a.offset for a in answers]
            finally:
                await producer.stop()

        return self._run(go())

    def _consumer(
        self,
        work: Callable[[Any], Awaitable[T]],
        *topics: str,
        start: str = "none",
        group: str | None = None,
    ) -> T:
        async def go() -> T:
            consumer = aiokafka.AIOKafkaConsumer(
                *topics,
                bootstrap_servers=self.bootstrap,
                **self.extra,
                enable_auto_commit=False,
                auto_offset_reset=start,
                group_id=group,
            )
            await consumer.start()
            try:
                return await work(consumer)
            finally:
                await consumer.stop()

        return self._run(go())

    def consume(
        self, topic: str, count: int, *, partition: int = 0, start: int = 0
    ) -> list[Fetched]:
        where = aiokafka.TopicPartition(topic, partition)

        async def work(consumer: Any) -> list[Fetched]:
            consumer.assign([where])
            consumer.seek(where, start)
            return await _read(consumer, count)

        return self._consumer(work)

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Fetched]:
        async def work(consumer: Any) -> list[Fetched]:
            found = await _read(consumer, count)
            await consumer.commit()
            return found

        return self._consumer(work, topic, start="earliest", group=group)

    def offsets(self, topic: str, partition: int = 0) -> tuple[int, int]:
        where = aiokafka.TopicPartition(topic, partition)

        async def work(consumer: Any) -> tuple[int, int]:
            first = await consumer.beginning_offsets([where])
            end = await consumer.end_offsets([where])
            return first[where], end[where]

        return self._consumer(work)

    def offset_for_time(self, topic: str, timestamp: int, partition: int = 0) -> int | None:
        where = aiokafka.TopicPartition(topic, partition)

        async def work(consumer: Any) -> int | None:
            answer = (await consumer.offsets_for_times({where: timestamp}))[where]
            return answer.offset if answer is not None and answer.offset >= 0 else None

        return self._consumer(work)

    def create_topic(
        self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None:
        new = NewTopic(topic, partitions, 1, topic_configs=dict(configs or {}))
        answer = self._admin(lambda admin: admin.create_topics([new]))
        for entry in answer.topic_errors:
            _check(entry[1], str(entry))

    def delete_topic(self, topic: str) -> None:
        answer = self._admin(lambda admin: admin.delete_topics([topic]))
        for _, code in answer.topic_error_codes:
            _check(code, topic)

    def list_topics(self) -> set[str]:
        return set(self._admin(lambda admin: admin.list_topics()))

    def describe_topic(self, topic: str) -> list[Partition]:
        (answer,) = self._admin(lambda admin: admin.describe_topics([topic]))
        _check(answer["error_code"], topic)
        return [
            Partition(p["partition"], p["leader"], tuple(p["replicas"]), tuple(p["isr"]))
            for p in sorted(answer["partitions"], key=lambda p: p["partition"])
        ]

    def create_partitions(self, topic: str, total: int) -> None:
        new = {topic: NewPartitions(total)}
        answer = self._admin(lambda admin: admin.create_partitions(new))
        for entry in answer.topic_errors:
            _check(entry[1], str(entry))

    def topic_configs(self, topic: str) -> dict[str, str]:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        (answer,) = self._admin(lambda admin: admin.describe_configs([resource]))
        (result,) = answer.resources
        _check(result[0], result[1] or topic)
        return {entry[0]: entry[1] for entry in result[4]}

    def set_topic_configs(self, topic: str, configs: Mapping[str, str]) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, dict(configs))
        (answer,) = self._admin(lambda admin: admin.alter_configs([resource]))
        for entry in answer.resources:
            _check(entry[0], entry[1] or topic)

    def delete_records(self, topic: str, before: int, partition: int = 0) -> int:
        where = aiokafka.TopicPartition(topic, partition)
        asked = {where: RecordsToDelete(before_offset=before)}
        return int(self._admin(lambda admin: admin.delete_records(asked))[where])

    def cluster(self) -> Cluster:
        answer = self._admin(lambda admin: admin.describe_cluster())
        brokers = tuple(sorted((b["node_id"], b["host"], b["port"]) for b in answer["brokers"]))
        return Cluster(answer["cluster_id"], brokers, answer["controller_id"])

    def close(self) -> None:
        pass
