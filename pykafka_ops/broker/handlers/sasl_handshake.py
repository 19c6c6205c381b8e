"""SaslHandshake (17), v0-1: out of place, since no login comes before requests on a plaintext
listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def handle(context: Context, request: SaslHandshakeRequest) -> Answer:
    """ILLEGAL_SASL_STATE, and no mechanisms."""
    return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)
