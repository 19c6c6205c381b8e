"""An SSLContext from Kafka's ``ssl.*`` settings, for whoever connects or is connected to.

Stores are files of any form (``keystores``); PEM may also stand in the setting itself.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Callable
from contextlib import suppress

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.certificates import from_pem
from pykafka_ops.security.keystores import read_store
from pykafka_ops.security.pem import in_lines

Get = Callable[[str], str | None]
"""The text of a setting by its name (``ssl.keystore.location``), None where it is not set."""

_CLIENT_AUTH = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_NO_KEY = "no private key that ssl.key.password (or ssl.keystore.password) opens"
_MEANS = {
    "": _NO_KEY,
    "BAD_DECRYPT": _NO_KEY,
    "BAD_PASSWORD_READ": _NO_KEY,
    "KEY_VALUES_MISMATCH": "the private key is not that of the first certificate",
}
"""Of errors of OpenSSL."""
_MOST_FLIGHTS = 4
_TLS13 = re.compile(r"TLS_(?!\w*_WITH_)")
_SUITE = re.compile(r"TLS_(?P<exchange>\w+?)_WITH_(?P<cipher>\w+)")


SETTINGS = (
    "ssl.client.auth",
    "ssl.protocol",
    "ssl.enabled.protocols",
    "ssl.cipher.suites",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
    *(
        f"ssl.keystore.{end}"
        for end in ("location", "password", "type", "key", "certificate.chain")
    ),
    *(f"ssl.truststore.{end}" for end in ("location", "password", "type", "certificates")),
)
"""What a context is made from."""


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


def server_context(get: Get, prefix: str = "") -> ssl.SSLContext:
    """The context of a listener; ``prefix`` stands before the names in messages.

    TlsSettingError says which setting is wrong. Clients' certificates are checked as
    ``ssl.client.auth`` says, their host names never.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.options |= ssl.OP_CIPHER_SERVER_PREFERENCE | ssl.OP_NO_RENEGOTIATION
    _protocols(made, get, prefix)
    _ciphers(made, get, prefix)
    asked = (get("ssl.client.auth") or "none").strip().lower()
    if asked not in _CLIENT_AUTH:
        raise TlsSettingError(
            f"{prefix}ssl.client.auth {asked}: choose one of {', '.join(_CLIENT_AUTH)}"
        )
    made.verify_mode = _CLIENT_AUTH[asked]
    named = get("ssl.truststore.location") or get("ssl.truststore.certificates")
    if named or made.verify_mode != ssl.CERT_NONE:  # what is named must be right, as for Kafka
        _trust(made, get, ssl.Purpose.CLIENT_AUTH)
    pem = identity(get)
    if pem is None:
        raise TlsSettingError(
            f"{prefix}ssl.keystore.location is needed: the broker has to show a certificate"
        )
    _load(made, pem, get)
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
    """The older suites and those of TLS 1.3 that are named; a version without any is left out."""
    text = get("ssl.cipher.suites") or ""
    names = _suites(text)
    if not names:
        return
    from pykafka_ops.security import tls13_suites  # ctypes takes a while, and few ask for it

    older = openssl_suites(text)
    newer = [name for name in names if _TLS13.match(name)]
    try:
        if older:
            made.set_ciphers(":".join(older))
        else:
            made.minimum_version = ssl.TLSVersion.TLSv1_3
        if newer:
            tls13_suites.allow(made, newer)
        else:
            made.maximum_version = ssl.TLSVersion.TLSv1_2
    except (ssl.SSLError, ValueError):
        raise TlsSettingError(
            f"{prefix}ssl.cipher.suites {text}: none that OpenSSL knows"
        ) from None
    except NotImplementedError:
        if not set(tls13_suites.allowed(made)) <= set(newer):
            raise TlsSettingError(
                f"{prefix}ssl.cipher.suites {text}: this Python can leave out no suite of TLSv1.3: "
                f"name {', '.join(tls13_suites.allowed(made))}"
            ) from None


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


def _trust(made: ssl.SSLContext, get: Get, of: ssl.Purpose = ssl.Purpose.SERVER_AUTH) -> None:
    text = get("ssl.truststore.certificates")
    path = get("ssl.truststore.location")
    if text and path:
        raise TlsSettingError(
            "Both SSL trust store location and separate trust certificates are specified: set "
            "ssl.truststore.location or ssl.truststore.certificates"
        )
    if not text and not path:
        made.load_default_certs(of)
        return
    if not text and path:
        text = read_store(path, get("ssl.truststore.password") or "", keys=False)
    try:
        # Only what is between the lines of PEM: OpenSSL takes no comment that is not ASCII.
        made.load_verify_locations(cadata=b"".join(from_pem(text or "")))
    except (ssl.SSLError, ValueError) as e:
        raise TlsSettingError(f"trust store {path or '(text)'}: no certificates ({e})") from None


def identity(get: Get) -> str | None:
    """The private key and the certificates to show, as PEM text; None where there are none.
    Raises TlsSettingError, as ``DefaultSslEngineFactory.createKeystore`` where settings
    contradict each other."""
    path = get("ssl.keystore.location")
    key, chain = get("ssl.keystore.key"), get("ssl.keystore.certificate.chain")
    if key and not chain:
        raise TlsSettingError(
            "SSL private key is specified, but certificate chain is not specified: set "
            "ssl.keystore.certificate.chain, too"
        )
    if chain and not key:
        raise TlsSettingError(
            "SSL certificate chain is specified, but private key is not specified: set "
            "ssl.keystore.key, too"
        )
    if key and path:
        raise TlsSettingError(
            "Both SSL key store location and separate private key are specified: set "
            "ssl.keystore.location or ssl.keystore.key"
        )
    if key:
        return in_lines(f"{key}\n{chain}\n")
    if not path:
        return None
    password, of_key = get("ssl.keystore.password") or "", get("ssl.key.password") or ""
    return in_lines(read_store(path, password, keys=True, key_password=of_key))


def _identity(made: ssl.SSLContext, get: Get) -> None:
    pem = identity(get)
    if pem is not None:
        _load(made, pem, get)


def _load(made: ssl.SSLContext, pem: str, get: Get) -> None:
    password = get("ssl.key.password") or get("ssl.keystore.password") or ""
    fd = os.memfd_create("pko-key")
    try:
        os.write(fd, pem.encode())
        made.load_cert_chain(f"/proc/self/fd/{fd}", password=password)
    except (ssl.SSLError, ValueError) as e:  # ValueError: a password that is too long
        path = get("ssl.keystore.location")
        reason = getattr(e, "reason", None) or ""
        why = _MEANS.get(reason, reason or str(e))
        raise TlsSettingError(f"key store {path or '(text)'}: {why}") from None
    finally:
        os.close(fd)


def check_trust(server: ssl.SSLContext, client: ssl.SSLContext, who: str) -> None:
    """Have a client with one context connect to a server with the other, in memory, as
    ``SslFactory.SslEngineValidator`` does. TlsSettingError if they do not trust each other."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    checked, client.check_hostname = client.check_hostname, False
    ends = [
        client.wrap_bio(back, there, server_side=False),
        server.wrap_bio(there, back, server_side=True),
    ]
    client.check_hostname = checked
    try:
        for _ in range(_MOST_FLIGHTS):
            for end in ends:
                with suppress(ssl.SSLWantReadError):
                    end.do_handshake()
    except ssl.SSLCertVerificationError as error:
        raise TlsSettingError(
            f"{who}: its certificate is not one that other brokers would trust: "
            f"{error.verify_message} (ssl.truststore.location?)"
        ) from None
    except ssl.SSLError as error:
        raise TlsSettingError(f"{who}: it cannot connect to itself: {error.reason}") from None
