"""One line for each request, under the name of Kafka's request log, while its level is DEBUG.

Counterpart of ``RequestChannel.Request.updateRequestMetrics`` and ``RequestConvertToJson``.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

NAME = "kafka.request.logger"

log = logging.getLogger(NAME)


class Ended(NamedTuple):
    """What is known of a request when it has ended. Sizes in bytes, without the length in front;
    times in ms."""

    what: str
    """API and version: ``Produce v9``."""
    client_id: str | None
    principal: str
    client_host: str
    connection: int
    listener: str
    how: str
    """``answered``, ``failed with ...``, ``refused``, ..."""
    received: int
    sent: int
    total_ms: float
    """From its arrival to the last byte handed to the system."""
    work_ms: float
    """The part of it before it had to wait."""
    throttle_ms: int
    """How long the client is throttled from now on."""


class RequestLog:
    """``on`` says whether lines are wanted, so that nothing is done where they are not."""

    def __init__(self) -> None:
        self.on = False
        self.refresh()

    def refresh(self) -> None:
        """Levels of loggers may have changed."""
        self.on = log.isEnabledFor(logging.DEBUG)

    def write(self, end: Ended) -> None:
        """Tell of one request."""
        throttled = f", throttled for {end.throttle_ms} ms" if end.throttle_ms else ""
        log.debug(
            "%s of client %s (%s) at %s, connection %d on %s: %s in %.3f ms (%.3f ms of work), "
            "%d bytes received, %d sent%s",
            end.what,
            end.client_id,
            end.principal,
            end.client_host,
            end.connection,
            end.listener,
            end.how,
            end.total_ms,
            end.work_ms,
            end.received,
            end.sent,
            throttled,
        )
