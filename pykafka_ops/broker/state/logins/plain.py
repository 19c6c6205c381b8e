"""SASL PLAIN: name and password as they are (RFC 4616). Counterpart of ``PlainSaslServer``."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from functools import partial

from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue, NewDialogue
from pykafka_ops.errors import LoginError

NAME = "PLAIN"
PREFIX = "user_"
"""Options of the login module: ``user_alice="secret"``."""

Check = Callable[[str, str], bool]
"""Whether that is the user's password."""


def users_of(options: Mapping[str, str]) -> dict[str, str]:
    """Passwords by user, from the options of a ``PlainLoginModule``."""
    return {k.removeprefix(PREFIX): v for k, v in options.items() if k.startswith(PREFIX)}


def checker(users: Mapping[str, str]) -> Check:
    """A check that takes as long for an unknown user as for a wrong password."""
    passwords = {name: password.encode() for name, password in users.items()}

    def check(name: str, password: str) -> bool:
        known = passwords.get(name)
        given = password.encode(errors="replace")
        return hmac.compare_digest(given if known is None else known, given) and known is not None

    return check


def new_login(check: Check) -> NewDialogue:
    """The broker's side of a login by PLAIN; the client gets every reason, as in Kafka."""
    return partial(_login, check)


def _login(check: Check) -> Dialogue:
    heard = yield b""
    tokens = heard.token.decode(errors="replace").split("\0", 3)
    if len(tokens) != 3:
        raise _told(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(tokens)}")
    wanted, name, password = tokens
    if not name:
        raise _told("Authentication failed: username not specified")
    if not password:
        raise _told("Authentication failed: password not specified")
    if not check(name, password):
        raise _told("Authentication failed: Invalid username or password")
    if wanted not in ("", name):
        raise _told(
            "Authentication failed: Client requested an authorization id that is different from "
            "username"
        )
    return Accepted(name)


def _told(text: str) -> LoginError:
    return LoginError(text, answer=True)
