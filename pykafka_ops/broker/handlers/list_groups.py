"""ListGroups (16), v0-5: the groups this broker coordinates.

All groups here are classic.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_groups import (
    ListedGroup,
    ListGroupsRequest,
    ListGroupsResponse,
)

CLASSIC = "classic"


def handle(context: Context, request: ListGroupsRequest) -> Answer:
    """The groups that pass the filters; those of partitions still being loaded are missing."""
    groups = context.services.groups
    states = {state.lower() for state in request.states_filter}
    types = {kind.lower() for kind in request.types_filter}
    response = ListGroupsResponse()
    if groups.loading:
        response.error_code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    if types and CLASSIC not in types:
        return response
    for group in groups.all():
        if not states or group.state.value.lower() in states:
            response.groups.append(
                ListedGroup(
                    group_id=group.id,
                    protocol_type=group.protocol_type or "",
                    group_state=group.state.value,
                    group_type=CLASSIC,
                )
            )
    return response
