"""One line for each request, under the name of Kafka's request log, while its level is DEBUG.

Counterpart of ``RequestChannel.Request.updateRequestMetrics`` and ``RequestConvertToJson``.
"""

from __future__ import annotations

import logging

from pykafka_ops.broker.runtime.sockets.ended import Ended

NAME = "kafka.request.logger"

log = logging.getLogger(NAME)


def is_wanted() -> bool:
    """Whether the log wants lines; changes with the levels of loggers."""
    return log.isEnabledFor(logging.DEBUG)


def write(end: Ended) -> None:
    """Log one request."""
    log.debug(
        "%s of client %s (%s) at %s, connection %d on %s: %s in %.3f ms (%.3f ms of work), "
        "%d bytes received, %d sent%s",
        "?" if end.api is None else f"{end.api} v{end.version}",
        end.client_id,
        end.principal,
        end.client_host,
        end.connection,
        end.listener,
        f"failed with {end.error}" if end.error else end.how,
        end.total_ms,
        end.work_ms,
        end.received,
        end.sent,
        f", throttled for {end.throttle_ms} ms" if end.throttle_ms else "",
    )
