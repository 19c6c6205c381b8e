"""An SSLContext from Kafka's ``ssl.*`` settings, for whoever connects.

Stores are files of any form (``keystores``); PEM may also stand in the setting itself.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Callable

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.keystores import read_store

Get = Callable[[str], str | None]
"""The text of a setting by its name (``ssl.keystore.location``), None where it is not set."""

_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_TLS13 = re.compile(r"TLS_(?!\w*_WITH_)")
_SUITE = re.compile(r"TLS_(?P<exchange>\w+?)_WITH_(?P<cipher>\w+)")


def client_context(get: Get, prefix: str = "") -> ssl.SSLContext:
    """The context of a client; ``prefix`` stands before the names in messages.

    TlsSettingError says which setting is wrong.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    checked = get("ssl.endpoint.identification.algorithm")
    made.check_hostname = checked is None or checked.strip().lower() == "https"
    _protocols(made, get, prefix)
    _ciphers(made, get, prefix)
    _trust(made, get)
    _identity(made, get)
    return made


def _protocols(made: ssl.SSLContext, get: Get, prefix: str) -> None:
    names = get("ssl.enabled.protocols")
    if not names:
        return
    known = [_VERSIONS[n.strip()] for n in names.split(",") if n.strip() in _VERSIONS]
    if not known:
        raise TlsSettingError(
            f"{prefix}ssl.enabled.protocols {names}: TLSv1.2 or TLSv1.3 is needed"
        )
    made.minimum_version, made.maximum_version = min(known), max(known)


def _ciphers(made: ssl.SSLContext, get: Get, prefix: str) -> None:
    """Of TLS 1.3 all are allowed where one is named, since OpenSSL's cannot be chosen from here."""
    text = get("ssl.cipher.suites") or ""
    names = _suites(text)
    older = openssl_suites(text)
    if names and not older:
        made.minimum_version = ssl.TLSVersion.TLSv1_3
    if not older:
        return
    try:
        made.set_ciphers(":".join(older))
    except ssl.SSLError:
        raise TlsSettingError(
            f"{prefix}ssl.cipher.suites {text}: none that OpenSSL knows"
        ) from None
    if len(older) == len(names):
        made.maximum_version = ssl.TLSVersion.TLSv1_2


def _suites(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def openssl_suites(text: str) -> list[str]:
    """OpenSSL's names of those in ``ssl.cipher.suites`` that are older than TLS 1.3."""
    return [openssl_name(name) for name in _suites(text) if not _TLS13.match(name)]


def openssl_name(name: str) -> str:
    """OpenSSL's name of a cipher suite that Java names (RFC 5246, with TLS_ before it)."""
    found = _SUITE.fullmatch(name)
    if found is None:
        return name
    exchange = found["exchange"].replace("_", "-")
    cipher = found["cipher"].replace("_CBC_", "_").replace("_POLY1305_SHA256", "_POLY1305")
    cipher = re.sub(r"^(AES|CAMELLIA)_(\d+)", r"\1\2", cipher)
    return "-".join([*([] if exchange == "RSA" else [exchange]), cipher.replace("_", "-")])


def _trust(made: ssl.SSLContext, get: Get) -> None:
    text = get("ssl.truststore.certificates")
    path = get("ssl.truststore.location")
    try:
        if text:
            made.load_verify_locations(cadata=text)
        elif path:
            password = get("ssl.truststore.password") or ""
            made.load_verify_locations(cadata=read_store(path, password, keys=False))
        else:
            made.load_default_certs(ssl.Purpose.SERVER_AUTH)
    except ssl.SSLError as e:
        raise TlsSettingError(f"trust store {path or '(text)'}: no certificates ({e})") from None


def _identity(made: ssl.SSLContext, get: Get) -> None:
    path = get("ssl.keystore.location")
    key, chain = get("ssl.keystore.key"), get("ssl.keystore.certificate.chain")
    key_password = get("ssl.key.password")
    if key and chain:
        pem: str | bytes = f"{key}\n{chain}\n"
    elif path:
        store_password = get("ssl.keystore.password") or ""
        pem = read_store(path, store_password, keys=True)
        key_password = key_password or store_password
    else:
        return
    if isinstance(pem, bytes):
        raise TlsSettingError(f"key store {path}: no private key in PEM form")
    fd = os.memfd_create("pko-key")
    try:
        os.write(fd, pem.encode())
        made.load_cert_chain(f"/proc/self/fd/{fd}", password=key_password or "")
    except ssl.SSLError as e:
        raise TlsSettingError(f"key store {path or '(text)'}: {e.reason or e}") from None
    finally:
        os.close(fd)
