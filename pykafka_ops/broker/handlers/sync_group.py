"""SyncGroup (14), v0-5: the leader gives the assignments, every member gets its own."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.sync_group_answer import response
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.answers import SyncRequest
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest

PROTOCOL_FROM = 5


def handle(context: Context, request: SyncGroupRequest) -> Answer:
    """The member's assignment, once the leader's are written.

    Raises KafkaError INCONSISTENT_GROUP_PROTOCOL, INVALID_GROUP_ID or NOT_COORDINATOR, and
    REBALANCE_IN_PROGRESS while groups are loaded: members then join again.
    """
    compares = context.version >= PROTOCOL_FROM
    if compares and (request.protocol_type is None or request.protocol_name is None):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    wanted = asked(request, context.version)
    return shaped(context.services.groups.sync(request.group_id, wanted), response)


def shape(context: Context, request: SyncGroupRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests that are the same."""
    from pykafka_ops.broker.handlers import sync_group_shape

    return sync_group_shape.shape(context, request, frame, asked(request, context.version))


def asked(request: SyncGroupRequest, version: int) -> SyncRequest:
    """What the request asks for, whatever its version."""
    compares = version >= PROTOCOL_FROM
    return SyncRequest(
        request.member_id,
        request.group_instance_id,
        request.generation_id,
        request.protocol_type if compares else None,
        request.protocol_name if compares else None,
        {each.member_id: bytes(each.assignment) for each in request.assignments},
    )
