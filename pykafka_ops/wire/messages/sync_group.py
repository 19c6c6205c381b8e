"""SyncGroup (14): the leader gives the assignments, every member gets its own.

Version 3 adds static members (KIP-345), 5 the protocol, to be compared (KIP-559).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BYTES, INT16, INT32, STRING


@struct
class SyncGroupRequestAssignment:
    """What one member gets."""

    member_id: str = wire(STRING)
    assignment: bytes = wire(BYTES)


@message(ApiKey.SYNC_GROUP)
class SyncGroupRequest:
    """The assignments, from the leader; empty from the others."""

    group_id: str = wire(STRING)
    generation_id: int = wire(INT32)
    member_id: str = wire(STRING)
    group_instance_id: str | None = wire(STRING, "3+", nullable="3+", default=None)
    protocol_type: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)
    protocol_name: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)
    assignments: list[SyncGroupRequestAssignment] = wire([SyncGroupRequestAssignment])


@message(ApiKey.SYNC_GROUP)
class SyncGroupResponse:
    """The assignment of the member that asked."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16)
    protocol_type: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)
    protocol_name: str | None = wire(STRING, "5+", nullable="5+", default=None, ignorable=True)
    assignment: bytes = wire(BYTES)
