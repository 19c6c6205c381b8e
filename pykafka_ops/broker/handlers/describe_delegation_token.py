"""DescribeDelegationToken (41), v0-3: refused, since nobody logs in on a plaintext listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)


def handle(context: Context, request: DescribeDelegationTokenRequest) -> Answer:
    """DELEGATION_TOKEN_REQUEST_NOT_ALLOWED."""
    return DescribeDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    )
