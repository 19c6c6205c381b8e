"""``--add-scram``: users of a new cluster, ``SCRAM-SHA-256=[name=alice,password=...]``.

Source: ``ScramParser``.
"""

from __future__ import annotations

import hashlib
import secrets
from base64 import b64decode, b64encode

from pykafka_ops.commands.storage.errors import StorageToolError
from pykafka_ops.disk.kraft.snapshot import ScramUser
from pykafka_ops.settings.scram import MAX_ITERATIONS, MECHANISMS, Credential, Mechanism

ITERATIONS = 4096


def parse_scram(text: str) -> ScramUser:
    """The user that one argument describes; StorageToolError in Kafka's words."""
    name, equals, rest = text.strip().partition("=")
    if not equals:
        raise StorageToolError(f"Failed to find equals sign in SCRAM argument '{text.strip()}'")
    mechanism = MECHANISMS.get(name)
    if mechanism is None:
        raise StorageToolError(f"The add-scram mechanism {name} is not supported.")
    if not rest.startswith("["):
        raise StorageToolError("Expected configuration string to start with [")
    if not rest.endswith("]"):
        raise StorageToolError("Expected configuration string to end with ]")
    return _user(mechanism, dict(_pair(part) for part in rest[1:-1].split(",")))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise StorageToolError(f"No equals sign found in SCRAM component: {text}")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return name, value


def _user(mechanism: Mechanism, fields: dict[str, str]) -> ScramUser:
    name = fields.pop("name", None)
    if name is None:
        raise StorageToolError("You must supply 'name' to add-scram")
    salt = _decoded(fields, "salt", "Failed to decode given salt")
    iterations = _iterations(fields.pop("iterations", None))
    password, salted = fields.pop("password", None), fields.pop("saltedpassword", None)
    if password is None and salted is None:
        raise StorageToolError("You must supply one of 'password' or 'saltedpassword' to add-scram")
    if password is None and salt is None:
        raise StorageToolError("You must supply 'salt' with 'saltedpassword' to add-scram")
    key = None
    if password is None:
        given = {"saltedpassword": salted or ""}
        key = _decoded(given, "saltedpassword", "Failed to decode given saltedPassword")
    if fields:
        raise StorageToolError(f"Unknown SCRAM configurations: {', '.join(sorted(fields))}")
    kind = mechanism.name.replace("-", "_")
    if iterations < mechanism.min_iterations:
        _out_of_range(">=", mechanism.min_iterations, kind)
    if iterations > MAX_ITERATIONS:
        _out_of_range("<=", MAX_ITERATIONS, kind)
    if salt is None:
        salt = _random_salt()
    if key is None:
        key = hashlib.pbkdf2_hmac(mechanism.digest, (password or "").encode(), salt, iterations)
    made = Credential.of(mechanism, key, salt, iterations)
    return ScramUser(name, mechanism.number, salt, made.stored_key, made.server_key, iterations)


def _random_salt() -> bytes:
    """``ScramFormatter.secureRandomBytes``: text, of base 36."""
    number = secrets.randbits(130)
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return (digits or "0").encode()


def _out_of_range(sign: str, limit: int, kind: str) -> None:
    raise StorageToolError(
        f"The 'iterations' value must be {sign} {limit} for add-scram using {kind}"
    )


def _iterations(text: str | None) -> int:
    if text is None:
        return ITERATIONS
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise StorageToolError(f"Failed to parse iterations count: {text}")
    return int(text)


def _decoded(fields: dict[str, str], name: str, complaint: str) -> bytes | None:
    text = fields.pop(name, None)
    if text is None:
        return None
    try:
        value = b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise StorageToolError(f"{complaint}: {text}") from None
    if b64encode(value).decode().rstrip("=") != text.rstrip("="):
        raise StorageToolError(f"{complaint}: {text}")
    return value
