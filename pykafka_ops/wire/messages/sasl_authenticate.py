"""SaslAuthenticate (36): one step of a SASL exchange (KIP-152).

Version 1 says how long the session lasts (KIP-368).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BYTES, INT16, INT64, STRING


@message(ApiKey.SASL_AUTHENTICATE)
class SaslAuthenticateRequest:
    """A token from the client."""

    auth_bytes: bytes = wire(BYTES)


@message(ApiKey.SASL_AUTHENTICATE)
class SaslAuthenticateResponse:
    """A token from the broker; lifetime 0 ms means without end."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    auth_bytes: bytes = wire(BYTES)
    session_lifetime_ms: int = wire(INT64, "1+", ignorable=True)
