"""confluent-kafka (librdkafka)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import confluent_kafka as ck
from confluent_kafka import admin as ck_admin

from tests.support.clients.base import (
    Cluster,
    Fetched,
    Message,
    Partition,
    RefusedError,
)
from tests.support.waiting import PATIENCE

T = TypeVar("T")
SECONDS = PATIENCE


def _failure(error: Any) -> RefusedError:
    return RefusedError(error.code(), error.str())


def _result(future: Future[T]) -> T:
    try:
        return future.result(SECONDS)
    except ck.KafkaException as error:
        raise _failure(error.args[0]) from None


def fetched(message: Any) -> Fetched:
    """A confluent-kafka message in the vocabulary of these tests."""
    kind, timestamp = message.timestamp()
    headers = tuple((k, v) for k, v in message.headers() or ())
    inner = Message(message.value(), message.key(), headers, timestamp)
    return Fetched(message.offset(), inner, kind - 1)


def _read(consumer: ck.Consumer, count: int) -> list[Fetched]:
    found: list[Fetched] = []
    end = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < end:
        message = consumer.poll(0.2)
        if message is None:
            continue
        if message.error():
            raise _failure(message.error())
        found.append(fetched(message))
    return found


class ConfluentClient:
    name = "confluent-kafka"
    sends_headers = True
    sends_nulls = True

    def __init__(self, bootstrap: str, **extra: object) -> None:
        self.bootstrap = bootstrap
        self.extra = extra
        self.admin = ck_admin.AdminClient({"bootstrap.servers": bootstrap, **extra})

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
        offsets: list[int] = []
        errors: list[Any] = []

        def done(error: Any, message: Any) -> None:
            if error:
                errors.append(error)
            else:
                offsets.append(-1 if acks == "0" else message.offset())

        config = {"compression.type": codec, "acks": acks, "enable.idempotence": idempotent}
        config |= {"message.max.bytes": max_request, "linger.ms": 5, "message.timeout.ms": 120_000}
        producer = ck.Producer({"bootstrap.servers": self.bootstrap, **config, **self.extra})
        for m in messages:
            headers = list(m.headers)
            try:
                producer.produce(
                    topic,
                    m.value,
                    m.key,
                    partition,
                    on_delivery=done,
                    timestamp=m.timestamp,
                    headers=headers,
                )
            except ck.KafkaException as error:
                raise _failure(error.args[0]) from None
        left = producer.flush(SECONDS)
        if errors:
            raise _failure(errors[0])
        assert left == 0, f"{left} of {len(messages)} not delivered within {SECONDS} s"
        return offsets

    def consume(
        self, topic: str, count: int, *, partition: int = 0, start: int = 0
    ) -> list[Fetched]:
        config = {"group.id": "none", "enable.auto.commit": False, "auto.offset.reset": "error"}
        consumer = ck.Consumer({"bootstrap.servers": self.bootstrap, **config, **self.extra})
        try:
            consumer.assign([ck.TopicPartition(topic, partition, start)])
            return _read(consumer, count)
        finally:
            consumer.close()

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Fetched]:
        config = {"group.id": group, "enable.auto.commit": False, "auto.offset.reset": "earliest"}
        consumer = ck.Consumer({"bootstrap.servers": self.bootstrap, **config, **self.extra})
        try:
            consumer.subscribe([topic])
            found = _read(consumer, count)
            consumer.commit(asynchronous=False)
            return found
        finally:
            consumer.close()

    def _with_consumer(self) -> ck.Consumer:
        return ck.Consumer({"bootstrap.servers": self.bootstrap, "group.id": "none", **self.extra})

    def offsets(self, topic: str, partition: int = 0) -> tuple[int, int]:
        consumer = self._with_consumer()
        try:
            return consumer.get_watermark_offsets(ck.TopicPartition(topic, partition), SECONDS)
        except ck.KafkaException as error:
            raise _failure(error.args[0]) from None
        finally:
            consumer.close()

    def offset_for_time(self, topic: str, timestamp: int, partition: int = 0) -> int | None:
        consumer = self._with_consumer()
        try:
            asked = [ck.TopicPartition(topic, partition, timestamp)]
            (answer,) = consumer.offsets_for_times(asked, SECONDS)
        finally:
            consumer.close()
        if answer.error:
            raise _failure(answer.error)
        return answer.offset if answer.offset >= 0 else None

    def create_topic(
        self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None:
        new = ck_admin.NewTopic(topic, partitions, 1, config=dict(configs or {}))
        _result(self.admin.create_topics([new])[topic])

    def delete_topic(self, topic: str) -> None:
        _result(self.admin.delete_topics([topic])[topic])

    def list_topics(self) -> set[str]:
        return set(self.admin.list_topics(timeout=SECONDS).topics)

    def describe_topic(self, topic: str) -> list[Partition]:
        answer = _result(self.admin.describe_topics(ck.TopicCollection([topic]))[topic])
        return [
            Partition(
                p.id, p.leader.id, tuple(n.id for n in p.replicas), tuple(n.id for n in p.isr)
            )
            for p in sorted(answer.partitions, key=lambda p: p.id)
        ]

    def create_partitions(self, topic: str, total: int) -> None:
        _result(self.admin.create_partitions([ck_admin.NewPartitions(topic, total)])[topic])

    def topic_configs(self, topic: str) -> dict[str, str]:
        resource = ck_admin.ConfigResource(ck_admin.ResourceType.TOPIC, topic)
        answer = _result(self.admin.describe_configs([resource])[resource])
        return {name: entry.value for name, entry in answer.items()}

    def set_topic_configs(self, topic: str, configs: Mapping[str, str]) -> None:
        operation = ck_admin.AlterConfigOpType.SET
        entries = [
            ck_admin.ConfigEntry(name, value, incremental_operation=operation)
            for name, value in configs.items()
        ]
        resource = ck_admin.ConfigResource(
            ck_admin.ResourceType.TOPIC, topic, incremental_configs=entries
        )
        _result(self.admin.incremental_alter_configs([resource])[resource])

    def delete_records(self, topic: str, before: int, partition: int = 0) -> int:
        asked = ck.TopicPartition(topic, partition, before)
        return int(_result(self.admin.delete_records([asked])[asked]).low_watermark)

    def cluster(self) -> Cluster:
        answer = _result(self.admin.describe_cluster())
        brokers = tuple(sorted((n.id, n.host, n.port) for n in answer.nodes))
        return Cluster(answer.cluster_id, brokers, answer.controller.id)

    def close(self) -> None:
        pass
