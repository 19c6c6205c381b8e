"""How this broker logs in to the other brokers of its cluster.

Counterpart of ``SaslClientAuthenticator``, with the login module of the broker's own listener, as
in Kafka.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping

from pykafka_ops.broker.runtime.cluster.peer import AskInTurn, LogIn
from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.errors import SettingError
from pykafka_ops.security import sasl
from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

MECHANISM = "sasl.mechanism.inter.broker.protocol"
ENABLED = "sasl.enabled.mechanisms"
PASSWORDS = ("PLAIN", *MECHANISMS)
KNOWN = (*PASSWORDS, "OAUTHBEARER", "GSSAPI")

NewDialogue = Callable[[str], Awaitable[sasl.Dialogue]]
"""To the broker on a host."""


def outgoing_login(configs: ListenerConfigs, modules: LoginModules) -> LogIn:
    """What logs in to brokers on the listener of ``configs``. Raises SettingError."""
    mechanism = str(configs.value(MECHANISM))
    if mechanism not in configs.value(ENABLED):
        raise SettingError(
            f"requirement failed: {MECHANISM} must be included in {ENABLED} when SASL is used for "
            "inter-broker communication"
        )
    if mechanism not in KNOWN:
        known = ", ".join(KNOWN)
        raise SettingError(f"{MECHANISM}={mechanism} is not supported: set it to one of {known}")
    options = modules.options(configs, mechanism)
    if options is None:
        raise modules.missing(configs, mechanism)
    if mechanism in PASSWORDS:
        new = _by_password(mechanism, configs, options)
    elif mechanism == "GSSAPI":
        from pykafka_ops.broker.runtime.security.kerberos_outgoing import tickets  # few, too

        new = tickets(configs, options)
    else:
        from pykafka_ops.broker.runtime.security.bearer_login import tokens  # few ask for it

        new = _by_token(tokens(configs, options))

    async def log_in(ask: AskInTurn, host: str) -> int:
        return await _log_in(mechanism, await new(host), ask)

    return log_in


def _by_token(new_token: Callable[[], Awaitable[str]]) -> NewDialogue:
    async def new(_: str) -> sasl.Dialogue:
        return sasl.bearer(await new_token())

    return new


def _by_password(
    mechanism: str, configs: ListenerConfigs, options: Mapping[str, str]
) -> NewDialogue:
    user, password = options.get("username"), options.get("password")
    if not user or not password:
        raise SettingError(
            f"the login module of {mechanism} on listener {configs.listener} needs a username and "
            "a password: this broker logs in to others by them"
        )

    async def new(_: str) -> sasl.Dialogue:
        return sasl.dialogue(mechanism, user, password, secrets.token_hex(16))

    return new


async def _log_in(mechanism: str, talk: sasl.Dialogue, ask: AskInTurn) -> int:
    """Raises AuthenticationError, ConnectError."""
    hello = await ask(SaslHandshakeRequest(mechanism=mechanism), 1, SaslHandshakeResponse)
    if hello.error_code:
        offered = ", ".join(hello.mechanisms) or "none"
        raise sasl.AuthenticationError(
            f"it takes no login by {mechanism} ({ErrorCode.of(hello.error_code).name}), but by: "
            f"{offered}"
        )
    message, lifetime_ms = await _next(mechanism, talk, None), 0
    while message is not None:
        request = SaslAuthenticateRequest(auth_bytes=message)
        answer = await ask(request, 1, SaslAuthenticateResponse)
        if answer.error_code:
            text = answer.error_message or ErrorCode.of(answer.error_code).text
            raise sasl.AuthenticationError(text)
        lifetime_ms = answer.session_lifetime_ms
        message = await _next(mechanism, talk, bytes(answer.auth_bytes))
    return lifetime_ms


async def _next(mechanism: str, talk: sasl.Dialogue, heard: bytes | None) -> bytes | None:
    """What to send next, None at the end. A step of Kerberos may ask the KDC."""
    if mechanism == "GSSAPI":
        return await asyncio.to_thread(sasl.advanced, talk, heard)
    return sasl.advanced(talk, heard)
