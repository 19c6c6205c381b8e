"""RenewDelegationToken (39): let a token live on (KIP-48). Times are in ms."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BYTES, INT16, INT32, INT64


@message(ApiKey.RENEW_DELEGATION_TOKEN)
class RenewDelegationTokenRequest:
    """A token to renew, by its HMAC; -1 means the default period."""

    hmac: bytes = wire(BYTES)
    renew_period_ms: int = wire(INT64)


@message(ApiKey.RENEW_DELEGATION_TOKEN)
class RenewDelegationTokenResponse:
    """When it now expires."""

    error_code: int = wire(INT16)
    expiry_timestamp_ms: int = wire(INT64)
    throttle_time_ms: int = wire(INT32)
