"""CreateDelegationToken (38), v0-3: a secret that stands for the login of its owner (KIP-48)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.delegation import check_asker, principal_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)

if TYPE_CHECKING:  # few clients ask for it
    from pykafka_ops.broker.services.delegation_tokens import TokenAdmin

NEVER = -1


def handle(context: Context, request: CreateDelegationTokenRequest) -> Answer:
    """The token, or why there is none, with whose it was to be and who asked."""
    requester = context.principal
    owner = requester
    if request.owner_principal_name:
        owner = f"{request.owner_principal_type or ''}:{request.owner_principal_name}"
    response = CreateDelegationTokenResponse(
        issue_timestamp_ms=NEVER, expiry_timestamp_ms=NEVER, max_timestamp_ms=NEVER
    )
    response.principal_type, _, response.principal_name = owner.partition(":")
    if context.version >= 3:
        kind, _, name = requester.partition(":")
        response.token_requester_principal_type = kind
        response.token_requester_principal_name = name
    try:
        admin = check_asker(context)
        if owner != requester and not context.may(
            Operation.CREATE_TOKENS, ResourceType.USER, owner
        ):
            raise KafkaError(ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED)
    except KafkaError as error:
        response.error_code = error.code
        return response
    return _create(admin, (owner, requester), request, response)


async def _create(
    admin: TokenAdmin,
    people: tuple[str, str],
    request: CreateDelegationTokenRequest,
    response: CreateDelegationTokenResponse,
) -> Answer:
    renewers = [principal_of(renewer) for renewer in request.renewers]
    try:
        token = await admin.create(*people, renewers, request.max_lifetime_ms)
    except KafkaError as error:
        response.error_code = error.code
        return response
    response.issue_timestamp_ms = token.issued
    response.expiry_timestamp_ms = token.expires
    response.max_timestamp_ms = token.latest
    response.token_id = token.id
    response.hmac = admin.tokens.hmac(token.id)
    return response
