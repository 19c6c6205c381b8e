"""Key stores and trust stores in every form Kafka takes: PEM, PKCS12, JKS.

PKCS12 is read with the ``openssl`` program; a JKS trust store is read here, a JKS key store is
refused with the command that converts it.
"""

from __future__ import annotations

import os
import subprocess

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.jks import MAGIC as JKS_MAGIC
from pykafka_ops.security.jks import trusted_certificates


def read_store(path: str, password: str, *, keys: bool) -> str | bytes:
    """What a store file holds: PEM text, or DER certificates of a JKS trust store.

    ``keys``: it is wanted for its private key. TlsSettingError where it cannot be opened.
    """
    try:
        with open(os.path.expanduser(path), "rb") as f:
            data = f.read()
    except OSError as e:
        raise TlsSettingError(f"{path}: {e.strerror}") from None
    if data.startswith(JKS_MAGIC):
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
