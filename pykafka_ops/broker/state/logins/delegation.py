"""Delegation tokens: secrets that stand for a login (KIP-48), who may do what with them, and the
SCRAM credentials that follow from them.

Counterpart of ``DelegationTokenManager`` and ``DelegationTokenCache``. Times are in ms since 1970.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from pykafka_ops.broker.state.logins.scram import ScramLogin
from pykafka_ops.broker.state.session import ANONYMOUS, USER, Session
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.scram import Credential, Mechanism
from pykafka_ops.wire.codes import ErrorCode


class DelegationToken(NamedTuple):
    """Principals as ``User:alice``. It was ``issued``, it ``expires`` unless it is renewed, but not
    beyond ``latest``."""

    id: str
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issued: int
    latest: int
    expires: int

    def belongs_to(self, principal: str) -> bool:
        """Whether the principal owns it, has asked for it or may renew it."""
        return principal in (self.owner, self.requester, *self.renewers)

    def is_renewable_by(self, principal: str) -> bool:
        """Whether the principal may change when it expires."""
        return principal in (self.owner, *self.renewers)

    def is_over(self, now: int) -> bool:
        """Whether it has expired, and cannot be renewed."""
        return self.expires < now or self.latest < now


class TokenLimits(NamedTuple):
    """``delegation.token.max.lifetime.ms`` and ``delegation.token.expiry.time.ms``."""

    longest: int
    renewal: int


def may_ask(session: Session) -> bool:
    """Whether requests about tokens are taken: not from who has shown nothing, or just a token."""
    if session.by_token or session.protocol == "PLAINTEXT":
        return False
    return session.protocol != "SSL" or session.principal != ANONYMOUS


def new_token(
    token_id: str,
    people: tuple[str, str, Collection[str]],
    lifetime: int,
    limits: TokenLimits,
    now: int,
) -> DelegationToken:
    """A token for its owner, requester and renewers; ``lifetime`` 0 or less is the longest there
    is. Raises KafkaError INVALID_PRINCIPAL_TYPE."""
    owner, requester, renewers = people
    if any(not renewer.startswith(f"{USER}:") for renewer in renewers):
        raise KafkaError(ErrorCode.INVALID_PRINCIPAL_TYPE)
    latest = now + (limits.longest if lifetime <= 0 else min(lifetime, limits.longest))
    expires = min(latest, now + limits.renewal)
    return DelegationToken(token_id, owner, requester, tuple(renewers), now, latest, expires)


def renewed(
    token: DelegationToken, principal: str, period: int, limits: TokenLimits, now: int
) -> DelegationToken:
    """The token after a RenewDelegationToken; a negative ``period`` is the usual one. Raises
    KafkaError."""
    _check(token, principal)
    if token.is_over(now):
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_EXPIRED)
    wanted = now + (limits.renewal if period < 0 else period)
    return token._replace(expires=min(token.latest, wanted))


def expired(
    token: DelegationToken, principal: str, period: int, now: int
) -> DelegationToken | None:
    """The token after an ExpireDelegationToken, None if it is to go at once (a negative
    ``period``). Raises KafkaError."""
    _check(token, principal)
    if period < 0:
        return None
    if token.is_over(now):
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_EXPIRED)
    return token._replace(expires=min(token.latest, now + period))


def _check(token: DelegationToken, principal: str) -> None:
    if not token.is_renewable_by(principal):
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH)


class DelegationTokens:
    """All tokens of the cluster; ``secret`` is ``delegation.token.secret.key``."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._tokens: dict[str, DelegationToken] = {}
        self._by_hmac: dict[bytes, str] = {}
        self._credentials: dict[tuple[str, str], Credential] = {}

    def hmac(self, token_id: str) -> bytes:
        """The secret of a token; in base64 it is the password."""
        return hmac.digest(self._secret, token_id.encode(), "sha512")

    def put(self, token: DelegationToken) -> None:
        """There is this token now."""
        self._tokens[token.id] = token
        self._by_hmac[self.hmac(token.id)] = token.id

    def remove(self, token_id: str) -> None:
        """There is no such token any more."""
        self._tokens.pop(token_id, None)
        self._by_hmac.pop(self.hmac(token_id), None)
        for key in [key for key in self._credentials if key[0] == token_id]:
            del self._credentials[key]

    def __iter__(self) -> Iterator[DelegationToken]:
        """All of them."""
        return iter(list(self._tokens.values()))

    def by_hmac(self, secret: bytes) -> DelegationToken:
        """The token with that secret. Raises KafkaError DELEGATION_TOKEN_NOT_FOUND."""
        token_id = self._by_hmac.get(secret)
        if token_id is None:
            raise KafkaError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND)
        return self._tokens[token_id]

    def visible_to(
        self, principal: str, owners: Collection[str] | None, may_see: Callable[[str, str], bool]
    ) -> list[DelegationToken]:
        """The tokens of ``owners`` (None: of all) that the principal may see: its own, and by
        ``may_see(token id, owner)`` others."""
        return [
            token
            for token in self
            if (owners is None or any(token.belongs_to(owner) for owner in owners))
            and (token.belongs_to(principal) or may_see(token.id, token.owner))
        ]

    def login(self, mechanism: Mechanism, token_id: str, now: int) -> ScramLogin | None:
        """What a login with a token is checked with; None if it has expired or is unknown."""
        token = self._tokens.get(token_id)
        if token is None or token.is_over(now):
            return None
        key = token_id, mechanism.name
        found = self._credentials.get(key)
        if found is None:
            found = self._credentials[key] = self._credential(mechanism, token_id)
        return ScramLogin(found, token.owner.partition(":")[2], token.expires)

    def _credential(self, mechanism: Mechanism, token_id: str) -> Credential:
        secret = self.hmac(token_id)
        salt = hmac.digest(secret, b"salt", "sha256")
        count = mechanism.min_iterations
        salted = hashlib.pbkdf2_hmac(mechanism.digest, b64encode(secret), salt, count)
        return Credential.of(mechanism, salted, salt, count)
