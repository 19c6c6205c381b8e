"""DescribeGroups (15), v0-5: state and members of groups.

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
    operations = GROUP_OPERATIONS if request.include_authorized_operations else NOT_ASKED
    response = DescribeGroupsResponse()
    for group_id in request.groups:
        try:
            described = _describe(group_id, context.services.groups.describe(group_id))
            described.authorized_operations = operations
        except KafkaError as error:
            described = DescribedGroup(group_id=group_id, error_code=error.code)
        response.groups.append(described)
    return response


def _describe(group_id: str, group: Group | None) -> DescribedGroup:
    if group is None:
        return DescribedGroup(group_id=group_id, group_state=GroupState.DEAD.value)
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
