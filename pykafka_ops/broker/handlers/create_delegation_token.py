"""CreateDelegationToken (38), v0-3: refused, since nobody logs in on a plaintext listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)

NEVER = -1


def handle(context: Context, request: CreateDelegationTokenRequest) -> Answer:
    """DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, with whose the token was to be and who asked."""
    asker_type, _, asker = context.principal.partition(":")
    owner_type, owner = request.owner_principal_type, request.owner_principal_name
    response = CreateDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
        principal_type=(owner_type or "") if owner else asker_type,
        principal_name=owner or asker,
        issue_timestamp_ms=NEVER,
        expiry_timestamp_ms=NEVER,
        max_timestamp_ms=NEVER,
    )
    if context.version >= 3:
        response.token_requester_principal_type = asker_type
        response.token_requester_principal_name = asker
    return response
