"""Answers to JoinGroup: as a message, or in bytes at once to members that do not lead.

In a rebalance all of these get the same but for their own id, which stands near the end: what is
before it is encoded once for all.
"""

from __future__ import annotations

from functools import lru_cache

from pykafka_ops.broker.handlers.member_answers import common, framed
from pykafka_ops.broker.state.groups.answers import Joined
from pykafka_ops.wire.codec import encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import EncodedAnswer
from pykafka_ops.wire.messages.join_group import JoinGroupResponse, JoinGroupResponseMember

PROTOCOL_MAY_BE_NULL_FROM = 7
MAY_SKIP_FROM = 9
_NOBODY = {"plain": 6, "compact": 3}
"""Bytes of an empty member id and no members, and of no tagged fields where there may be some."""
_GENERATIONS = 16
"""What is kept: the members of a generation are answered one after the other."""


def response(joined: Joined, version: int) -> JoinGroupResponse:
    """The answer in that version."""
    protocol = joined.protocol
    if protocol is None and version < PROTOCOL_MAY_BE_NULL_FROM:
        protocol = ""
    return JoinGroupResponse(
        error_code=joined.code,
        generation_id=joined.generation,
        protocol_type=joined.protocol_type,
        protocol_name=protocol,
        leader=joined.leader,
        skip_assignment=joined.skip_assignment if version >= MAY_SKIP_FROM else False,
        member_id=joined.member_id,
        members=[
            JoinGroupResponseMember(
                member_id=member.id, group_instance_id=member.instance_id, metadata=member.metadata
            )
            for member in joined.members
        ],
    )


def ending(member_id: str, version: int) -> bytes:
    """The end of an answer to this member: its id, and no members."""
    answer = response(Joined(ErrorCode.NONE, member_id), version)
    nobody = response(Joined(ErrorCode.NONE, ""), version)
    return encode(answer, version)[len(common(nobody, version, **_NOBODY)) :]


def whole(joined: Joined, version: int, end: bytes, correlation_id: int) -> bytes:
    """An answer without an error and without members, of which ``end`` is the :func:`ending`."""
    answer = EncodedAnswer(_head(version, *joined[2:7]) + end, ErrorCode.NONE)
    return answer.frame(correlation_id)


@lru_cache(_GENERATIONS)
def _head(version: int, *known: object) -> bytes:
    """What stands between correlation id and member id."""
    joined = Joined._make((ErrorCode.NONE, "", *known, ()))
    return framed(response(joined, version), version, **_NOBODY)
