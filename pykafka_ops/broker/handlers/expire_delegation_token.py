"""ExpireDelegationToken (40), v0-2: change when a token expires (KIP-48)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.delegation import check_asker, expiry_answer
from pykafka_ops.wire.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)


def handle(context: Context, request: ExpireDelegationTokenRequest) -> Answer:
    """When it expires; now, where it is gone."""
    admin = check_asker(context)
    change = admin.expire(context.principal, bytes(request.hmac), request.expiry_time_period_ms)
    return expiry_answer(change, ExpireDelegationTokenResponse)
