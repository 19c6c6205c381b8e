"""ListGroups (16): groups this broker coordinates.

Version 4 filters by state (KIP-518), 5 by type (KIP-848).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@message(ApiKey.LIST_GROUPS)
class ListGroupsRequest:
    """Filters; an empty one lets all pass."""

    states_filter: list[str] = wire([STRING], "4+")
    types_filter: list[str] = wire([STRING], "5+")


@struct
class ListedGroup:
    """One group."""

    group_id: str = wire(STRING)
    protocol_type: str = wire(STRING)
    group_state: str = wire(STRING, "4+", ignorable=True)
    group_type: str = wire(STRING, "5+", ignorable=True)


@message(ApiKey.LIST_GROUPS)
class ListGroupsResponse:
    """The groups that pass."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16)
    groups: list[ListedGroup] = wire([ListedGroup])
