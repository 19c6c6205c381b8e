"""LeaveGroup (13), v0-5: members go."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.groups.answers import Leaving
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberResponse,
)

SEVERAL_FROM = 3


def handle(context: Context, request: LeaveGroupRequest) -> Answer:
    """Take the members out, each with its own result.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    if context.version < SEVERAL_FROM:
        leaving = [Leaving(request.member_id)]
    else:
        leaving = [
            Leaving(each.member_id, each.group_instance_id, each.reason or "not provided")
            for each in request.members
        ]

    def shape(codes: ErrorCode | list[ErrorCode]) -> LeaveGroupResponse:
        if isinstance(codes, ErrorCode):
            return LeaveGroupResponse(error_code=codes)
        if context.version < SEVERAL_FROM:
            return LeaveGroupResponse(error_code=codes[0])
        return LeaveGroupResponse(
            members=[
                MemberResponse(
                    member_id=who.member_id, group_instance_id=who.instance_id, error_code=code
                )
                for who, code in zip(leaving, codes, strict=True)
            ]
        )

    return context.services.groups.leave(request.group_id, leaving).shaped(shape)
