"""ExpireDelegationToken (40), v0-2: refused, since nobody logs in on a plaintext listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)


def handle(context: Context, request: ExpireDelegationTokenRequest) -> Answer:
    """DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, and no time of expiry."""
    return ExpireDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
