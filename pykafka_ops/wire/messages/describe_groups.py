"""DescribeGroups (15): state and members of classic groups.

Version 3 can ask for authorised operations, 4 adds static members (KIP-345), 6 says that a group is
not there by an error (KIP-1043); before, it was dead.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, BYTES, INT16, INT32, STRING


@message(ApiKey.DESCRIBE_GROUPS)
class DescribeGroupsRequest:
    """Groups to describe."""

    groups: list[str] = wire([STRING])
    include_authorized_operations: bool = wire(BOOL, "3+")


@struct
class DescribedGroupMember:
    """One member; metadata and assignment are the client's own bytes."""

    member_id: str = wire(STRING)
    group_instance_id: str | None = wire(STRING, "4+", nullable="4+", default=None, ignorable=True)
    client_id: str = wire(STRING)
    client_host: str = wire(STRING)
    member_metadata: bytes = wire(BYTES)
    member_assignment: bytes = wire(BYTES)


@struct
class DescribedGroup:
    """One group, or the error for it."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "6+", nullable="6+", default=None, ignorable=True)
    group_id: str = wire(STRING)
    group_state: str = wire(STRING)
    protocol_type: str = wire(STRING)
    protocol_data: str = wire(STRING)
    members: list[DescribedGroupMember] = wire([DescribedGroupMember])
    authorized_operations: int = wire(INT32, "3+", default=-2147483648)


@message(ApiKey.DESCRIBE_GROUPS)
class DescribeGroupsResponse:
    """Each group asked for."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    groups: list[DescribedGroup] = wire([DescribedGroup])
