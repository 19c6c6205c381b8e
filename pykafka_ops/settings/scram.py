"""SCRAM credentials as settings of users: ``SCRAM-SHA-256=salt=..,stored_key=..`` (KIP-84, 554).

A password is never stored: its salted hash gives the keys that a login is checked with. Sources:
RFC 5802, ``ScramMechanism``, ``ScramFormatter``, ``ScramCredentialUtils``.
"""

from __future__ import annotations

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

_FIELDS = ("salt", "stored_key", "server_key", "iterations")


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
        import hashlib  # with OpenSSL: for the few brokers whose users have credentials
        import hmac

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
        """The inverse of :meth:`text`. Raises SettingError, which does not show the credential."""
        fields = dict(part.partition("=")[::2] for part in text.split(","))
        if len(fields) != len(_FIELDS):
            raise SettingError("Credentials not valid")
        try:
            salt, stored, server = (b64decode(fields[key], validate=True) for key in _FIELDS[:3])
            return cls(salt, stored, server, int(fields["iterations"]))
        except (KeyError, ValueError):
            raise SettingError("Credentials not valid") from None

    def text(self) -> str:
        """As a user's setting."""
        keys = (b64encode(part).decode() for part in self[:3])
        return ",".join(f"{f}={v}" for f, v in zip(_FIELDS, (*keys, self.iterations), strict=True))
