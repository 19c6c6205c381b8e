"""What the APIs of delegation tokens have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.logins.delegation import may_ask
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.shared import Principal

if TYPE_CHECKING:  # few clients ask for it
    from pykafka_ops.broker.services.delegation_tokens import TokenAdmin


def check_asker(context: Context) -> TokenAdmin:
    """What serves requests about tokens. Raises KafkaError where they are not taken, as Kafka does:
    ``allowTokenRequests``, then ``tokenAuthEnabled``."""
    if not may_ask(context.session):
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    admin = context.services.delegation_tokens
    if admin is None:
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    return admin


async def expiry_answer(change: Awaitable[int], response: Callable[..., Answer]) -> Answer:
    """The ``response`` that tells when a token expires, once ``change`` knows it (ms)."""
    return response(expiry_timestamp_ms=await change)


def principal_of(given: Principal) -> str:
    """As ``User:alice``."""
    return f"{given.principal_type}:{given.principal_name}"
