"""ConsumerGroupDescribe (69), v0: the classic coordinator announces it and has no such groups."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)


def handle(context: Context, request: ConsumerGroupDescribeRequest) -> Answer:
    """UNSUPPORTED_VERSION for each group, by which clients learn to ask DescribeGroups."""
    return ConsumerGroupDescribeResponse(
        groups=[
            DescribedGroup(group_id=group, error_code=ErrorCode.UNSUPPORTED_VERSION)
            for group in request.group_ids
        ]
    )
