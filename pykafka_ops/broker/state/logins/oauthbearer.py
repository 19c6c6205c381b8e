"""SASL OAUTHBEARER: a token of OAuth 2.0 instead of a password (RFC 7628, KIP-255, KIP-768).

Counterpart of ``OAuthBearerSaslServer`` and ``OAuthBearerClientInitialResponse``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue, NewDialogue
from pykafka_ops.errors import LoginError
from pykafka_ops.security.scram import unquoted

NAME = "OAUTHBEARER"
MOST_TOKEN = 64 * 1024
"""Characters of the longest token that is looked at: it is done on the event loop."""
MOST_MESSAGE = MOST_TOKEN + 16 * 1024
"""Bytes of the longest message that is read."""

_FIRST = re.compile(
    rb"n,(?:a=(?P<wanted>(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+))?,\x01"
    rb"(?P<pairs>(?:[A-Za-z]+=[\x21-\x7e \t\r\n]+\x01)*)\x01"
)
_AUTH = re.compile(rb"(?P<scheme>\w+) +(?P<token>[-_.a-zA-Z0-9]+)")


class Bearer(NamedTuple):
    """What a valid token says: who it is for, and until when (wall clock, ms)."""

    name: str
    expires_at: int


class TokenRefusedError(Exception):
    """A token is not valid. ``why`` is for the log, ``status`` and ``scope`` are for the client."""

    def __init__(self, why: str, status: str = "invalid_token", scope: str | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.scope = scope

    def answer(self) -> str:
        """What the client hears, as Kafka writes it."""
        scope = "" if self.scope is None else f', "scope":"{self.scope}"'
        return f'{{"status":"{self.status}"{scope}}}'


Validate = Callable[[str, int], Bearer]
"""What a token says at a moment (wall clock, ms). Raises TokenRefusedError."""


def new_login(validate: Validate) -> NewDialogue:
    """The broker's side of a login by OAUTHBEARER."""
    return partial(_login, validate)


def _login(validate: Validate) -> Dialogue:
    heard = yield b""
    wanted, token = _read(heard.token)
    try:
        if len(token) > MOST_TOKEN:
            raise TokenRefusedError(f"a token of {len(token)} characters")
        bearer = validate(token, heard.now)
    except TokenRefusedError as refused:
        answer, why = refused.answer(), str(refused)
    else:
        if wanted not in ("", bearer.name):
            text = (
                f"Authentication failed: Client requested an authorization id ({wanted}) that is "
                f"different from the token's principal name ({bearer.name})"
            )
            raise LoginError(text, answer=True)
        return Accepted(bearer.name, b"", bearer.expires_at)
    yield answer.encode()
    raise LoginError(f"{answer}: {why}", answer=answer)


def _read(message: bytes) -> tuple[str, str]:
    """Whose rights the client asks for, and its token. Raises LoginError."""
    found = _FIRST.fullmatch(message) if len(message) <= MOST_MESSAGE else None
    if found is None:
        raise LoginError("Invalid OAUTHBEARER client first message")
    pairs = (pair.partition(b"=") for pair in found["pairs"].split(b"\x01") if pair)
    auth = {key: value for key, _, value in pairs}.get(b"auth")
    if auth is None:
        raise LoginError("Invalid OAUTHBEARER client first message: 'auth' not specified")
    said = _AUTH.fullmatch(auth)
    if said is None:
        raise LoginError("Invalid OAUTHBEARER client first message: invalid 'auth' format")
    if said["scheme"].lower() != b"bearer":
        raise LoginError("Invalid scheme in OAUTHBEARER client first message")
    return unquoted((found["wanted"] or b"").decode()), said["token"].decode()
