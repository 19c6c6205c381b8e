"""JKS key and trust stores, written as ``sun.security.provider.JavaKeyStore`` does.

Its encryption is weak (SHA-1): for what takes nothing newer.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from struct import pack
from typing import Final

from pykafka_ops.security.jks import MAGIC

_VERSION: Final = 2
_KEY, _CERTIFICATE = 1, 2
_SALT: Final = b"Mighty Aphrodite"
_ALGORITHM: Final = bytes.fromhex("300e060a2b060104012a021101010500")
"""AlgorithmIdentifier of Java's own protection, 1.3.6.1.4.1.42.2.17.1.1, with NULL behind it."""


def key_store(alias: str, key: bytes, chain: Sequence[bytes], password: str) -> bytes:
    """One private key (PKCS8, DER), protected by the password, and its certificates (DER)."""
    sealed = _protected(key, password)
    body = pack(">I", len(sealed)) + sealed + pack(">I", len(chain))
    return _store(_KEY, alias, body + b"".join(map(_certificate, chain)), password)


def trust_store(alias: str, certificate: bytes, password: str) -> bytes:
    """One certificate (DER) to trust."""
    return _store(_CERTIFICATE, alias, _certificate(certificate), password)


def _store(tag: int, alias: str, content: bytes, password: str) -> bytes:
    made = pack(">Q", int(time.time() * 1000))
    body = MAGIC + pack(">III", _VERSION, 1, tag) + _text(alias.lower()) + made + content
    return body + hashlib.sha1(password.encode("utf-16-be") + _SALT + body).digest()


def _certificate(der: bytes) -> bytes:
    return _text("X.509") + pack(">I", len(der)) + der


def _text(text: str) -> bytes:
    """As DataOutputStream.writeUTF, for names in ASCII."""
    data = text.encode("ascii")
    return pack(">H", len(data)) + data


def _protected(key: bytes, password: str) -> bytes:
    """``sun.security.provider.KeyProtector``: a stream of SHA-1 sums over the key."""
    secret = password.encode("utf-16-be")
    salt = step = os.urandom(20)
    stream = b""
    while len(stream) < len(key):
        step = hashlib.sha1(secret + step).digest()
        stream += step
    crypt = bytes(a ^ b for a, b in zip(key, stream, strict=False))
    sealed = salt + crypt + hashlib.sha1(secret + key).digest()
    inner = _ALGORITHM + b"\x04" + _length(len(sealed)) + sealed
    return b"\x30" + _length(len(inner)) + inner


def _length(size: int) -> bytes:
    """Of a value in DER."""
    if size < 0x80:
        return bytes([size])
    data = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(data)]) + data
