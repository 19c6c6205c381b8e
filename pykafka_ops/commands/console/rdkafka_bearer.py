"""Tokens of OAuth 2.0 for librdkafka, which asks for one whenever the last one has nearly ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.sasl import token
from pykafka_ops.security import jaas
from pykafka_ops.security.bearer_tokens import claims_of, extensions

Token = tuple[str, float, str, dict[str, str]]
"""The token, when it ends (epoch seconds), who it says to be, what is sent with it."""
UNKNOWN_LIFE = 300.0
LEAST_LIFE = 60.0
"""librdkafka takes no token that has ended, and then waits for 10 s: the broker shall refuse it."""


def new_token(properties: Mapping[str, str]) -> Callable[[str], Token]:
    """An ``oauth_cb``. Raises as :func:`pykafka_ops.client.sasl.token`: where the provider gives
    none, librdkafka would wait for one for 10 s."""
    config = ClientConfig.of(properties)
    token(config)
    sent = extensions(jaas.options(properties.get("sasl.jaas.config", "")))

    def new(_: str) -> Token:
        made = token(config)
        claims = claims_of(made)
        ends = claims.get("exp")
        now = time.time()
        known = float(ends) if isinstance(ends, (int, float)) else now + UNKNOWN_LIFE
        return made, max(known, now + LEAST_LIFE), str(claims.get("sub", "")), sent

    return new
