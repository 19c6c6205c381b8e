"""SCRAM messages and proofs for both sides of a login. No I/O.

Source: RFC 5802, RFC 7677, ``ScramFormatter`` and ``ScramMessages`` of Kafka.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from typing import NamedTuple

GS2_HEADER = "n,,"
"""No channel binding, nobody else's name."""
NO_BINDING = b64encode(GS2_HEADER.encode()).decode()
TOKEN_AUTH = "tokenauth"
"""The extension that says that the name is a delegation token's id (KIP-48)."""

_NAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
_VALUE = r"[\x01-\x2b\x2d-\x7f]+"
_PRINTABLE = r"[\x21-\x2b\x2d-\x7e]+"
_BASE64 = r"[A-Za-z0-9+/]*={0,2}"
_EXTENSIONS = rf"(?P<extensions>(?:,[A-Za-z]+={_VALUE})*)"
_FIRST = re.compile(
    rf"(?P<gs2>n,(?:a=(?P<wanted>{_NAME}))?,)"
    rf"(?P<bare>(?:m={_VALUE},)?n=(?P<name>{_NAME}),r=(?P<nonce>{_PRINTABLE}){_EXTENSIONS})",
    re.DOTALL,
)
_FINAL = re.compile(
    rf"(?P<without>c=(?P<binding>{_BASE64}),r=(?P<nonce>{_PRINTABLE}){_EXTENSIONS})"
    rf",p=(?P<proof>{_BASE64})",
    re.DOTALL,
)


MOST_BYTES = 16 * 1024
"""The longest message that is read: it is done on a broker's event loop, 3 ms for this."""


class ScramError(ValueError):
    """A message does not follow RFC 5802."""


class ClientFirst(NamedTuple):
    """``gs2`` and ``bare`` are the two parts of the message; ``wanted`` is whose rights it asks
    for, "" for its own."""

    gs2: str
    bare: str
    name: str
    wanted: str
    nonce: str
    extensions: dict[str, str]


class ClientFinal(NamedTuple):
    """``without`` is the message without its proof."""

    without: str
    binding: str
    nonce: str
    proof: bytes


def read_client_first(message: bytes) -> ClientFirst:
    """Raises ScramError."""
    found = _match(_FIRST, message)
    pairs = (part.partition("=") for part in found["extensions"].split(",") if part)
    return ClientFirst(
        found["gs2"],
        found["bare"],
        unquoted(found["name"]),
        unquoted(found["wanted"] or ""),
        found["nonce"],
        {key: value for key, _, value in pairs},
    )


def read_client_final(message: bytes) -> ClientFinal:
    """Raises ScramError."""
    found = _match(_FINAL, message)
    return ClientFinal(found["without"], found["binding"], found["nonce"], _bytes(found["proof"]))


def _match(pattern: re.Pattern[str], message: bytes) -> re.Match[str]:
    if len(message) > MOST_BYTES:
        raise ScramError(f"a message of {len(message)} bytes")
    try:
        found = pattern.fullmatch(message.decode())
    except UnicodeDecodeError:
        found = None
    if found is None:
        raise ScramError("the message is not one of SCRAM")
    return found


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise ScramError("the message has bad base64") from None


def server_first(nonce: str, salt: bytes, iterations: int) -> str:
    """The broker's answer to the first message."""
    return f"r={nonce},s={b64encode(salt).decode()},i={iterations}"


def quoted(name: str) -> str:
    """A name as it stands in messages."""
    return name.replace("=", "=3D").replace(",", "=2C")


def unquoted(name: str) -> str:
    """The inverse of :func:`quoted`."""
    return name.replace("=2C", ",").replace("=3D", "=")


def mac(digest: str, key: bytes, text: bytes) -> bytes:
    """HMAC with the mechanism's hash."""
    return hmac.digest(key, text, digest)


def client_proof(digest: str, salted_password: bytes, auth_message: bytes) -> bytes:
    """What a client sends to show that it knows the password."""
    client_key = mac(digest, salted_password, b"Client Key")
    stored_key = hashlib.new(digest, client_key).digest()
    return _xor(client_key, mac(digest, stored_key, auth_message))


def proves(digest: str, stored_key: bytes, auth_message: bytes, proof: bytes) -> bool:
    """Whether a client's proof shows that; takes equally long whatever the answer."""
    signature = mac(digest, stored_key, auth_message)
    if len(proof) != len(signature):
        return False
    return hmac.compare_digest(hashlib.new(digest, _xor(proof, signature)).digest(), stored_key)


def server_signature(digest: str, salted_password: bytes, auth_message: bytes) -> bytes:
    """What a broker answers that knows the password, too."""
    return mac(digest, mac(digest, salted_password, b"Server Key"), auth_message)


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
