"""JoinGroup (11): become a member and wait for the others.

Version 1 adds the rebalance timeout, 4 hands out the member id first (KIP-394), 5 static members
(KIP-345), 8 a reason (KIP-800), 9 lets the leader skip the assignment (KIP-814).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, BYTES, INT16, INT32, STRING


@struct
class JoinGroupRequestProtocol:
    """One assignor that the member supports, with the metadata for it."""

    name: str = wire(STRING)
    metadata: bytes = wire(BYTES)


@message(ApiKey.JOIN_GROUP)
class JoinGroupRequest:
    """A member and the protocols it speaks, most liked first."""

    group_id: str = wire(STRING)
    session_timeout_ms: int = wire(INT32)
    rebalance_timeout_ms: int = wire(INT32, "1+", default=-1, ignorable=True)
    member_id: str = wire(STRING)
    group_instance_id: str | None = wire(STRING, "5+", nullable="5+", default=None)
    protocol_type: str = wire(STRING)
    protocols: list[JoinGroupRequestProtocol] = wire([JoinGroupRequestProtocol])
    reason: str | None = wire(STRING, "8+", nullable="8+", default=None, ignorable=True)


@struct
class JoinGroupResponseMember:
    """One member; only the leader gets the list."""

    member_id: str = wire(STRING)
    group_instance_id: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)
    metadata: bytes = wire(BYTES)


@message(ApiKey.JOIN_GROUP)
class JoinGroupResponse:
    """The generation, its protocol and its leader."""

    throttle_time_ms: int = wire(INT32, "2+", ignorable=True)
    error_code: int = wire(INT16)
    generation_id: int = wire(INT32, default=-1)
    protocol_type: str | None = wire(STRING, "7+", nullable="7+", default=None, ignorable=True)
    protocol_name: str | None = wire(STRING, nullable="7+")
    leader: str = wire(STRING)
    skip_assignment: bool = wire(BOOL, "9+")
    member_id: str = wire(STRING)
    members: list[JoinGroupResponseMember] = wire([JoinGroupResponseMember])
