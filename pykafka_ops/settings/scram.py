"""SCRAM credentials as settings of users: ``SCRAM-SHA-256=salt=..,stored_key=..`` (KIP-84, 554).

A password is never stored: its salted hash gives the keys that a login is checked with. Sources:
RFC 5802, ``ScramMechanism``, ``ScramFormatter``, ``ScramCredentialUtils``.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError

MAX_ITERATIONS: Final = 16384


class Mechanism(NamedTuple):
    """A SCRAM mechanism: its number in requests, its name, its hash and its least iterations."""

    number: int
    name: str
    digest: str
    min_iterations: int = 4096


MECHANISMS: Final[dict[str, Mechanism]] = {
    m.name: m
    for m in (Mechanism(1, "SCRAM-SHA-256", "sha256"), Mechanism(2, "SCRAM-SHA-512", "sha512"))
}
BY_NUMBER: Final = {m.number: m for m in MECHANISMS.values()}


class Credential(NamedTuple):
    """What is kept of a password."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    @classmethod
    def of(
        cls, mechanism: Mechanism, salted_password: bytes, salt: bytes, iterations: int
    ) -> Credential:
        """The keys of a salted password. Raises SettingError if that is empty, as in Java."""
        if not salted_password:
            raise SettingError("Empty key")
        digest = mechanism.digest
        client_key = hmac.digest(salted_password, b"Client Key", digest)
        return cls(
            salt,
            hashlib.new(digest, client_key).digest(),
            hmac.digest(salted_password, b"Server Key", digest),
            iterations,
        )

    @classmethod
    def parse(cls, text: str) -> Credential:
        """The inverse of :meth:`text`. Raises SettingError, which does not tell the credential."""
        fields = dict(part.split("=", 1) for part in text.split(",") if part.find("=") > 0)
        try:
            found = cls(
                b64decode(fields.pop("salt"), validate=True),
                b64decode(fields.pop("stored_key"), validate=True),
                b64decode(fields.pop("server_key"), validate=True),
                int(fields.pop("iterations")),
            )
        except (KeyError, ValueError):
            raise SettingError("Credentials not valid") from None
        if fields:
            raise SettingError("Credentials not valid")
        return found

    def text(self) -> str:
        """As a user's setting."""
        salt, stored, server = (
            b64encode(part).decode() for part in (self.salt, self.stored_key, self.server_key)
        )
        return f"salt={salt},stored_key={stored},server_key={server},iterations={self.iterations}"
