"""SASL PLAIN and SCRAM: the bytes to send, given the bytes received. No I/O.

Source: RFC 4616 (PLAIN), RFC 5802 and 7677 (SCRAM), KIP-84; the user and password come from
``sasl.jaas.config`` as in Kafka.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Generator

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.errors import ConnectError
from pykafka_ops.security import jaas

Dialogue = Generator[bytes, bytes, None]
MIN_ITERATIONS, MAX_ITERATIONS = 4096, 1_000_000
"""With fewer, who takes the broker's place could try passwords too fast; more would take too long.
"""


class AuthenticationError(ConnectError):
    """The broker refuses our credentials, or we its proof."""


def credentials(line: str | None) -> tuple[str, str]:
    """User and password; ClientConfigError where the JAAS line lacks them."""
    options = jaas.options(line or "")
    if "username" not in options or "password" not in options:
        raise ClientConfigError(
            "sasl.jaas.config must hold a username and a password, as in: "
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" '
            'password="p";'
        )
    return options["username"], options["password"]


def dialogue(mechanism: str, user: str, password: str, nonce: str) -> Dialogue:
    """The client's side: yields what to send, is sent what came back."""
    if mechanism == "PLAIN":
        return _plain(user, password)
    return _scram(mechanism.removeprefix("SCRAM-").replace("-", "").lower(), user, password, nonce)


def _plain(user: str, password: str) -> Dialogue:
    yield b"\0" + user.encode() + b"\0" + password.encode()


def _scram(digest: str, user: str, password: str, nonce: str) -> Dialogue:
    """RFC 5802: client-first, server-first, client-final, server-final."""
    import hashlib
    import hmac

    def mac(key: bytes, text: bytes) -> bytes:
        return hmac.new(key, text, digest).digest()

    name = user.replace("=", "=3D").replace(",", "=2C")
    first = f"n={name},r={nonce}"
    answer = yield b"n,," + first.encode()
    fields = _fields(answer)
    server_nonce, iterations = fields.get("r", ""), fields.get("i", "")
    if not server_nonce.startswith(nonce) or not iterations.isdigit() or "s" not in fields:
        raise AuthenticationError("SCRAM: the broker's first answer is malformed")
    if not MIN_ITERATIONS <= int(iterations) <= MAX_ITERATIONS:
        raise AuthenticationError(f"SCRAM: the broker asks for {iterations} iterations")
    salted = hashlib.pbkdf2_hmac(digest, password.encode(), b64decode(fields["s"]), int(iterations))
    client_key = mac(salted, b"Client Key")
    stored_key = hashlib.new(digest, client_key).digest()
    final = f"c=biws,r={server_nonce}"
    message = ",".join((first, answer.decode(), final)).encode()
    proof = bytes(a ^ b for a, b in zip(client_key, mac(stored_key, message), strict=True))
    last = _fields((yield f"{final},p={b64encode(proof).decode()}".encode()))
    if "e" in last:
        raise AuthenticationError(f"SCRAM: {last['e']}")
    if last.get("v") != b64encode(mac(mac(salted, b"Server Key"), message)).decode():
        raise AuthenticationError("SCRAM: the broker does not know the password either")


def _fields(message: bytes) -> dict[str, str]:
    try:
        parts = message.decode().split(",")
    except UnicodeDecodeError:
        raise AuthenticationError("SCRAM: the broker's answer is not text") from None
    return {p[0]: p[2:] for p in parts if p[1:2] == "="}
