"""FindCoordinator (10): which broker coordinates a group or transactional id.

Key type 0 group, 1 transactional id, 2 share group (version 6). Version 4 asks for several keys at
once (KIP-699) and answers in ``coordinators`` only.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


@message(ApiKey.FIND_COORDINATOR)
class FindCoordinatorRequest:
    """``key`` to version 3, ``coordinator_keys`` from 4."""

    key: str = wire(STRING, "0-3")
    key_type: int = wire(INT8, "1+")
    coordinator_keys: list[str] = wire([STRING], "4+")


@struct
class Coordinator:
    """The coordinator of one key."""

    key: str = wire(STRING, "4+")
    node_id: int = wire(INT32, "4+")
    host: str = wire(STRING, "4+")
    port: int = wire(INT32, "4+")
    error_code: int = wire(INT16, "4+")
    error_message: str | None = wire(STRING, "4+", nullable="4+", ignorable=True)


@message(ApiKey.FIND_COORDINATOR)
class FindCoordinatorResponse:
    """The coordinator (to version 3) or those of all keys (from 4)."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16, "0-3")
    error_message: str | None = wire(STRING, "1-3", nullable="1-3", ignorable=True)
    node_id: int = wire(INT32, "0-3")
    host: str = wire(STRING, "0-3")
    port: int = wire(INT32, "0-3")
    coordinators: list[Coordinator] = wire([Coordinator], "4+")
