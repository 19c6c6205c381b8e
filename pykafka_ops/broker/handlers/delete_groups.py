"""DeleteGroups (42), v0-2: delete groups without members, with their offsets (KIP-229)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.coordinators.groups import GroupSlot
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context


def handle(context: Context, request: DeleteGroupsRequest) -> Answer:
    """Delete what can be; answered when the tombstones are written."""
    groups = context.services.groups
    codes: dict[str, int] = {}
    work: dict[int, tuple[GroupSlot, list[str]]] = {}
    for group_id in dict.fromkeys(request.groups_names):
        try:
            slot = groups.slot_of(group_id, may_be_empty=True)
        except KafkaError as error:
            codes[group_id] = error.code
        else:
            work.setdefault(id(slot), (slot, []))[1].append(group_id)
    answer = Deferred()
    left = len(work)

    def done(found: object) -> None:
        nonlocal left
        assert isinstance(found, dict)
        codes.update(found)
        left -= 1
        if not left:
            answer.resolve(_response(codes))

    for slot, names in work.values():
        ticket = Deferred()
        ticket.then(done)
        groups.run(slot, slot.shard.delete_groups(names, ticket, groups.now()))
    if not work:
        return _response(codes)
    return answer.answer if answer.done else answer


def _response(codes: dict[str, int]) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=name, error_code=code) for name, code in codes.items()
        ]
    )


def failed(
    request: DeleteGroupsRequest | None, version: int, error: KafkaError
) -> DeleteGroupsResponse:
    """Every group with the same error."""
    names = request.groups_names if request else ()
    return _response(dict.fromkeys(names, ErrorCode.of(error.code)))
