"""UnregisterBroker (64): forget a broker (KRaft only). For clients only."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(ApiKey.UNREGISTER_BROKER)
class UnregisterBrokerRequest:
    """The broker to forget."""

    broker_id: int = wire(INT32)


@message(ApiKey.UNREGISTER_BROKER)
class UnregisterBrokerResponse:
    """Whether it was forgotten."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
