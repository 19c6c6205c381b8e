"""Settings of a broker, ours or Apache Kafka 4, that serves the consumer protocol quickly."""

from __future__ import annotations

from typing import Final

SESSION_MS: Final = 10_000
SETTINGS: Final[dict[str, object]] = {
    "group.coordinator.rebalance.protocols": "classic,consumer",
    "group.consumer.migration.policy": "bidirectional",
    "group.consumer.min.session.timeout.ms": 1000,
    "group.consumer.session.timeout.ms": SESSION_MS,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 200,
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 1,
}
