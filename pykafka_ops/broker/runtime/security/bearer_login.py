"""The tokens of OAuth 2.0 by which this broker logs in to others.

Counterpart of ``OAuthBearerLoginCallbackHandler`` where ``sasl.oauthbearer.token.endpoint.url`` is
set (client credentials, or a file with the token), else of ``OAuthBearerUnsecuredLoginModule``.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urlencode

from pykafka_ops.broker.runtime.security.provider_calls import ProviderCalls
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.logins import unsecured_jws
from pykafka_ops.broker.state.logins.oauthbearer import NAME
from pykafka_ops.broker.storage.clocks import wall_clock
from pykafka_ops.errors import ConnectError, SettingError

ENDPOINT = "sasl.oauthbearer.token.endpoint.url"
SCHEMES = ("https://", "http://", "file:///")

NewToken = Callable[[], Awaitable[str]]


def tokens(configs: ListenerConfigs, options: Mapping[str, str]) -> NewToken:
    """What gets a token for each login; ``options`` are those of the login module. Raises
    SettingError."""
    url = configs.text(ENDPOINT, NAME)
    if url:
        return _asked(url, options, ProviderCalls(options, configs.listener))
    if f"{unsecured_jws.LOGIN_CLAIM}sub" not in options:
        raise SettingError(
            f"the login module of {NAME} on listener {configs.listener} has no token for this "
            f"broker: set {ENDPOINT}, clientId and clientSecret; or for tests "
            f"{unsecured_jws.LOGIN_CLAIM}sub"
        )

    async def unsigned() -> str:
        return unsecured_jws.token_of(options, wall_clock())

    return unsigned


def _asked(url: str, options: Mapping[str, str], calls: ProviderCalls) -> NewToken:
    if not url.startswith(SCHEMES):
        raise SettingError(f"{ENDPOINT}={url}: write an address of https, http or file")
    if url.startswith("file:"):

        async def read() -> str:
            return (await asyncio.to_thread(calls.read, url)).decode(errors="replace").strip()

        return read
    identity, secret = options.get("clientId"), options.get("clientSecret")
    if not identity or not secret:
        raise SettingError(f"{ENDPOINT} needs clientId and clientSecret of the login module")
    asked = {"grant_type": "client_credentials"}
    if options.get("scope"):
        asked["scope"] = options["scope"]
    login = b64encode(f"{identity}:{secret}".encode()).decode()
    headers = {
        "Authorization": f"Basic {login}",
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
    }

    async def ask() -> str:
        body = urlencode(asked).encode()
        return token_in(url, await asyncio.to_thread(calls.read, url, body, headers))

    return ask


def token_in(url: str, data: bytes) -> str:
    """The token in an answer of the endpoint. Raises ConnectError."""
    try:
        found = json.loads(data)["access_token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, str) or not found:
        raise ConnectError(f"{url}: no access_token in its answer")
    return found
