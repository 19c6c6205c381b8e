"""ListGroups: of a client that may not describe the cluster, the groups that it may describe."""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Served, after
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.messages.list_groups import (
    ListedGroup,
    ListGroupsRequest,
    ListGroupsResponse,
)


def guard(context: Context, request: ListGroupsRequest, served: Served) -> Answer:
    """All groups, or some."""
    answer = served.handle(context, request)
    if context.may(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        return answer
    return after(answer, lambda found: begun(_shown(context, found)))


def _shown(context: Context, answer: ListGroupsResponse) -> Steps[ListGroupsResponse]:
    may = partial(context.may, Operation.DESCRIBE, ResourceType.GROUP, quiet=True)

    def one(group: ListedGroup) -> ListedGroup | None:
        return group if may(group.group_id) else None

    found = yield from each(one, answer.groups)
    answer.groups = [group for group in found if group is not None]
    return answer
