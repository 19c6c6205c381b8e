"""CreateDelegationToken (38), Renew (39), Expire (40), Describe (41): KIP-48.

Times are in ms. Creation version 3 lets one principal ask for another (KIP-373).
"""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BYTES, INT16, INT32, INT64, STRING


@struct
class CreatableRenewers:
    """Who may renew the token."""

    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)


@message(api=38, kind="request", versions="0-3", flexible="2+")
class CreateDelegationTokenRequest:
    """A token to create; lifetime -1 means the broker's maximum."""

    owner_principal_type: str | None = wire(STRING, "3+", nullable="3+")
    owner_principal_name: str | None = wire(STRING, "3+", nullable="3+")
    renewers: list[CreatableRenewers] = wire([CreatableRenewers])
    max_lifetime_ms: int = wire(INT64)


@message(api=38, kind="response", versions="0-3", flexible="2+")
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


@message(api=39, kind="request", versions="0-2", flexible="2+")
class RenewDelegationTokenRequest:
    """A token to renew, by its HMAC; -1 means the default period."""

    hmac: bytes = wire(BYTES)
    renew_period_ms: int = wire(INT64)


@message(api=39, kind="response", versions="0-2", flexible="2+")
class RenewDelegationTokenResponse:
    """When it now expires."""

    error_code: int = wire(INT16)
    expiry_timestamp_ms: int = wire(INT64)
    throttle_time_ms: int = wire(INT32)


@message(api=40, kind="request", versions="0-2", flexible="2+")
class ExpireDelegationTokenRequest:
    """A token to expire, by its HMAC; a negative period means at once."""

    hmac: bytes = wire(BYTES)
    expiry_time_period_ms: int = wire(INT64)


@message(api=40, kind="response", versions="0-2", flexible="2+")
class ExpireDelegationTokenResponse:
    """When it now expires."""

    error_code: int = wire(INT16)
    expiry_timestamp_ms: int = wire(INT64)
    throttle_time_ms: int = wire(INT32)


@struct
class DescribeDelegationTokenOwner:
    """An owner to look for."""

    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)


@message(api=41, kind="request", versions="0-3", flexible="2+")
class DescribeDelegationTokenRequest:
    """Owners to look for; null means all."""

    owners: list[DescribeDelegationTokenOwner] | None = wire(
        [DescribeDelegationTokenOwner], nullable="0+"
    )


@struct
class DescribedDelegationTokenRenewer:
    """Who may renew the token."""

    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)


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


@message(api=41, kind="response", versions="0-3", flexible="2+")
class DescribeDelegationTokenResponse:
    """The tokens the asker may see."""

    error_code: int = wire(INT16)
    tokens: list[DescribedDelegationToken] = wire([DescribedDelegationToken])
    throttle_time_ms: int = wire(INT32)
