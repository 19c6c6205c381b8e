"""Key stores and trust stores in every form Kafka takes: PEM, PKCS12, JKS.

PKCS12 is read with the ``openssl`` program; a JKS trust store is read here, a JKS key store is
refused with the command that converts it. Source of JKS: sun.security.provider.JavaKeyStore: magic,
version, count, entries, SHA-1 of password, salt and all of it; certificates are not encrypted.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
from struct import Struct, error

from pykafka_ops.errors import TlsSettingError

MAGIC = b"\xfe\xed\xfe\xed"
_INT = Struct(">I")
_SHORT = Struct(">H")
_KEY, _CERTIFICATE = 1, 2


def read_store(path: str, password: str, *, keys: bool) -> str | bytes:
    """What a store file holds: PEM text, or DER certificates of a JKS trust store.

    ``keys``: it is wanted for its private key. TlsSettingError where it cannot be opened.
    """
    try:
        with open(os.path.expanduser(path), "rb") as f:
            data = f.read()
    except OSError as e:
        raise TlsSettingError(f"{path}: {e.strerror}") from None
    if data.startswith(MAGIC):
        if keys:
            raise TlsSettingError(
                f"{path} is a JKS key store, which only Java can open; convert it: "
                f"keytool -importkeystore -srckeystore {path} -destkeystore "
                f"{path}.p12 -deststoretype PKCS12"
            )
        return b"".join(trusted_certificates(data, password, path))
    if b"-----BEGIN" in data:
        return data.decode("latin-1")
    if data.startswith(b"\x30"):
        return _pkcs12(path, password, keys=keys)
    raise TlsSettingError(f"{path} is neither PEM, PKCS12 nor JKS")


def _pkcs12(path: str, password: str, *, keys: bool) -> str:
    """PEM text of a PKCS12 store, by the ``openssl`` program."""
    argv = ["openssl", "pkcs12", "-in", os.path.expanduser(path), "-passin", "env:PKO_STORE"]
    argv += ["-nodes"] if keys else ["-nokeys"]
    env = {**os.environ, "PKO_STORE": password}
    try:
        done = subprocess.run(argv, env=env, capture_output=True, check=False)
        if done.returncode:
            done = subprocess.run([*argv, "-legacy"], env=env, capture_output=True, check=False)
    except FileNotFoundError:
        raise TlsSettingError(
            f"{path} is a PKCS12 store and the openssl program is not installed; convert it: "
            f"openssl pkcs12 -in {path} -out store.pem -nodes"
        ) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines() or ["?"]
        raise TlsSettingError(f"{path}: {reason[0]}")
    return done.stdout.decode("latin-1")


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
