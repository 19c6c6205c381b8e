"""Envelope (58): a broker forwards a client's request to the controller (KIP-590)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BYTES, INT16


@message(ApiKey.ENVELOPE)
class EnvelopeRequest:
    """The request with its header, and who sent it."""

    request_data: bytes = wire(BYTES)
    request_principal: bytes | None = wire(BYTES, nullable="0+")
    client_host_address: bytes = wire(BYTES)


@message(ApiKey.ENVELOPE)
class EnvelopeResponse:
    """The response with its header; null on error."""

    response_data: bytes | None = wire(BYTES, nullable="0+", default=None)
    error_code: int = wire(INT16)
