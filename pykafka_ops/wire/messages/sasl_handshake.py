"""SaslHandshake (17): choose a SASL mechanism.

After version 0 raw SASL tokens follow, after version 1 SaslAuthenticate requests (KIP-152).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, STRING


@message(ApiKey.SASL_HANDSHAKE)
class SaslHandshakeRequest:
    """The mechanism the client wants."""

    mechanism: str = wire(STRING)


@message(ApiKey.SASL_HANDSHAKE)
class SaslHandshakeResponse:
    """The mechanisms the broker has; UNSUPPORTED_SASL_MECHANISM if not that one."""

    error_code: int = wire(INT16)
    mechanisms: list[str] = wire([STRING])
