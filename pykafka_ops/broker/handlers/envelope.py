"""Envelope (58), v0: brokers in ZooKeeper mode announce it and take none (KIP-590)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import WireError
from pykafka_ops.wire.messages.envelope import EnvelopeRequest


def handle(context: Context, request: EnvelopeRequest) -> Answer:
    """Raises WireError, which closes the connection."""
    raise WireError("an Envelope request, but forwarding is not enabled")
