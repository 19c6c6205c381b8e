"""RemoveRaftVoter (81): let a controller vote no more (KIP-853)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import INT16, INT32, STRING, UUID


@message(ApiKey.REMOVE_RAFT_VOTER)
class RemoveRaftVoterRequest:
    """The controller."""

    cluster_id: str | None = wire(STRING, nullable="0+")
    voter_id: int = wire(INT32)
    voter_directory_id: bytes = wire(UUID)


@message(ApiKey.REMOVE_RAFT_VOTER)
class RemoveRaftVoterResponse:
    """The outcome."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
