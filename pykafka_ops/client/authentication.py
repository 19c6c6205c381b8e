"""SASL on a fresh connection: SaslHandshake, then SaslAuthenticate as often as needed.

Source: KIP-43, KIP-152.
"""

from __future__ import annotations

import time
from typing import Any, Protocol, TypeVar

from pykafka_ops.client import sasl
from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.poller import Steps
from pykafka_ops.security.sasl import AuthenticationError, Dialogue, advanced
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import sasl_authenticate as sa
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

T = TypeVar("T")


class Asking(Protocol):
    """A connection on which one request after the other can be asked."""

    address: Address
    config: ClientConfig

    def ask(self, request: Any, answer: type[T]) -> Steps[T]:
        """Send ``request``, return the answer of type ``answer``."""


def authenticate(connection: Asking) -> Steps[None]:
    """Prove who we are; AuthenticationError with the broker's words."""
    mechanism = connection.config.sasl_mechanism
    hello = yield from connection.ask(
        SaslHandshakeRequest(mechanism=mechanism), SaslHandshakeResponse
    )
    if hello.error_code == ErrorCode.ILLEGAL_SASL_STATE:
        raise AuthenticationError(
            f"{connection.address}: this port takes no SASL: "
            "set security.protocol=PLAINTEXT (or SSL)"
        )
    if hello.error_code:
        offered = ", ".join(hello.mechanisms) or "none"
        raise AuthenticationError(
            f"{connection.address}: the broker does not take sasl.mechanism {mechanism}; "
            f"it takes: {offered}"
        )
    talk = sasl.new_dialogue(connection.config, connection.address.host)
    message = yield from _next(connection, talk, None)
    while message is not None:
        answer = yield from connection.ask(
            sa.SaslAuthenticateRequest(auth_bytes=message), sa.SaslAuthenticateResponse
        )
        if answer.error_code:
            text = answer.error_message or ErrorCode(answer.error_code).text
            error = AuthenticationError(f"{connection.address}: {text}")
            who, why = sasl.who(connection.config), sasl.why_refused(connection.config)
            error.ours = (
                f"{connection.address} refuses the login of {who} by {mechanism}: {text}{why}"
            )
            raise error
        message = yield from _next(connection, talk, bytes(answer.auth_bytes))


def _next(connection: Asking, talk: Dialogue, heard: bytes | None) -> Steps[bytes | None]:
    """What to send next, None at the end; ``heard`` is None at first."""
    if connection.config.sasl_mechanism not in sasl.BLOCKING:
        return advanced(talk, heard)
    from pykafka_ops.client.in_threads import in_thread

    seconds = connection.config.silence
    try:
        return (yield from in_thread(lambda: advanced(talk, heard), time.monotonic() + seconds))
    except TimeoutError:
        whom = sasl.BLOCKING[connection.config.sasl_mechanism]
        raise AuthenticationError(
            f"{connection.address}: no answer of {whom} within {seconds:g} s"
        ) from None
