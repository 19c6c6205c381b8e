"""The client's side of SASL: the bytes to send, given the bytes received. No I/O.

Source: RFC 4616 (PLAIN), RFC 5802 and 7677 (SCRAM), RFC 7628 (OAUTHBEARER), KIP-84, KIP-255.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Generator, Mapping

from pykafka_ops.errors import ConnectError
from pykafka_ops.security import scram

Dialogue = Generator[bytes, bytes, None]
MIN_ITERATIONS, MAX_ITERATIONS = 4096, 1_000_000
"""With fewer, who takes the broker's place could try passwords too fast; more would take too long.
"""
KVSEP = b"\x01"


class AuthenticationError(ConnectError):
    """The broker refuses our credentials, or we its proof."""


def advanced(talk: Dialogue, heard: bytes | None) -> bytes | None:
    """What to send next, None at the end; ``heard`` is None at first."""
    try:
        return next(talk) if heard is None else talk.send(heard)
    except StopIteration:
        return None


def dialogue(
    mechanism: str, user: str, password: str, nonce: str, *, by_token: bool = False
) -> Dialogue:
    """By a password: yields what to send, is sent what came back.

    ``by_token``: the password is that of the delegation token whose id is the user's name.
    """
    if mechanism == "PLAIN":
        return _plain(user, password)
    digest = mechanism.removeprefix("SCRAM-").replace("-", "").lower()
    return _scram(digest, f"n={scram.quoted(user)},r={nonce}", password, nonce, by_token)


def bearer(token: str, extensions: Mapping[str, str] | None = None) -> Dialogue:
    """By a token of OAuth 2.0."""
    pairs = {"auth": f"Bearer {token}", **(extensions or {})}
    said = b"".join(f"{key}={value}".encode() + KVSEP for key, value in pairs.items())
    answer = yield scram.GS2_HEADER.encode() + KVSEP + said + KVSEP
    if answer:  # why the broker refuses; it fails the login when we have read it
        yield KVSEP


def _plain(user: str, password: str) -> Dialogue:
    yield b"\0" + user.encode() + b"\0" + password.encode()


def _scram(digest: str, first: str, password: str, nonce: str, by_token: bool) -> Dialogue:
    """RFC 5802: client-first, server-first, client-final, server-final."""
    import hashlib

    if by_token:
        first += f",{scram.TOKEN_AUTH}=true"
    answer = yield (scram.GS2_HEADER + first).encode()
    fields = _fields(answer)
    server_nonce, iterations = fields.get("r", ""), fields.get("i", "")
    if not server_nonce.startswith(nonce) or not iterations.isdigit() or "s" not in fields:
        raise AuthenticationError("SCRAM: the broker's first answer is malformed")
    if not MIN_ITERATIONS <= int(iterations) <= MAX_ITERATIONS:
        raise AuthenticationError(f"SCRAM: the broker asks for {iterations} iterations")
    salted = hashlib.pbkdf2_hmac(digest, password.encode(), b64decode(fields["s"]), int(iterations))
    final = f"c={scram.NO_BINDING},r={server_nonce}"
    message = ",".join((first, answer.decode(), final)).encode()
    proof = scram.client_proof(digest, salted, message)
    last = _fields((yield f"{final},p={b64encode(proof).decode()}".encode()))
    if "e" in last:
        raise AuthenticationError(f"SCRAM: {last['e']}")
    expected = b64encode(scram.server_signature(digest, salted, message))
    if not hmac.compare_digest(last.get("v", "").encode(), expected):
        raise AuthenticationError("SCRAM: the broker does not know the password either")


def _fields(message: bytes) -> dict[str, str]:
    try:
        parts = message.decode().split(",")
    except UnicodeDecodeError:
        raise AuthenticationError("SCRAM: the broker's answer is not text") from None
    return {p[0]: p[2:] for p in parts if p[1:2] == "="}
