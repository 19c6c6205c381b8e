"""Settings of a broker, ours or Apache Kafka 4, that serves the consumer protocol quickly."""

from __future__ import annotations

from typing import Final

from pykafka_ops.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tests.support.differential.two_brokers import Link

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


def epoch(bootstrap: str, group: str) -> int:
    """The epoch of a group, as its coordinator says it."""
    link = Link(bootstrap)
    try:
        (found,) = link.ask(ConsumerGroupDescribeRequest(group_ids=[group]), 0).groups
    finally:
        link.close()
    assert found.error_code == 0, found
    return int(found.group_epoch)
