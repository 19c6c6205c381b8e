"""DescribeDelegationToken (41), v0-3: the tokens that the asker may hear of (KIP-48)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.delegation import check_asker, principal_of
from pykafka_ops.broker.state.logins.delegation import DelegationToken
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)


def handle(context: Context, request: DescribeDelegationTokenRequest) -> Answer:
    """Those of the owners named, of all if the list is null, of none if it is empty."""
    admin = check_asker(context)
    owners = None if request.owners is None else [principal_of(owner) for owner in request.owners]

    def may_see(token_id: str, owner: str) -> bool:
        return context.may(
            Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token_id
        ) or context.may(Operation.DESCRIBE_TOKENS, ResourceType.USER, owner)

    found = admin.tokens.visible_to(context.principal, owners, may_see)
    described = [_described(token, admin.tokens.hmac(token.id), context.version) for token in found]
    return DescribeDelegationTokenResponse(tokens=described)


def _described(token: DelegationToken, secret: bytes, version: int) -> DescribedDelegationToken:
    kind, _, name = token.owner.partition(":")
    described = DescribedDelegationToken(
        principal_type=kind,
        principal_name=name,
        issue_timestamp=token.issued,
        expiry_timestamp=token.expires,
        max_timestamp=token.latest,
        token_id=token.id,
        hmac=secret,
        renewers=[_renewer(renewer) for renewer in token.renewers],
    )
    if version >= 3:
        kind, _, name = token.requester.partition(":")
        described.token_requester_principal_type = kind
        described.token_requester_principal_name = name
    return described


def _renewer(principal: str) -> DescribedDelegationTokenRenewer:
    kind, _, name = principal.partition(":")
    return DescribedDelegationTokenRenewer(principal_type=kind, principal_name=name)
