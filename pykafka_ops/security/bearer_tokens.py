"""Tokens of OAuth 2.0 by which a client, or a broker, logs in to brokers.

Counterpart of ``OAuthBearerLoginCallbackHandler`` where ``sasl.oauthbearer.token.endpoint.url`` is
set (client credentials, or a file with the token), else of ``OAuthBearerUnsecuredLoginModule``.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from pykafka_ops.errors import ConnectError, SettingError

ENDPOINT = "sasl.oauthbearer.token.endpoint.url"
Read = Callable[..., bytes]
"""``ProviderCalls.read``."""
SCHEMES = ("https://", "http://", "file:///")
TEXT_CLAIM = "unsecuredLoginStringClaim_"
NUMBER_CLAIM = "unsecuredLoginNumberClaim_"
LIST_CLAIM = "unsecuredLoginListClaim_"
PRINCIPAL_CLAIM = "unsecuredLoginPrincipalClaimName"
LIFETIME = "unsecuredLoginLifetimeSeconds"
EXTENSIONS = ("extension_", "unsecuredLoginExtension_")
"""Options of the login module: what stands behind them is sent with the token."""


def of_provider(url: str, options: Mapping[str, str], read: Read) -> str:
    """A new token of the provider, or the file, at ``url``, which ``read`` reads; ``options`` are
    those of the login module, after :func:`check`. Blocks. Raises ConnectError."""
    if url.startswith("file:"):
        return read(url).decode(errors="replace").strip()
    asked = {"grant_type": "client_credentials"}
    if options.get("scope"):
        asked["scope"] = options["scope"]
    login = b64encode(f"{options['clientId']}:{options['clientSecret']}".encode()).decode()
    headers = {
        "Authorization": f"Basic {login}",
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
    }
    return token_in(url, read(url, urlencode(asked).encode(), headers))


def check(url: str | None, options: Mapping[str, str]) -> None:
    """SettingError where no token can be had by these."""
    if not url:
        if principal_claim(options) is None:
            raise SettingError(
                "the login module of OAUTHBEARER has no token: set "
                f"{ENDPOINT}, clientId and clientSecret; or for tests {TEXT_CLAIM}sub"
            )
        _lifetime(options)
        return
    if not url.startswith(SCHEMES):
        raise SettingError(f"{ENDPOINT}={url}: write an address of https, http or file")
    if not url.startswith("file:") and not (
        options.get("clientId") and options.get("clientSecret")
    ):
        raise SettingError(f"{ENDPOINT} needs clientId and clientSecret of the login module")


def principal_claim(options: Mapping[str, str]) -> str | None:
    """Who a token that nobody signed says to be, None where the options say nobody."""
    return options.get(TEXT_CLAIM + (options.get(PRINCIPAL_CLAIM) or "sub")) or None


def token_in(url: str, data: bytes) -> str:
    """The token in an answer of the endpoint. Raises ConnectError."""
    try:
        found = json.loads(data)["access_token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, str) or not found:
        raise ConnectError(f"{url}: no access_token in its answer")
    return found


def unsigned(options: Mapping[str, str], now: int) -> str:
    """A token with the claims that the options ``unsecuredLogin...Claim_...`` name.

    A list claim begins with what stands between its items (``|a|b``), as in Kafka. Raises
    SettingError.
    """
    issued = now // 1000
    claims: dict[str, Any] = {"iat": issued, "exp": issued + _lifetime(options)}
    for name, text in options.items():
        if name.startswith(TEXT_CLAIM):
            claims[name.removeprefix(TEXT_CLAIM)] = text
        elif name.startswith(NUMBER_CLAIM):
            claims[name.removeprefix(NUMBER_CLAIM)] = _number(name, text)
        elif name.startswith(LIST_CLAIM):
            items = text[1:].split(text[0]) if text[1:] else []
            claims[name.removeprefix(LIST_CLAIM)] = items
    parts = ({"alg": "none"}, claims)
    said = (urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return ".".join((*said, ""))


def extensions(options: Mapping[str, str]) -> dict[str, str]:
    """What is sent with the token."""
    return {
        name.removeprefix(prefix): text
        for name, text in options.items()
        for prefix in EXTENSIONS
        if name.startswith(prefix)
    }


def claims_of(made: str) -> dict[str, Any]:
    """What a token says, unchecked; {} where that cannot be read."""
    try:
        part = made.split(".")[1]
        found = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, IndexError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lifetime(options: Mapping[str, str]) -> int:
    text = options.get(LIFETIME) or "3600"
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise SettingError(f"{LIFETIME}={text} is no number of seconds")
    return int(text)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingError(f"{name}={text} is no number") from None
