"""SaslHandshake (17), v0-1: out of place, since no login comes before requests on a plaintext
listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def handle(context: Context, request: object) -> Answer:
    """ILLEGAL_SASL_STATE, and no mechanisms."""
    raise KafkaError(ErrorCode.ILLEGAL_SASL_STATE)
