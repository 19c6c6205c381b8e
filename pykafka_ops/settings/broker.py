"""Every setting a Kafka 3.9 broker knows, by name (counterpart: ``kafka.server.KafkaConfig``)."""

from __future__ import annotations

from pykafka_ops.settings import (
    broker_cluster,
    broker_groups,
    broker_kraft,
    broker_log,
    broker_network,
    broker_quotas,
    broker_remote,
    broker_security,
)
from pykafka_ops.settings.setting import Setting

_TABLES = (
    broker_cluster.ROWS,
    broker_network.ROWS,
    broker_log.ROWS,
    broker_groups.ROWS,
    broker_quotas.ROWS,
    broker_security.ROWS,
    broker_kraft.ROWS,
    broker_remote.ROWS,
)

BROKER: dict[str, Setting] = {setting.name: setting for table in _TABLES for setting in table}
