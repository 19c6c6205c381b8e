"""Every setting a Kafka 3.9 broker knows (``kafka.server.KafkaConfig``), and our own, by name."""

from __future__ import annotations

from pykafka_ops.settings import (
    broker_absent,
    broker_cluster,
    broker_groups,
    broker_log,
    broker_own,
    broker_security,
)

BROKER = (
    broker_cluster.ROWS
    | broker_log.ROWS
    | broker_groups.ROWS
    | broker_security.ROWS
    | broker_absent.ROWS
    | broker_own.ROWS
)
