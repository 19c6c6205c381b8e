"""ControlledShutdown (7), v0-3: a broker that stops has its leaderships moved."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest


def handle(context: Context, request: ControlledShutdownRequest) -> Answer:
    """What could not be moved; STALE_CONTROLLER_EPOCH if this broker is not controller."""
    return context.services.controller.controlled_shutdown(request)
