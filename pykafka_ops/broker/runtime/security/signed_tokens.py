"""Checks signed tokens of OAuth 2.0 (JWT). Counterpart of ``ValidatorAccessTokenValidator``.

PyJWT does the signatures; only algorithms with two keys are taken, each with keys of its own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jwt

from pykafka_ops.broker.runtime.security.signing_keys import Jwk
from pykafka_ops.broker.state.logins.oauthbearer import Bearer, TokenRefusedError

KINDS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
}
"""The kind of key of each algorithm that is taken."""

Find = Callable[[str | None], Sequence[Jwk]]


class TokenRules(NamedTuple):
    """What ``sasl.oauthbearer.*`` says of tokens; ``skew`` in s."""

    audiences: list[str]
    issuer: str | None
    name_claim: str
    scope_claim: str
    skew: int


class TokenChecker:
    """``find(id)`` gives the keys that may have signed a token."""

    def __init__(self, find: Find, rules: TokenRules) -> None:
        self._find = find
        self._rules = rules

    def __call__(self, token: str, now: int) -> Bearer:
        """What a token says. Raises TokenRefusedError."""
        try:
            claims = self._claims(token)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise TokenRefusedError(f"{type(error).__name__}: {error}") from None
        name = claims.get(self._rules.name_claim)
        if not isinstance(name, str) or not name.strip():
            raise TokenRefusedError(f"no claim {self._rules.name_claim}")
        _check_scopes(claims.get(self._rules.scope_claim))
        expires = claims["exp"]
        if type(expires) not in (int, float) or not 0 <= expires < 10**12:
            raise TokenRefusedError("its exp is no time")
        return Bearer(name, int(expires * 1000))

    def _claims(self, token: str) -> dict[str, Any]:
        header = jwt.get_unverified_header(token)
        algorithm, rules = header.get("alg"), self._rules
        if algorithm not in KINDS:
            raise TokenRefusedError("its algorithm is not taken")
        identity = header.get("kid")
        if identity is not None and not isinstance(identity, str):
            raise TokenRefusedError("its kid is no text")
        key = self._key(algorithm, identity)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            [algorithm],
            {"require": ["exp", "iat"], "verify_aud": bool(rules.audiences)},
            audience=rules.audiences or None,
            issuer=rules.issuer,
            leeway=rules.skew,
        )
        return claims

    def _key(self, algorithm: str, identity: str | None) -> Any:
        fit = [
            key
            for key in self._find(identity)
            if key.get("kty") == KINDS[algorithm] and key.get("alg", algorithm) == algorithm
        ]
        if len(fit) != 1:
            raise TokenRefusedError("no key is known that may have signed it")
        return jwt.PyJWK(dict(fit[0]), algorithm).key


def _check_scopes(said: object) -> None:
    scopes = said.split() if isinstance(said, str) else said
    if scopes is None:
        return
    if not isinstance(scopes, list) or any(not isinstance(each, str) for each in scopes):
        raise TokenRefusedError("its scope is neither text nor a list of texts")
    if len(set(scopes)) != len(scopes) or any(not each.strip() for each in scopes):
        raise TokenRefusedError("its scope has an empty text, or one twice")
