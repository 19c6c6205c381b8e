"""Answers to a group's requests, independent of the wire's versions."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.broker.state.groups.group import MEMBER_BYTES, protocols_size
from pykafka_ops.wire.codes import ErrorCode

NO_MEMBER = ""


class JoinMember(NamedTuple):
    """A member as the leader gets to know it."""

    id: str
    instance_id: str | None
    metadata: bytes


class Joined(NamedTuple):
    """The answer to JoinGroup; ``members`` only for the leader."""

    code: ErrorCode
    member_id: str
    generation: int = -1
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    members: tuple[JoinMember, ...] = ()


class Synced(NamedTuple):
    """The answer to SyncGroup."""

    code: ErrorCode
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: bytes = b""


class JoinRequest(NamedTuple):
    """A JoinGroup. ``known_id`` asks new members to come back with the id they are given
    (KIP-394), ``may_skip`` is for leaders that can do without assigning (KIP-814)."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout: int
    rebalance_timeout: int
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    reason: str = "not provided"
    known_id: bool = False
    may_skip: bool = False

    @property
    def size(self) -> int:
        """Bytes that a member holds who sends this."""
        named = len(self.member_id) + len(self.instance_id or "") + len(self.client_id)
        return MEMBER_BYTES + named + protocols_size(self.protocols)


class SyncRequest(NamedTuple):
    """A SyncGroup; ``protocol_type`` and ``protocol`` are None where the version has none."""

    member_id: str
    instance_id: str | None
    generation: int
    protocol_type: str | None
    protocol: str | None
    assignments: dict[str, bytes]


class Leaving(NamedTuple):
    """Who leaves, by id or (id empty) by static name."""

    member_id: str
    instance_id: str | None = None
    reason: str = "not provided"
