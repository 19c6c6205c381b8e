"""DeleteGroups: groups that the client may delete."""

from __future__ import annotations

from copy import copy
from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest

_GROUPS: Final = Each(Operation.DELETE, ResourceType.GROUP, "groups_names", answered="group_id")


def guard(context: Context, request: DeleteGroupsRequest, served: Served) -> Answer:
    """GROUP_AUTHORIZATION_FAILED for the others, once for each name."""
    once = copy(request)
    once.groups_names = list(dict.fromkeys(request.groups_names))
    return _GROUPS.answer(context, once, served)
