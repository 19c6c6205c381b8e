"""Tokens that nobody signed, for tests: whoever sends one is who it says.

Counterpart of ``OAuthBearerUnsecuredValidatorCallbackHandler`` and ``OAuthBearerUnsecuredJws``.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from pykafka_ops.broker.state.logins.oauthbearer import Bearer, TokenRefusedError, Validate
from pykafka_ops.errors import SettingError

OPTION = "unsecuredValidator"
LOGIN_CLAIM = "unsecuredLoginStringClaim_"


def is_allowed(options: Mapping[str, str]) -> bool:
    """Whether the options of a login module ask for it."""
    return any(name.startswith((OPTION, LOGIN_CLAIM)) for name in options)


def validator(options: Mapping[str, str]) -> Validate:
    """By the options ``unsecuredValidator...`` of Kafka's login module. Raises SettingError."""
    name_claim = options.get(f"{OPTION}PrincipalClaimName") or "sub"
    scope_claim = options.get(f"{OPTION}ScopeClaimName") or "scope"
    required = (options.get(f"{OPTION}RequiredScope") or "").split()
    skew = options.get(f"{OPTION}AllowableClockSkewMs") or "0"
    if not skew.isdecimal():
        raise SettingError(f"{OPTION}AllowableClockSkewMs={skew} is no number of ms")

    def validate(token: str, now: int) -> Bearer:
        claims = _claims(token)
        name, expires, issued = claims.get(name_claim), _time(claims, "exp"), _time(claims, "iat")
        if not isinstance(name, str) or not name.strip():
            raise TokenRefusedError(f"no claim {name_claim}")
        if expires is None:
            raise TokenRefusedError("no claim exp")
        if issued is not None and issued * 1000 > now + int(skew):
            raise TokenRefusedError("it is issued in the future")
        if expires * 1000 + int(skew) <= now:
            raise TokenRefusedError("it has expired")
        held = _scopes(claims.get(scope_claim))
        if any(scope not in held for scope in required):
            wanted = " ".join(required)
            raise TokenRefusedError(f"it has not the scope {wanted}", "insufficient_scope", wanted)
        return Bearer(name, int(expires * 1000))

    return validate


def _scopes(said: object) -> list[str]:
    """The scopes that a token names, in one text or in a list."""
    if said is None:
        return []
    if isinstance(said, str):
        return said.split()
    if not isinstance(said, list):
        raise TokenRefusedError("its scope is neither a text nor a list")
    return said


def _claims(token: str) -> dict[str, Any]:
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenRefusedError("it has not three parts")
    if parts[2]:
        raise TokenRefusedError("it is signed, but no keys are configured")
    if _object(parts[0]).get("alg") != "none":
        raise TokenRefusedError("its algorithm is not none")
    return _object(parts[1])


def _object(part: str) -> dict[str, Any]:
    try:
        found = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise TokenRefusedError("it is not JSON in base64")
    return found


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    """A time in s that Java's clock has, too; None if there is none."""
    value = claims.get(name)
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value < 10**12:
        raise TokenRefusedError(f"its {name} is no time")
    return float(value)
