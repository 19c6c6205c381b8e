"""LeaveGroup (13): members go; version 3 takes several (KIP-345), 5 a reason (KIP-800)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@struct
class MemberIdentity:
    """A member, by id or by its static name."""

    member_id: str = wire(STRING, "3+")
    group_instance_id: str | None = wire(STRING, "3+", nullable="3+", default=None)
    reason: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)


@message(ApiKey.LEAVE_GROUP)
class LeaveGroupRequest:
    """``member_id`` to version 2, ``members`` from 3."""

    group_id: str = wire(STRING)
    member_id: str = wire(STRING, "0-2")
    members: list[MemberIdentity] = wire([MemberIdentity], "3+")


@struct
class MemberResponse:
    """The outcome for one member."""

    member_id: str = wire(STRING, "3+")
    group_instance_id: str | None = wire(STRING, "3+", nullable="3+")
    error_code: int = wire(INT16, "3+")


@message(ApiKey.LEAVE_GROUP)
class LeaveGroupResponse:
    """The outcome for the request and for each member."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16)
    members: list[MemberResponse] = wire([MemberResponse], "3+")
