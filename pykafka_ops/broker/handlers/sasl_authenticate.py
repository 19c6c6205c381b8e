"""SaslAuthenticate (36), v0-2: out of place, since no login comes before requests on a plaintext
listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def handle(context: Context, request: object) -> Answer:
    """ILLEGAL_SASL_STATE."""
    text = "SaslAuthenticate request received after successful authentication"
    raise KafkaError(ErrorCode.ILLEGAL_SASL_STATE, text)
