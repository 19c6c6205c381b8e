"""DescribeGroups: the groups that the client may describe, and what it may do with each."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import GROUP_OPERATIONS
from pykafka_ops.broker.handlers.rights.checks import Each, Served, after, allowed_operations
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse

_GROUPS: Final = Each(Operation.DESCRIBE, ResourceType.GROUP, "groups", answered="group_id")


def guard(context: Context, request: DescribeGroupsRequest, served: Served) -> Answer:
    """GROUP_AUTHORIZATION_FAILED for the others."""
    answer = _GROUPS.answer(context, request, served)
    if not request.include_authorized_operations:
        return answer
    return after(answer, lambda found: _with_operations(context, found))


def _with_operations(context: Context, answer: DescribeGroupsResponse) -> DescribeGroupsResponse:
    for group in answer.groups:
        if not group.error_code:
            group.authorized_operations = allowed_operations(
                context, ResourceType.GROUP, group.group_id, GROUP_OPERATIONS
            )
    return answer
