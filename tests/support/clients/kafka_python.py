"""kafka-python."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import kafka
from kafka import errors as kafka_errors
from kafka.admin import ConfigResource, ConfigResourceType

from tests.support.clients.base import (
    Cluster,
    Fetched,
    Message,
    Partition,
    RefusedError,
)
from tests.support.waiting import PATIENCE, wait_for

T = TypeVar("T")


def _guard(call: Callable[[], T]) -> T:
    try:
        return call()
    except kafka_errors.KafkaError as error:
        raise RefusedError(getattr(error, "errno", -1), repr(error)) from None


def _read(consumer: Any, count: int) -> list[Fetched]:
    found: list[Fetched] = []
    end = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < end:
        for records in _guard(lambda: consumer.poll(200)).values():
            for r in records:
                inner = Message(r.value, r.key, tuple(r.headers), r.timestamp)
                found.append(Fetched(r.offset, inner, r.timestamp_type))
    return found[:count]


class KafkaPythonClient:
    name = "kafka-python"
    sends_headers = True
    sends_nulls = False

    def __init__(self, bootstrap: str, **extra: Any) -> None:
        self.bootstrap = bootstrap
        self.extra = extra
        self._admin: kafka.KafkaAdminClient | None = None

    @property
    def admin(self) -> kafka.KafkaAdminClient:
        if self._admin is None:
            self._admin = kafka.KafkaAdminClient(bootstrap_servers=self.bootstrap, **self.extra)
        return self._admin

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
        producer = kafka.KafkaProducer(
            bootstrap_servers=self.bootstrap,
            compression_type=None if codec == "none" else codec,
            acks="all" if acks == "all" else int(acks),
            enable_idempotence=idempotent,
            max_request_size=max_request,
            linger_ms=5,
            **self.extra,
        )
        try:
            futures = [
                _guard(lambda m=m: self._send(producer, topic, partition, m))  # type: ignore[misc]
                for m in messages
            ]
            producer.flush(120)
            answers = [_guard(lambda f=f: f.get(120)) for f in futures]  # type: ignore[misc]
            return [-1 if acks == "0" else a.offset for a in answers]
        finally:
            producer.close(5)

    @staticmethod
    def _send(producer: Any, topic: str, partition: int, m: Message) -> Any:
        headers = list(m.headers)
        return producer.send(
            topic,
            value=m.value,
            key=m.key,
            headers=headers,
            partition=partition,
            timestamp_ms=m.timestamp,
        )

    def _consumer(self, *topics: str, start: str = "none", **more: Any) -> kafka.KafkaConsumer:
        return kafka.KafkaConsumer(
            *topics,
            bootstrap_servers=self.bootstrap,
            enable_auto_commit=False,
            auto_offset_reset=start,
            **self.extra,
            **more,
        )

    def consume(
        self, topic: str, count: int, *, partition: int = 0, start: int = 0
    ) -> list[Fetched]:
        consumer = self._consumer()
        where = kafka.TopicPartition(topic, partition)
        try:
            consumer.assign([where])
            consumer.seek(where, start)
            return _read(consumer, count)
        finally:
            consumer.close()

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Fetched]:
        consumer = _guard(lambda: self._consumer(topic, start="earliest", group_id=group))
        try:
            # A leader of a group that does not know the topic's partitions yet gives nobody any,
            # and may leave it at that (3.0.12, on a busy machine).
            wait_for(lambda: _guard(lambda: consumer.partitions_for_topic(topic)), what=topic)
            found = _read(consumer, count)
            _guard(consumer.commit)
            return found
        finally:
            consumer.close()

    def offsets(self, topic: str, partition: int = 0) -> tuple[int, int]:
        where = kafka.TopicPartition(topic, partition)
        consumer = self._consumer()
        try:
            first = _guard(lambda: consumer.beginning_offsets([where]))[where]
            return first, _guard(lambda: consumer.end_offsets([where]))[where]
        finally:
            consumer.close()

    def offset_for_time(self, topic: str, timestamp: int, partition: int = 0) -> int | None:
        where = kafka.TopicPartition(topic, partition)
        consumer = self._consumer()
        try:
            answer = _guard(lambda: consumer.offsets_for_times({where: timestamp}))[where]
        finally:
            consumer.close()
        return answer.offset if answer is not None and answer.offset >= 0 else None

    def create_topic(
        self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None:
        new = {
            "num_partitions": partitions,
            "replication_factor": 1,
            "configs": dict(configs or {}),
        }
        _guard(lambda: self.admin.create_topics({topic: new}))

    def delete_topic(self, topic: str) -> None:
        _guard(lambda: self.admin.delete_topics([topic]))

    def list_topics(self) -> set[str]:
        return set(_guard(self.admin.list_topics))

    def describe_topic(self, topic: str) -> list[Partition]:
        (answer,) = _guard(lambda: self.admin.describe_topics([topic]))
        if answer["error_code"]:
            raise RefusedError(answer["error_code"], topic)
        return [
            Partition(
                p["partition_index"],
                p["leader_id"],
                tuple(p["replica_nodes"]),
                tuple(p["isr_nodes"]),
            )
            for p in sorted(answer["partitions"], key=lambda p: p["partition_index"])
        ]

    def create_partitions(self, topic: str, total: int) -> None:
        _guard(lambda: self.admin.create_partitions({topic: total}))

    def topic_configs(self, topic: str) -> dict[str, str]:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        answer = _guard(lambda: self.admin.describe_configs([resource], config_filter="all"))
        return {name: entry["value"] for name, entry in answer["topic"][topic].items()}

    def set_topic_configs(self, topic: str, configs: Mapping[str, str]) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, dict(configs))
        answer = _guard(lambda: self.admin.alter_configs([resource], raise_on_unknown=False))
        text = answer["topic"][topic]  # "OK" or "[Error 40] InvalidConfigurationError: ..."
        if text != "OK":
            raise RefusedError(int(text.partition("]")[0].split()[1]), text)

    def delete_records(self, topic: str, before: int, partition: int = 0) -> int:
        where = kafka.TopicPartition(topic, partition)
        return int(
            _guard(lambda: self.admin.delete_records({where: before}))[where]["low_watermark"]
        )

    def cluster(self) -> Cluster:
        answer = _guard(self.admin.describe_cluster)
        brokers = tuple(sorted((b["broker_id"], b["host"], b["port"]) for b in answer["brokers"]))
        return Cluster(answer["cluster_id"], brokers, answer["controller_id"])

    def close(self) -> None:
        if self._admin is not None:
            self._admin.close()
            self._admin = None
