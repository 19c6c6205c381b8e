"""ListGroups: of a client that may not describe the cluster, the groups that it may describe."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Served, after, without_hidden
from pykafka_ops.broker.state.steps import begun
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest


def guard(context: Context, request: ListGroupsRequest, served: Served) -> Answer:
    """All groups, or some."""
    answer = served.handle(context, request)
    if context.may(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        return answer
    about = ("groups", ResourceType.GROUP, "group_id")
    return after(answer, lambda found: begun(without_hidden(context, found, *about)))
