"""Passwords, of which only a hash is kept: scrypt (RFC 7914), written as other tools write it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from typing import Final, NamedTuple

from pykafka_ops.errors import UsageError

LOG_N, R, P = 15, 8, 1
"""32 MiB and some 60 ms for each try."""
MOST_MEMORY: Final = 256 << 20
LONGEST: Final = 1024
SCHEME: Final = "$scrypt$"


class PasswordHash(NamedTuple):
    """What ``$scrypt$ln=15,r=8,p=1$SALT$KEY`` says."""

    log_n: int
    r: int
    p: int
    salt: bytes
    key: bytes


def make(password: str) -> str:
    """The hash of a new password, with a salt of its own."""
    salt = os.urandom(16)
    found = PasswordHash(LOG_N, R, P, salt, b"")
    return f"{SCHEME}ln={LOG_N},r={R},p={P}${_text(salt)}${_text(_key(password, found, 32))}"


def parse(text: str) -> PasswordHash:
    """UsageError says what is wrong with a hash."""
    if not text.startswith(SCHEME):
        scheme = text[: text.find("$", 1) + 1] if text.startswith("$") else "this"
        raise UsageError(f"{scheme or 'this'} is no hash that is read here, {SCHEME} alone is")
    try:
        numbers, salt, key = text.removeprefix(SCHEME).split("$")
        given = dict(part.split("=") for part in numbers.split(","))
        found = PasswordHash(
            int(given.pop("ln")),
            int(given.pop("r")),
            int(given.pop("p")),
            _bytes(salt),
            _bytes(key),
        )
    except (ValueError, KeyError, binascii.Error):
        raise UsageError("the hash is damaged") from None
    bounded = 1 <= found.log_n <= 20 and 1 <= found.r <= 32 and 1 <= found.p <= 16
    if given or not bounded or _memory(found) > MOST_MEMORY or not 16 <= len(found.key) <= 64:
        raise UsageError("the hash is damaged, or asks for too much memory")
    return found


def is_right(password: str, found: PasswordHash) -> bool:
    """Whether it is the password; takes as long either way."""
    return hmac.compare_digest(_key(password, found, len(found.key)), found.key)


def _memory(found: PasswordHash) -> int:
    return (128 * found.r << found.log_n) + 128 * found.r * found.p


def _key(password: str, found: PasswordHash, length: int) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=found.salt,
        n=1 << found.log_n,
        r=found.r,
        p=found.p,
        maxmem=_memory(found) + (1 << 20),
        dklen=length,
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode().rstrip("=").replace("+", ".")


def _bytes(text: str) -> bytes:
    padded = text.replace(".", "+") + "=" * (-len(text) % 4)
    return base64.b64decode(padded, validate=True)
