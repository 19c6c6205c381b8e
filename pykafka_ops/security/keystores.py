"""Key stores and trust stores in every form Kafka takes: PEM, PKCS12, JKS.

PKCS12 is read with the ``openssl`` program.
"""

from __future__ import annotations

import base64
import os
import ssl
import subprocess

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security import jks


def read_store(path: str, password: str, *, keys: bool, key_password: str = "") -> str:
    """What a store file holds, as PEM text.

    ``keys``: it is wanted for its private key, which ``key_password`` opens where it has one of its
    own. TlsSettingError where it cannot be opened. May start a program: not for an event loop.
    """
    try:
        with open(os.path.expanduser(path), "rb") as f:
            data = f.read()
    except OSError as e:
        raise TlsSettingError(f"{path}: {e.strerror}") from None
    if data.startswith(jks.MAGIC):
        if keys:
            return _jks_key(path, jks.entries(data, password, path), key_password or password)
        return _pem(jks.trusted_certificates(data, password, path))
    if b"-----BEGIN" in data:
        return data.decode("latin-1")
    if data.startswith(b"\x30"):
        return _pkcs12(path, password, keys=keys)
    raise TlsSettingError(f"{path} is neither PEM, PKCS12 nor JKS")


def _jks_key(path: str, entries: list[jks.JksEntry], password: str) -> str:
    """The first key with its certificates."""
    for entry in entries:
        if entry.key is not None:
            key = base64.encodebytes(jks.private_key(entry.key, password, path)).decode()
            begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
            return f"{begin}\n{key}{end}\n{_pem(entry.certificates)}"
    raise TlsSettingError(f"{path}: no private key in it")


def _pem(certificates: list[bytes]) -> str:
    return "".join(ssl.DER_cert_to_PEM_cert(each) for each in certificates)


def _pkcs12(path: str, password: str, *, keys: bool) -> str:
    """PEM text of a PKCS12 store, by the ``openssl`` program.

    It hears the password by its input: others of the same user can read the environment.
    """
    argv = ["openssl", "pkcs12", "-in", os.path.expanduser(path), "-passin", "stdin"]
    argv += ["-nodes"] if keys else ["-nokeys"]
    word = f"{password}\n".encode()
    try:
        done = subprocess.run(argv, input=word, capture_output=True, check=False)
        if done.returncode:
            done = subprocess.run([*argv, "-legacy"], input=word, capture_output=True, check=False)
    except FileNotFoundError:
        raise TlsSettingError(
            f"{path} is a PKCS12 store and the openssl program is not installed; convert it: "
            f"openssl pkcs12 -in {path} -out store.pem -nodes"
        ) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines() or ["?"]
        raise TlsSettingError(f"{path}: {reason[0]}")
    return done.stdout.decode("latin-1")
