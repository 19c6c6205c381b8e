"""Key and trust stores of Java's clients become what librdkafka opens."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from pykafka_ops.commands.console.rdkafka import librdkafka
from pykafka_ops.commands.console.rdkafka_tls import tls
from pykafka_ops.errors import UsageError
from pykafka_ops.security.certificates import from_pem
from tests.support.golden.certificates import GOLDEN, KEY_PASSWORD, PASSWORD
from tests.support.raising import raises_only

PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"


def test_pem_trust_is_handed_over_as_text(tmp_path: Path) -> None:
    store = tmp_path / "trust.pem"
    store.write_text(PEM)
    assert tls({"ssl.truststore.location": str(store)}) == {"ssl.ca.pem": PEM}
    assert tls({"ssl.truststore.certificates": PEM}) == {"ssl.ca.pem": PEM}


def test_a_jks_trust_store_is_handed_over_as_text() -> None:
    store = {"ssl.truststore.location": str(GOLDEN / "trust.jks")}
    found = tls({**store, "ssl.truststore.password": PASSWORD})["ssl.ca.pem"]
    assert from_pem(found) == from_pem((GOLDEN / "ca.pem").read_text())


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


def test_a_jks_key_store_is_handed_over_as_text_that_librdkafka_takes() -> None:
    store = {
        "ssl.keystore.location": str(GOLDEN / "key.jks"),
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": KEY_PASSWORD,
    }
    found = tls(store)
    assert found["ssl.key.pem"].startswith("-----BEGIN PRIVATE KEY-----")
    with raises_only():
        AdminClient({"security.protocol": "SSL", **found})
    with pytest.raises(UsageError, match="wrong password of the private key"):
        tls({**store, "ssl.key.password": "other"})


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
