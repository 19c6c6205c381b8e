"""RenewDelegationToken (39), v0-2: refused, since nobody logs in on a plaintext listener."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def handle(context: Context, request: object) -> Answer:
    """DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, and no time of expiry."""
    raise KafkaError(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
