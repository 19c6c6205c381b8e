"""AddRaftVoter (80): let a controller vote (KIP-853)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING, UINT16, UUID


@struct
class Listener:
    """One address."""

    name: str = wire(STRING)
    host: str = wire(STRING)
    port: int = wire(UINT16)


@message(ApiKey.ADD_RAFT_VOTER)
class AddRaftVoterRequest:
    """The controller and its addresses."""

    cluster_id: str | None = wire(STRING, nullable="0+")
    timeout_ms: int = wire(INT32)
    voter_id: int = wire(INT32)
    voter_directory_id: bytes = wire(UUID)
    listeners: list[Listener] = wire([Listener])
    ack_when_committed: bool = wire(BOOL, "1+", default=True)


@message(ApiKey.ADD_RAFT_VOTER)
class AddRaftVoterResponse:
    """The outcome."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
