"""ConsumerGroupDescribe: groups that the client may describe, if it may describe their topics."""

from __future__ import annotations

from typing import Any, Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import GROUP_OPERATIONS
from pykafka_ops.broker.handlers.rights.checks import (
    Each,
    Served,
    after,
    allowed_operations,
    refused,
)
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    DescribedGroup,
)

_GROUPS: Final = Each(Operation.DESCRIBE, ResourceType.GROUP, "group_ids", answered="group_id")
_HIDDEN: Final = "The group has described topic(s) that the client is not authorized to describe."


def guard(context: Context, request: ConsumerGroupDescribeRequest, served: Served) -> Answer:
    """An error for the other groups. Where there are no such groups, everybody hears that."""
    if context.services.groups.protocols is None:
        return served.handle(context, request)

    def hide(answer: Any) -> Any:
        answer.groups = [_without_hidden(context, group) for group in answer.groups]
        if request.include_authorized_operations:
            for group in answer.groups:
                if not group.error_code:
                    group.authorized_operations = allowed_operations(
                        context, ResourceType.GROUP, group.group_id, GROUP_OPERATIONS
                    )
        return answer

    return after(_GROUPS.answer(context, request, served), hide)


def _without_hidden(context: Context, group: DescribedGroup) -> DescribedGroup:
    """The group, or an error in place of one that has a topic which the client may not describe."""
    names = {
        topic.topic_name
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
        for topic in assignment.topic_partitions
    }
    names |= {name for member in group.members for name in member.subscribed_topic_names}
    if not refused(context, Operation.DESCRIBE, ResourceType.TOPIC, sorted(names), quiet=True):
        return group
    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return DescribedGroup(group_id=group.group_id, error_code=code, error_message=_HIDDEN)
