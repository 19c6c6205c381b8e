"""JKS, the key store that Java had before PKCS12.

Source: ``sun.security.provider.JavaKeyStore``: magic, version, count, entries, SHA-1 of password,
salt and all of it. Certificates are not encrypted; keys are, as ``sun.security.provider`` does it
in ``KeyProtector``: a stream of SHA-1 sums of password and the sum before.
"""

from __future__ import annotations

import hashlib
import hmac
from struct import Struct, error
from typing import NamedTuple

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security import der

MAGIC = b"\xfe\xed\xfe\xed"
_INT = Struct(">I")
_SHORT = Struct(">H")
_KEY, _CERTIFICATE = 1, 2
_PROTECTED = "1.3.6.1.4.1.42.2.17.1.1"
_SUM = 20
"""Bytes of a SHA-1 sum, and of the salt of a key."""


class JksEntry(NamedTuple):
    """One entry; ``key`` is encrypted, None for a certificate that is only trusted."""

    alias: str
    key: bytes | None
    certificates: list[bytes]


def entries(data: bytes, password: str, path: str = "store") -> list[JksEntry]:
    """What is in it; TlsSettingError for a wrong password or a torn file. Without a password it is
    not checked whether the file is as it was written."""
    body, digest = data[:-_SUM], data[-_SUM:]
    if password:
        salt = password.encode("utf-16-be") + b"Mighty Aphrodite"
        if not hmac.compare_digest(hashlib.sha1(salt + body).digest(), digest):
            raise TlsSettingError(f"{path}: wrong password, or the file is damaged")
    try:
        return _entries(body)
    except (error, IndexError, ValueError):
        raise TlsSettingError(f"{path}: not a whole JKS key store") from None


def trusted_certificates(data: bytes, password: str, path: str = "store") -> list[bytes]:
    """The DER certificates that are trusted. Raises as :func:`entries`."""
    return [
        certificate
        for entry in entries(data, password, path)
        for certificate in entry.certificates
        if entry.key is None
    ]


def private_key(protected: bytes, password: str, path: str = "store") -> bytes:
    """The key (PKCS8, DER) of an entry; TlsSettingError for a wrong password or a torn key."""
    try:
        kind, content = der.inside(protected, der.SEQUENCE)
        sealed = content.content
        if der.dotted(der.first(kind.content).content) != _PROTECTED:
            raise ValueError("encrypted otherwise")
    except (ValueError, IndexError):
        raise TlsSettingError(f"{path}: its key is not encrypted as Java does it") from None
    secret = password.encode("utf-16-be")
    step, crypt, check = sealed[:_SUM], sealed[_SUM:-_SUM], sealed[-_SUM:]
    stream = bytearray()
    while len(stream) < len(crypt):
        step = hashlib.sha1(secret + step).digest()
        stream += step
    plain = bytes(a ^ b for a, b in zip(crypt, stream, strict=False))
    if not hmac.compare_digest(hashlib.sha1(secret + plain).digest(), check):
        raise TlsSettingError(f"{path}: wrong password of the private key (ssl.key.password?)")
    return plain


def _entries(body: bytes) -> list[JksEntry]:
    version, count = _INT.unpack_from(body, 4)[0], _INT.unpack_from(body, 8)[0]
    at = 12
    found: list[JksEntry] = []
    for _ in range(count):
        tag = _INT.unpack_from(body, at)[0]
        alias, at = _text(body, at + 4)
        at += 8  # when it was made
        key, chain = None, 1
        if tag == _KEY:
            key, at = _bytes(body, at)
            chain = _INT.unpack_from(body, at)[0]
            at += 4
        elif tag != _CERTIFICATE:
            raise ValueError(tag)
        entry = JksEntry(alias.decode(errors="replace"), key, [])
        for _ in range(chain):
            if version == 2:
                at = _text(body, at)[1]
            certificate, at = _bytes(body, at)
            entry.certificates.append(certificate)
        found.append(entry)
    return found


def _text(body: bytes, at: int) -> tuple[bytes, int]:
    end = at + 2 + int(_SHORT.unpack_from(body, at)[0])
    return body[at + 2 : end], end


def _bytes(body: bytes, at: int) -> tuple[bytes, int]:
    end = at + 4 + int(_INT.unpack_from(body, at)[0])
    if end > len(body):
        raise ValueError(end)
    return body[at + 4 : end], end
