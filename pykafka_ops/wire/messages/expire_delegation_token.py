"""ExpireDelegationToken (40): change when a token expires (KIP-48). Times are in ms."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BYTES, INT16, INT32, INT64


@message(ApiKey.EXPIRE_DELEGATION_TOKEN)
class ExpireDelegationTokenRequest:
    """A token to expire, by its HMAC; a negative period means at once."""

    hmac: bytes = wire(BYTES)
    expiry_time_period_ms: int = wire(INT64)


@message(ApiKey.EXPIRE_DELEGATION_TOKEN)
class ExpireDelegationTokenResponse:
    """When it now expires."""

    error_code: int = wire(INT16)
    expiry_timestamp_ms: int = wire(INT64)
    throttle_time_ms: int = wire(INT32)
