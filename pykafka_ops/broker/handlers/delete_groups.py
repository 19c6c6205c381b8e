"""DeleteGroups (42), v0-2: delete groups without members, with their offsets (KIP-229)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.wire.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def handle(context: Context, request: DeleteGroupsRequest) -> Answer:
    """Delete what can be; answered when the tombstones are written."""
    return shaped(context.services.groups.delete(request.groups_names), _response)


def _response(found: Iterable[Mapping[str, int]]) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=name, error_code=code)
            for codes in found
            for name, code in codes.items()
        ]
    )
