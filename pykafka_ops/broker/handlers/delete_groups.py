"""DeleteGroups (42), v0-2: delete groups without members, with their offsets (KIP-229)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def handle(context: Context, request: DeleteGroupsRequest) -> Answer:
    """Delete what can be; answered when the tombstones are written."""
    found = context.services.groups.delete(request.groups_names)
    return found.shaped(_response) if isinstance(found, Deferred) else _response(found)


def _response(found: Iterable[Mapping[str, int]]) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=name, error_code=code)
            for codes in found
            for name, code in codes.items()
        ]
    )


def failed(
    request: DeleteGroupsRequest | None, version: int, error: KafkaError
) -> DeleteGroupsResponse:
    """Every group with the same error."""
    names = request.groups_names if request else ()
    return _response([dict.fromkeys(names, error.code)])
