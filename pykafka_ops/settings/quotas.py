"""Settings that are only ever dynamic: throttles of brokers, quotas of users, clients and ips.

Counterpart: ``org.apache.kafka.server.config.QuotaConfigs``.
"""

from __future__ import annotations

from pykafka_ops.settings.rows import (
    CLUSTER_WIDE,
    DOUBLE,
    INT,
    LONG,
    MAX_INT,
    MAX_LONG,
    STRING,
    row,
    table,
)
from pykafka_ops.settings.validators import Range

# fmt: off
BROKER_QUOTAS = table(
    row("leader.replication.throttled.rate", LONG, MAX_LONG, Range(0), CLUSTER_WIDE,
        doc="Bytes per second that throttled replicas may be read at by their followers."),
    row("follower.replication.throttled.rate", LONG, MAX_LONG, Range(0), CLUSTER_WIDE,
        doc="Bytes per second that throttled replicas may be fetched at."),
    row("replica.alter.log.dirs.io.max.bytes.per.second", LONG, MAX_LONG, Range(0), CLUSTER_WIDE,
        doc="Bytes per second that replicas may be moved at between log directories."),
)
CLIENT_QUOTAS = table(
    row("producer_byte_rate", LONG, MAX_LONG, CLUSTER_WIDE,
        doc="Bytes per second a client may produce to one broker."),
    row("consumer_byte_rate", LONG, MAX_LONG, CLUSTER_WIDE,
        doc="Bytes per second a client may fetch from one broker."),
    row("request_percentage", DOUBLE, float(MAX_INT), CLUSTER_WIDE,
        doc="Share of a thread's time, in percent, that requests of a client may take."),
    row("controller_mutation_rate", DOUBLE, float(MAX_INT), CLUSTER_WIDE,
        doc="Partitions per second a client may create or delete."),
)
_SCRAM = table(
    row("SCRAM-SHA-256", STRING, None, CLUSTER_WIDE,
        doc="Credential of the user for SASL/SCRAM-SHA-256."),
    row("SCRAM-SHA-512", STRING, None, CLUSTER_WIDE,
        doc="Credential of the user for SASL/SCRAM-SHA-512."),
)
IP_QUOTAS = table(
    row("connection_creation_rate", INT, MAX_INT, Range(0), CLUSTER_WIDE,
        doc="Connections per second accepted from an address."),
)
# fmt: on
USER_QUOTAS = _SCRAM | CLIENT_QUOTAS
