"""DescribeDelegationToken (41): which tokens there are (KIP-48).

Times are in ms. Version 3 says who asked for a token on behalf of its owner (KIP-373).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import Principal
from pykafka_ops.wire.types import BYTES, INT16, INT32, INT64, STRING

DescribeDelegationTokenOwner = Principal
DescribedDelegationTokenRenewer = Principal


@message(ApiKey.DESCRIBE_DELEGATION_TOKEN)
class DescribeDelegationTokenRequest:
    """Owners to look for; null means all."""

    owners: list[DescribeDelegationTokenOwner] | None = wire(
        [DescribeDelegationTokenOwner], nullable="0+"
    )


@struct
class DescribedDelegationToken:
    """One token."""

    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)
    token_requester_principal_type: str = wire(STRING, "3+")
    token_requester_principal_name: str = wire(STRING, "3+")
    issue_timestamp: int = wire(INT64)
    expiry_timestamp: int = wire(INT64)
    max_timestamp: int = wire(INT64)
    token_id: str = wire(STRING)
    hmac: bytes = wire(BYTES)
    renewers: list[DescribedDelegationTokenRenewer] = wire([DescribedDelegationTokenRenewer])


@message(ApiKey.DESCRIBE_DELEGATION_TOKEN)
class DescribeDelegationTokenResponse:
    """The tokens the asker may see."""

    error_code: int = wire(INT16)
    tokens: list[DescribedDelegationToken] = wire([DescribedDelegationToken])
    throttle_time_ms: int = wire(INT32)
