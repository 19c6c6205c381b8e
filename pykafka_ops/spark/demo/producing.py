"""Writes the topics of the demo as any producer would, with timestamps of the past."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.spark.demo.plan import TOPICS, TopicPlan
from pykafka_ops.spark.demo.records import WrittenTimes, records

BATCH = 100
"""Records of a batch at most, so that one covers minutes and not days."""


def create(cluster: Cluster) -> None:
    """Create the topics. Raises KafkaError for the first that is refused."""
    wanted = [NewTopic(t.name, t.partitions, 1, configs=t.configs) for t in TOPICS]
    for made in create_topics(cluster, wanted).values():
        if isinstance(made, KafkaError):
            raise made


def write(servers: str, plan: TopicPlan, now: int, said: Callable[[str], None]) -> WrittenTimes:
    """Produce the topic's records and wait for all acknowledgements. Raises PkoError."""
    from confluent_kafka import Producer

    failures: list[str] = []

    def reported(error: Any, _: Any) -> None:
        if error is not None:
            failures.append(str(error))

    producer = Producer(
        {
            "bootstrap.servers": servers,
            "client.id": f"demo-{plan.name}",
            "enable.idempotence": True,
            "compression.type": plan.codec,
            "batch.num.messages": BATCH,
            "linger.ms": 20,
            "queue.buffering.max.messages": 200_000,
            "delivery.report.only.error": True,
            "on_delivery": reported,
        }
    )
    said(f"writing {plan.records:,} records to {plan.name}")
    written = WrittenTimes([[] for _ in range(plan.partitions)])
    for i, (partition, time, key, value) in enumerate(records(plan, now)):
        while True:
            try:
                producer.produce(plan.name, value, key, partition, timestamp=time)
                break
            except BufferError:
                producer.poll(0.05)
        written.partitions[partition].append(time)
        if i % 20_000 == 0:
            producer.poll(0)
    if producer.flush(60) or failures:
        raise PkoError(f"{plan.name}: {failures[0] if failures else 'not acknowledged in 60 s'}")
    return written
