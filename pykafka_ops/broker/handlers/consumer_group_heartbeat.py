"""ConsumerGroupHeartbeat (68), v0: the classic coordinator announces it and has no such groups."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def handle(context: Context, request: object) -> Answer:
    """UNSUPPORTED_VERSION: group.protocol=consumer needs a broker of Kafka 4."""
    raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
