"""The tokens of OAuth 2.0 by which this broker logs in to others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.logins.oauthbearer import NAME
from pykafka_ops.broker.storage.clocks import wall_clock
from pykafka_ops.errors import SettingError
from pykafka_ops.security import bearer_tokens
from pykafka_ops.security.provider_calls import ProviderCalls

NewToken = Callable[[], Awaitable[str]]


def tokens(configs: ListenerConfigs, options: Mapping[str, str]) -> NewToken:
    """What gets a token for each login; ``options`` are those of the login module. Raises
    SettingError."""
    url = configs.text(bearer_tokens.ENDPOINT, NAME)
    try:
        bearer_tokens.check(url, options)
    except SettingError as error:
        raise SettingError(f"listener {configs.listener}: {error}") from None
    if not url:

        async def unsigned() -> str:
            return bearer_tokens.unsigned(options, wall_clock())

        return unsigned
    calls = ProviderCalls(options, configs.listener)

    async def ask() -> str:
        return await asyncio.to_thread(bearer_tokens.of_provider, url, options, calls.read)

    return ask
