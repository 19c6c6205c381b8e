"""Kafka's ``ssl.*`` properties for librdkafka: stores become what it can open."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.tls import read_store
from pykafka_ops.security.jks import MAGIC
from pykafka_ops.security.tls import openssl_suites

SUITES = "ssl.cipher.suites"
IDENTIFICATION = "ssl.endpoint.identification.algorithm"


def tls(properties: Mapping[str, str]) -> dict[str, str]:
    """librdkafka's settings for trust store, key store, host name check and cipher suites.

    ClientConfigError for a store that cannot be read.
    """
    found = {**_trust(properties), **_identity(properties)}
    if IDENTIFICATION in properties:
        found[IDENTIFICATION] = properties[IDENTIFICATION].strip().lower() or "none"
    suites = openssl_suites(properties.get(SUITES, ""))
    if suites:
        found[SUITES] = ":".join(suites)
    return found


def _trust(properties: Mapping[str, str]) -> dict[str, str]:
    text = properties.get("ssl.truststore.certificates")
    if text:
        return {"ssl.ca.pem": text}
    path = properties.get("ssl.truststore.location")
    if not path:
        return {}
    store = read_store(path, properties.get("ssl.truststore.password", ""), keys=False)
    return {"ssl.ca.pem": store}


def _identity(properties: Mapping[str, str]) -> dict[str, str]:
    """PEM and PKCS12 files are opened by librdkafka itself, with the whole chain."""
    key = properties.get("ssl.keystore.key")
    chain = properties.get("ssl.keystore.certificate.chain")
    if key and chain:
        return {"ssl.key.pem": key, "ssl.certificate.pem": chain}
    path = os.path.expanduser(properties.get("ssl.keystore.location") or "")
    if not path:
        return {}
    try:
        with open(path, "rb") as file:
            start = file.read(1)
    except OSError as e:
        raise ClientConfigError(f"{path}: {e.strerror}") from None
    password = properties.get("ssl.keystore.password", "")
    if start == b"\x30":
        return {"ssl.keystore.location": path, "ssl.keystore.password": password}
    pem = read_store(  # which says why it is none that can be opened
        path, password, keys=True, key_password=properties.get("ssl.key.password") or ""
    )
    if start == MAGIC[:1]:
        return {"ssl.key.pem": pem, "ssl.certificate.pem": pem}
    return {"ssl.key.location": path, "ssl.certificate.location": path}
