"""JoinGroup: of groups that the client may read."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Served
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.join_group import JoinGroupRequest


def guard(context: Context, request: JoinGroupRequest, served: Served) -> Answer:
    """The error for the others, who get no member id, not even their own."""
    if context.may(Operation.READ, ResourceType.GROUP, request.group_id):
        return served.handle(context, request)
    nobody = JoinGroupRequest(group_id=request.group_id)
    error = KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    return served.failed(nobody, context.version, error)
