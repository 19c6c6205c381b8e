"""CreateDelegationToken (38): a secret that stands for a login (KIP-48).

Times are in ms. Version 3 lets one principal ask for another (KIP-373).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.shared import Principal
from pykafka_ops.wire.types import BYTES, INT16, INT32, INT64, STRING

CreatableRenewers = Principal


@message(ApiKey.CREATE_DELEGATION_TOKEN)
class CreateDelegationTokenRequest:
    """A token to create; lifetime -1 means the broker's maximum."""

    owner_principal_type: str | None = wire(STRING, "3+", nullable="3+")
    owner_principal_name: str | None = wire(STRING, "3+", nullable="3+")
    renewers: list[CreatableRenewers] = wire([CreatableRenewers])
    max_lifetime_ms: int = wire(INT64)


@message(ApiKey.CREATE_DELEGATION_TOKEN)
class CreateDelegationTokenResponse:
    """The token: its id, and the HMAC that is its secret."""

    error_code: int = wire(INT16)
    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)
    token_requester_principal_type: str = wire(STRING, "3+")
    token_requester_principal_name: str = wire(STRING, "3+")
    issue_timestamp_ms: int = wire(INT64)
    expiry_timestamp_ms: int = wire(INT64)
    max_timestamp_ms: int = wire(INT64)
    token_id: str = wire(STRING)
    hmac: bytes = wire(BYTES)
    throttle_time_ms: int = wire(INT32)
