"""Delegation tokens: create, renew, expire, look up (KIP-48, KIP-373). Times are in ms.

Source: KafkaAdminClient.createDelegationToken and its like. A token's HMAC is its secret: requests
to renew and to expire hold it, and so does the answer to who may describe it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.wire.messages import create_delegation_token as cdt
from pykafka_ops.wire.messages import describe_delegation_token as ddt
from pykafka_ops.wire.messages import expire_delegation_token as edt
from pykafka_ops.wire.messages import renew_delegation_token as rdt
from pykafka_ops.wire.shared import Principal

_REQUESTERS = 3
"""The version that tells owners and requesters apart."""


class Token(NamedTuple):
    """A delegation token; principals as ``User:alice``. ``expires`` moves with each renewal, up to
    ``latest``. ``requester`` is "" where the brokers do not tell it."""

    id: str
    hmac: bytes
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issued: int
    expires: int
    latest: int

    def __repr__(self) -> str:
        """Without the secret."""
        return f"Token({self.id!r}, {self.owner!r})"


def create_token(
    cluster: Cluster, *, owner: str | None = None, renewers: Sequence[str] = (), life: int = -1
) -> Token:
    """A new token of ours, or of ``owner``; ``life`` -1: as long as the brokers allow.

    Raises KafkaError and what the connection raises.
    """
    request = cdt.CreateDelegationTokenRequest(
        owner_principal_type=_parted(owner)[0] if owner else None,
        owner_principal_name=_parted(owner)[1] if owner else None,
        renewers=[_principal(name) for name in renewers],
        max_lifetime_ms=life,
    )
    answer = cluster.call(
        request,
        cdt.CreateDelegationTokenResponse,
        name="createDelegationToken",
        lowest=_REQUESTERS if owner else 0,
    )
    raise_error(answer)
    times = answer.issue_timestamp_ms, answer.expiry_timestamp_ms, answer.max_timestamp_ms
    return Token(
        answer.token_id, bytes(answer.hmac), *_owner_and_requester(answer), tuple(renewers), *times
    )


def renew_token(cluster: Cluster, hmac: bytes, period: int = -1) -> int:
    """Let it live for ``period`` from now on, -1: as the brokers do by default; when it expires.

    Raises KafkaError and what the connection raises.
    """
    request = rdt.RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=period)
    answer = cluster.call(request, rdt.RenewDelegationTokenResponse, name="renewDelegationToken")
    raise_error(answer)
    return answer.expiry_timestamp_ms


def expire_token(cluster: Cluster, hmac: bytes, period: int = -1) -> int:
    """Let it expire ``period`` from now on, negative: at once; when that is.

    Raises KafkaError and what the connection raises.
    """
    request = edt.ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=period)
    answer = cluster.call(request, edt.ExpireDelegationTokenResponse, name="expireDelegationToken")
    raise_error(answer)
    return answer.expiry_timestamp_ms


def describe_tokens(cluster: Cluster, owners: Sequence[str] | None = None) -> list[Token]:
    """The tokens of the owners, None: of all, as far as we may see them; the newest last.

    Raises KafkaError and what the connection raises.
    """
    wanted = None if owners is None else [_principal(name) for name in owners]
    request = ddt.DescribeDelegationTokenRequest(owners=wanted)
    answer = cluster.call(
        request, ddt.DescribeDelegationTokenResponse, name="describeDelegationToken"
    )
    raise_error(answer)
    return sorted(map(_token, answer.tokens), key=lambda token: (token.issued, token.id))


def _token(described: ddt.DescribedDelegationToken) -> Token:
    renewers = tuple(f"{p.principal_type}:{p.principal_name}" for p in described.renewers)
    times = described.issue_timestamp, described.expiry_timestamp, described.max_timestamp
    return Token(
        described.token_id,
        bytes(described.hmac),
        *_owner_and_requester(described),
        renewers,
        *times,
    )


def _owner_and_requester(described: Any) -> tuple[str, str]:
    requester = described.token_requester_principal_type, described.token_requester_principal_name
    asked = ":".join(requester) if any(requester) else ""
    return f"{described.principal_type}:{described.principal_name}", asked


def _principal(text: str) -> Principal:
    type_, name = _parted(text)
    return Principal(principal_type=type_, principal_name=name)


def _parted(text: str) -> tuple[str, str]:
    type_, _, name = text.partition(":")
    return type_, name
