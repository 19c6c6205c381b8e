"""SASL SCRAM: proofs instead of passwords (RFC 5802). Counterpart of ``ScramSaslServer``.

Kafka refuses an unknown user at once, which tells who is known. Here it gets a salt and goes on to
the same failure as a wrong password, by the same steps.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue, NewDialogue
from pykafka_ops.errors import LoginError
from pykafka_ops.security import scram as messages
from pykafka_ops.settings.scram import Credential, Mechanism

DECOY_ITERATIONS = 4096
"""What Kafka's tools choose."""


class ScramLogin(NamedTuple):
    """What a login is checked with. ``name`` is who logs in; ``expires_at`` (wall clock, ms) is
    that of a delegation token."""

    credential: Credential
    name: str
    expires_at: int | None = None


Find = Callable[[str, bool, int], ScramLogin | None]
"""The credential of a user, or (True) of a delegation token by its id, at a moment (ms)."""


class ScramSide:
    """Logins by one SCRAM ``mechanism``. ``new_nonce()`` is text that nobody can guess, ``secret``
    bytes that nobody knows, for the salts of users that are not there."""

    def __init__(
        self, mechanism: Mechanism, find: Find, new_nonce: Callable[[], str], secret: bytes
    ) -> None:
        self.mechanism = mechanism
        self._find = find
        self._new_nonce = new_nonce
        self._secret = secret

    def new_login(self) -> NewDialogue:
        """The broker's side of a login."""
        return partial(_login, self)

    def look_up(self, name: str, by_token: bool, now: int) -> tuple[ScramLogin, bool]:
        """What to check a login with, and whether it can succeed at all."""
        found = self._find(name, by_token, now)
        if found is not None and found.credential.iterations >= self.mechanism.min_iterations:
            return found, True
        return ScramLogin(self._decoy(name), name), False

    def _decoy(self, name: str) -> Credential:
        digest = self.mechanism.digest
        made = hmac.digest(self._secret, f"{self.mechanism.name} {name}".encode(), digest)
        return Credential(made[:24], made, made, DECOY_ITERATIONS)

    def nonce(self) -> str:
        """The broker's part of a login's nonce."""
        return self._new_nonce()


def _login(side: ScramSide) -> Dialogue:
    heard = yield b""
    try:
        first = messages.read_client_first(heard.token)
        by_token = first.extensions.get(messages.TOKEN_AUTH, "").lower() == "true"
        found, possible = side.look_up(first.name, by_token, heard.now)
        if first.wanted not in ("", first.name):
            text = (
                "Authentication failed: Client requested an authorization id that is different "
                "from username"
            )
            raise LoginError(text, answer=True)
        credential, digest = found.credential, side.mechanism.digest
        nonce = first.nonce + side.nonce()
        ours = messages.server_first(nonce, credential.salt, credential.iterations)
        heard = yield ours.encode()
        final = messages.read_client_final(heard.token)
    except messages.ScramError as error:
        raise LoginError(f"{side.mechanism.name}: {error}") from None
    bindings = (messages.NO_BINDING, b64encode(first.gs2.encode()).decode())
    if final.nonce != nonce or final.binding not in bindings:
        raise LoginError("Invalid client nonce in the final client message.")
    said = f"{first.bare},{ours},{final.without}".encode()
    proven = messages.proves(digest, credential.stored_key, said, final.proof)
    if not (proven and possible):
        raise LoginError("Authentication failed: Invalid user credentials")
    signature = b64encode(messages.mac(digest, credential.server_key, said)).decode()
    return Accepted(found.name, f"v={signature}".encode(), found.expires_at, by_token)
