"""ConsumerGroupDescribe (69), v0: the classic coordinator announces it and has no such groups."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


def handle(context: Context, request: object) -> Answer:
    """UNSUPPORTED_VERSION for each group, by which clients learn to ask DescribeGroups."""
    raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
