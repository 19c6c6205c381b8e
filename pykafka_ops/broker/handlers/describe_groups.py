"""DescribeGroups (15), v0-5: state and members of groups.

v3 can ask for authorised operations (KIP-430), v4 brought static members, v5 flexible headers.
An unknown group is "Dead", without an error.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import GROUP_OPERATIONS, NOT_ASKED
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)


def handle(context: Context, request: DescribeGroupsRequest) -> Answer:
    """Each group asked for, or the error for it."""
    response = DescribeGroupsResponse()
    for group_id in request.groups:
        try:
            described = _describe(context, group_id)
        except KafkaError as error:
            described = _unknown(group_id, "", error.code)
        else:
            if request.include_authorized_operations:
                described.authorized_operations = GROUP_OPERATIONS
        response.groups.append(described)
    return response


def _describe(context: Context, group_id: str) -> DescribedGroup:
    group = context.services.groups.describe(group_id)
    if group is None:
        return _unknown(group_id, GroupState.DEAD.value)
    stable = group.state is GroupState.STABLE
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol or "") if stable else "",
        members=_members(group, stable),
    )


def _members(group: Group, stable: bool) -> list[DescribedGroupMember]:
    """Protocol and assignments are shown only of a stable group."""
    return [
        DescribedGroupMember(
            member_id=member.id,
            group_instance_id=member.instance_id,
            client_id=member.client_id,
            client_host=member.client_host,
            member_metadata=member.metadata(group.protocol) if stable else b"",
            member_assignment=member.assignment if stable else b"",
        )
        for member in group.members.values()
    ]


def _unknown(group_id: str, state: str, code: int = 0) -> DescribedGroup:
    return DescribedGroup(
        error_code=code,
        group_id=group_id,
        group_state=state,
        protocol_type="",
        protocol_data="",
        members=[],
        authorized_operations=NOT_ASKED,
    )


def failed(
    request: DescribeGroupsRequest | None, version: int, error: KafkaError
) -> DescribeGroupsResponse:
    """Every group with the same error."""
    groups = request.groups if request else ()
    return DescribeGroupsResponse(groups=[_unknown(name, "", error.code) for name in groups])
