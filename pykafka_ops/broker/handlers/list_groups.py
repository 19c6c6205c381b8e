"""ListGroups (16), v0-5: the groups this broker coordinates, of both types."""

from __future__ import annotations

from pykafka_ops.broker.coordinators.groups import AnyGroup
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_groups import (
    ListedGroup,
    ListGroupsRequest,
    ListGroupsResponse,
)


def handle(context: Context, request: ListGroupsRequest) -> Answer:
    """The groups that pass the filters; those of partitions still being loaded are missing."""
    groups = context.services.groups
    states = {state.lower() for state in request.states_filter}
    types = {kind.lower() for kind in request.types_filter}
    response = ListGroupsResponse()
    if groups.loading:
        response.error_code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    return begun(_answer(response, list(groups.listed()), states, types))


def _answer(
    response: ListGroupsResponse, groups: list[AnyGroup], states: set[str], types: set[str]
) -> Steps[ListGroupsResponse]:
    def listed(group: AnyGroup) -> ListedGroup | None:
        if (states and group.state.lower() not in states) or (types and group.type not in types):
            return None
        return ListedGroup(
            group_id=group.id,
            protocol_type=group.protocol_type,
            group_state=group.state,
            group_type=group.type,
        )

    found = yield from each(listed, groups)
    response.groups = [group for group in found if group is not None]
    return response
