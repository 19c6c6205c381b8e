"""Answers to SyncGroup: as a message, or in bytes at once.

All members of a generation get the same but for their own assignment, which stands at the end.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

from pykafka_ops.broker.handlers.member_answers import framed, is_compact
from pykafka_ops.broker.state.groups.answers import Synced
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import EncodedAnswer
from pykafka_ops.wire.messages.sync_group import SyncGroupResponse
from pykafka_ops.wire.varint import varint

LARGEST = 16 << 10
"""Bytes of an assignment that is sent at once, in one piece."""
_NOTHING = {"plain": 4, "compact": 2}
"""Bytes of an empty assignment, and of no tagged fields where there may be some."""
_LENGTH = Struct(">i")
_GENERATIONS = 16


def response(synced: Synced) -> SyncGroupResponse:
    """The answer in any version."""
    return SyncGroupResponse(
        error_code=synced.code,
        protocol_type=synced.protocol_type,
        protocol_name=synced.protocol,
        assignment=synced.assignment,
    )


def whole(synced: Synced, version: int, correlation_id: int) -> object:
    """An answer without an error, in bytes if it is not long."""
    _, protocol_type, protocol, assignment = synced
    head, compact = _head(version, protocol_type, protocol)
    count = len(assignment)
    if count > LARGEST:
        return response(synced)
    if compact:
        data = b"".join((head, varint(count + 1), assignment, b"\0"))
    else:
        data = b"".join((head, _LENGTH.pack(count), assignment))
    return EncodedAnswer(data, ErrorCode.NONE).frame(correlation_id)


@lru_cache(_GENERATIONS)
def _head(version: int, protocol_type: str | None, protocol: str | None) -> tuple[bytes, bool]:
    """What stands between correlation id and assignment, and whether that is compact."""
    answer = response(Synced(ErrorCode.NONE, protocol_type, protocol))
    return framed(answer, version, **_NOTHING), is_compact(SyncGroupResponse, version)
