"""UnregisterBroker (64): forget a broker (KRaft only). For clients only."""

from __future__ import annotations

from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(api=64, kind="request", versions="0", flexible="0+")
class UnregisterBrokerRequest:
    """The broker to forget."""

    broker_id: int = wire(INT32)


@message(api=64, kind="response", versions="0", flexible="0+")
class UnregisterBrokerResponse:
    """Whether it was forgotten."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
