"""RenewDelegationToken (39), v0-2: let a token live on (KIP-48)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.delegation import check_asker, expiry_answer
from pykafka_ops.wire.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)


def handle(context: Context, request: RenewDelegationTokenRequest) -> Answer:
    """When it expires now."""
    admin = check_asker(context)
    change = admin.renew(context.principal, bytes(request.hmac), request.renew_period_ms)
    return expiry_answer(change, RenewDelegationTokenResponse)
