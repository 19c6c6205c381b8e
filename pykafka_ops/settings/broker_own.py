"""Settings that Apache Kafka has not: they are listed only where they are set."""

from __future__ import annotations

from pykafka_ops.settings.rows import INTERNAL, STRING, row, table
from pykafka_ops.settings.validators import HostPort

METRICS_LISTEN = "metrics.listen"

# fmt: off
ROWS = table(
    row(METRICS_LISTEN, STRING, None, HostPort(), INTERNAL,
        doc="Where `/metrics`, `/healthz` and `/readyz` are served over HTTP, as `host:port`."),
)
