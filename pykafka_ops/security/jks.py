"""Reads the certificates of a Java key store of the old JKS type.

Source: the format of sun.security.provider.JavaKeyStore: magic, version, count, entries, SHA-1 of
password, salt and all of it. Certificates are not encrypted; private keys are, and are skipped.
"""

from __future__ import annotations

import hashlib
import hmac
from struct import Struct, error

from pykafka_ops.errors import TlsSettingError

MAGIC = b"\xfe\xed\xfe\xed"
_INT = Struct(">I")
_SHORT = Struct(">H")
_KEY, _CERTIFICATE = 1, 2


def trusted_certificates(data: bytes, password: str, path: str = "store") -> list[bytes]:
    """The DER certificates in it; TlsSettingError for a wrong password or a torn file."""
    body, digest = data[:-20], data[-20:]
    if password:
        salt = password.encode("utf-16-be") + b"Mighty Aphrodite"
        if not hmac.compare_digest(hashlib.sha1(salt + body).digest(), digest):
            raise TlsSettingError(f"{path}: wrong password, or the file is damaged")
    try:
        return list(_entries(body))
    except (error, IndexError, ValueError):
        raise TlsSettingError(f"{path}: not a whole JKS key store") from None


def _entries(body: bytes) -> list[bytes]:
    version, count = _INT.unpack_from(body, 4)[0], _INT.unpack_from(body, 8)[0]
    at, found = 12, []
    for _ in range(count):
        tag = _INT.unpack_from(body, at)[0]
        at = _text(body, at + 4)[1] + 8
        if tag == _KEY:
            at += 4 + _INT.unpack_from(body, at)[0]
            chain = _INT.unpack_from(body, at)[0]
            at += 4
        elif tag == _CERTIFICATE:
            chain = 1
        else:
            raise ValueError(tag)
        for _ in range(chain):
            if version == 2:
                at = _text(body, at)[1]
            size = _INT.unpack_from(body, at)[0]
            certificate = body[at + 4 : at + 4 + size]
            if len(certificate) != size:
                raise ValueError(size)
            at += 4 + size
            if tag == _CERTIFICATE:
                found.append(certificate)
    return found


def _text(body: bytes, at: int) -> tuple[bytes, int]:
    size = _SHORT.unpack_from(body, at)[0]
    return body[at + 2 : at + 2 + size], at + 2 + size
