"""DeleteGroups (42): delete groups without members (KIP-229). Version 3 says why not."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(ApiKey.DELETE_GROUPS)
class DeleteGroupsRequest:
    """Groups to delete."""

    groups_names: list[str] = wire([STRING])


@struct
class DeletableGroupResult:
    """What became of one group."""

    group_id: str = wire(STRING)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "3+", nullable="3+", default=None, ignorable=True)


@message(ApiKey.DELETE_GROUPS)
class DeleteGroupsResponse:
    """The outcome for each group."""

    throttle_time_ms: int = wire(INT32)
    results: list[DeletableGroupResult] = wire([DeletableGroupResult])
