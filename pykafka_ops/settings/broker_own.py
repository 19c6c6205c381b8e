"""Settings that Apache Kafka has not: they are listed only where they are set."""

from __future__ import annotations

from pykafka_ops.settings.rows import INTERNAL, LIST, STRING, row, table
from pykafka_ops.settings.validators import HostPort, OneOf

METRICS_LISTEN = "metrics.listen"
METRICS_DIALECTS = "metrics.dialects"

# fmt: off
ROWS = table(
    row(METRICS_LISTEN, STRING, None, HostPort(), INTERNAL,
        doc="Where (`host:port`) to serve `/metrics`, `/healthz` and `/readyz` by HTTP."),
    row(METRICS_DIALECTS, LIST, "strimzi", OneOf(("strimzi", "confluent")), INTERNAL,
        doc="Naming rules of metrics: `confluent` adds Confluent's names."),
)
