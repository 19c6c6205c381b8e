"""JoinGroup (11), v0-9: become a member and wait for the others."""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.join_group_answer import MAY_SKIP_FROM, response
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.groups.answers import Joined, JoinRequest
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupResponse

KNOWN_ID_FROM = 4
LONGEST_REASON = 255


def handle(context: Context, request: JoinGroupRequest) -> Answer:
    """Join, and answer when the generation begins.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    joined = context.services.groups.join(request.group_id, asked(request, context))
    return joined.shaped(partial(response, version=context.version))


def shape(context: Context, request: JoinGroupRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests that are the same."""
    from pykafka_ops.broker.handlers import join_group_shape

    return join_group_shape.shape(context, request, frame, asked(request, context))


def asked(request: JoinGroupRequest, context: Context) -> JoinRequest:
    """What the request asks for, whatever its version."""
    version = context.version
    return JoinRequest(
        request.member_id,
        request.group_instance_id,
        context.client_id or "",
        f"/{context.client_host}",
        request.session_timeout_ms,
        request.session_timeout_ms if version < 1 else request.rebalance_timeout_ms,
        request.protocol_type,
        tuple((protocol.name, bytes(protocol.metadata)) for protocol in request.protocols),
        (request.reason or "not provided")[:LONGEST_REASON],
        known_id=version >= KNOWN_ID_FROM and request.group_instance_id is None,
        may_skip=version >= MAY_SKIP_FROM,
    )


def failed(request: JoinGroupRequest, version: int, error: KafkaError) -> JoinGroupResponse:
    """No generation, the member's own id, and the error."""
    return response(Joined(ErrorCode.of(error.code), request.member_id), version)
