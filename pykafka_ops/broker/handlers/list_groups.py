"""ListGroups (16), v0-5: the groups this broker coordinates.

All groups here are classic.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.groups.group import Group
from pykafka_ops.broker.state.steps import Steps, begun, each
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
    return begun(_answer(response, list(groups.all()), states))


def _answer(
    response: ListGroupsResponse, groups: list[Group], states: set[str]
) -> Steps[ListGroupsResponse]:
    def listed(group: Group) -> ListedGroup | None:
        if states and group.state.value.lower() not in states:
            return None
        return ListedGroup(
            group_id=group.id,
            protocol_type=group.protocol_type or "",
            group_state=group.state.value,
            group_type=CLASSIC,
        )

    found = yield from each(listed, groups)
    response.groups = [group for group in found if group is not None]
    return response
