"""An SSLContext from Kafka's ``ssl.*`` properties.

PEM works as it is (files or text in the property); PKCS12 is read with the ``openssl`` program; a
JKS trust store is read here, a JKS key store is refused with the command that converts it.
"""

from __future__ import annotations

import os
import ssl
import subprocess

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.client.jks import MAGIC as JKS_MAGIC
from pykafka_ops.client.jks import trusted_certificates

_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


def context(config: ClientConfig) -> ssl.SSLContext:
    """The context of every connection; ClientConfigError says which property is wrong."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    checked = config.properties.get("ssl.endpoint.identification.algorithm", "https").strip()
    made.check_hostname = checked.lower() == "https"
    _protocols(made, config)
    _trust(made, config)
    _identity(made, config)
    return made


def _protocols(made: ssl.SSLContext, config: ClientConfig) -> None:
    names = config.get("ssl.enabled.protocols")
    if not names:
        return
    known = [_VERSIONS[n.strip()] for n in names.split(",") if n.strip() in _VERSIONS]
    if not known:
        raise ClientConfigError(f"ssl.enabled.protocols {names}: TLSv1.2 or TLSv1.3 is needed")
    made.minimum_version, made.maximum_version = min(known), max(known)


def _trust(made: ssl.SSLContext, config: ClientConfig) -> None:
    text = config.get("ssl.truststore.certificates")
    path = config.get("ssl.truststore.location")
    try:
        if text:
            made.load_verify_locations(cadata=text)
        elif path:
            password = config.get("ssl.truststore.password") or ""
            made.load_verify_locations(cadata=read_store(path, password, keys=False))
        else:
            made.load_default_certs(ssl.Purpose.SERVER_AUTH)
    except ssl.SSLError as e:
        raise ClientConfigError(f"trust store {path or '(text)'}: no certificates ({e})") from None


def _identity(made: ssl.SSLContext, config: ClientConfig) -> None:
    path = config.get("ssl.keystore.location")
    key, chain = config.get("ssl.keystore.key"), config.get("ssl.keystore.certificate.chain")
    key_password = config.get("ssl.key.password")
    if key and chain:
        pem: str | bytes = f"{key}\n{chain}\n"
    elif path:
        store_password = config.get("ssl.keystore.password") or ""
        pem = read_store(path, store_password, keys=True)
        key_password = key_password or store_password
    else:
        return
    if isinstance(pem, bytes):
        raise ClientConfigError(f"key store {path}: no private key in PEM form")
    fd = os.memfd_create("pko-key")
    try:
        os.write(fd, pem.encode())
        made.load_cert_chain(f"/proc/self/fd/{fd}", password=key_password or "")
    except ssl.SSLError as e:
        raise ClientConfigError(f"key store {path or '(text)'}: {e.reason or e}") from None
    finally:
        os.close(fd)


def read_store(path: str, password: str, *, keys: bool) -> str | bytes:
    """What a store file holds: PEM text, or DER certificates of a JKS trust store.

    ClientConfigError where it cannot be opened.
    """
    try:
        with open(os.path.expanduser(path), "rb") as f:
            data = f.read()
    except OSError as e:
        raise ClientConfigError(f"{path}: {e.strerror}") from None
    if data.startswith(JKS_MAGIC):
        if keys:
            raise ClientConfigError(
                f"{path} is a JKS key store, which only Java can open; convert it: "
                f"keytool -importkeystore -srckeystore {path} -destkeystore "
                f"{path}.p12 -deststoretype PKCS12"
            )
        return b"".join(trusted_certificates(data, password, path))
    if b"-----BEGIN" in data:
        return data.decode("latin-1")
    if data.startswith(b"\x30"):
        return _pkcs12(path, password, keys=keys)
    raise ClientConfigError(f"{path} is neither PEM, PKCS12 nor JKS")


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
        raise ClientConfigError(
            f"{path} is a PKCS12 store and the openssl program is not installed; convert it: "
            f"openssl pkcs12 -in {path} -out store.pem -nodes"
        ) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines() or ["?"]
        raise ClientConfigError(f"{path}: {reason[0]}")
    return done.stdout.decode("latin-1")
