"""Key and trust stores of Java's clients become what librdkafka opens."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from pykafka_ops.commands.console.rdkafka import librdkafka
from pykafka_ops.commands.console.rdkafka_tls import _each_der, tls
from pykafka_ops.errors import UsageError

PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"


def der(size: int) -> bytes:
    head = b"\x30\x82" + size.to_bytes(2, "big") if size > 127 else bytes((0x30, size))
    return head + bytes(size)


def test_pem_trust_is_handed_over_as_text(tmp_path: Path) -> None:
    store = tmp_path / "trust.pem"
    store.write_text(PEM)
    assert tls({"ssl.truststore.location": str(store)}) == {"ssl.ca.pem": PEM}
    assert tls({"ssl.truststore.certificates": PEM}) == {"ssl.ca.pem": PEM}


def test_certificates_of_a_jks_trust_store_are_told_apart() -> None:
    parts = [der(5), der(300), der(0)]
    assert _each_der(b"".join(parts)) == parts
    assert ssl.PEM_cert_to_DER_cert(ssl.DER_cert_to_PEM_cert(parts[1])) == parts[1]


def test_keys_in_properties_stay_text_and_in_files_are_opened_by_librdkafka(
    tmp_path: Path,
) -> None:
    given = {"ssl.keystore.key": "K", "ssl.keystore.certificate.chain": "C"}
    assert tls(given) == {"ssl.key.pem": "K", "ssl.certificate.pem": "C"}
    pem, p12 = tmp_path / "key.pem", tmp_path / "key.p12"
    pem.write_text(PEM)
    p12.write_bytes(b"\x30\x82")
    assert tls({"ssl.keystore.location": str(pem)}) == {
        "ssl.key.location": str(pem),
        "ssl.certificate.location": str(pem),
    }
    assert tls({"ssl.keystore.location": str(p12), "ssl.keystore.password": "x"}) == {
        "ssl.keystore.location": str(p12),
        "ssl.keystore.password": "x",
    }


def test_a_jks_key_store_is_refused_with_the_way_out(tmp_path: Path) -> None:
    store = tmp_path / "key.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed rest")
    with pytest.raises(UsageError, match="keytool -importkeystore"):
        tls({"ssl.keystore.location": str(store)})


def test_an_empty_host_name_check_is_none() -> None:
    name = "ssl.endpoint.identification.algorithm"
    given = {name: "", "ssl.key.password": "p", "ssl.truststore.type": "PEM"}
    assert librdkafka(given, consumer=True) == {name: "none", "ssl.key.password": "p"}
    assert tls({name: "HTTPS"}) == {name: "https"}


def test_cipher_suites_get_the_names_of_openssl() -> None:
    java = "TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
    java += ",TLS_RSA_WITH_AES_128_CBC_SHA"
    found = librdkafka({"ssl.cipher.suites": java}, consumer=True)
    assert found == {"ssl.cipher.suites": "ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA"}
    assert librdkafka({"ssl.cipher.suites": "TLS_AES_128_GCM_SHA256"}, consumer=True) == {}
