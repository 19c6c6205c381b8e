"""SaslAuthenticate (36), v0-2: out of place, since no login comes before requests on a plaintext
listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)


def handle(context: Context, request: SaslAuthenticateRequest) -> Answer:
    """ILLEGAL_SASL_STATE."""
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="SaslAuthenticate request received after successful authentication",
    )
