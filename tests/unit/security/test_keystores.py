"""A store gives its key and its certificates as PEM, whoever made it."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.certificates import from_pem
from pykafka_ops.security.keystores import read_store
from tests.support.golden.certificates import GOLDEN, KEY_PASSWORD, PASSWORD

JKS, P12 = str(GOLDEN / "key.jks"), str(GOLDEN / "key.p12")


def pem(name: str) -> list[bytes]:
    return from_pem((GOLDEN / name).read_text())


@pytest.mark.parametrize(("path", "password"), [(JKS, KEY_PASSWORD), (P12, "")])
def test_keytools_key_stores_give_the_key_and_the_whole_chain(
    path: str, password: str, tmp_path: Path
) -> None:
    text = read_store(path, PASSWORD, keys=True, key_password=password)
    assert from_pem(text) == pem("broker.pem") + pem("ca.pem")
    whole = tmp_path / "whole.pem"
    whole.write_text(text)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(whole)  # the key is that of the first


@pytest.mark.parametrize("name", ["trust.jks", "trust.p12", "ca.pem"])
def test_trust_stores_give_what_they_trust(name: str) -> None:
    assert from_pem(read_store(str(GOLDEN / name), PASSWORD, keys=False)) == pem("ca.pem")


@pytest.mark.parametrize(
    ("path", "password", "of_key", "text"),
    [
        (JKS, "wrong", KEY_PASSWORD, "wrong password, or the file is damaged"),
        (JKS, PASSWORD, "wrong", r"wrong password of the private key \(ssl\.key\.password\?\)"),
        (JKS, PASSWORD, "", "wrong password of the private key"),
        (str(GOLDEN / "trust.jks"), PASSWORD, "", "no private key in it"),
    ],
)
def test_a_key_that_cannot_be_had_is_told(path: str, password: str, of_key: str, text: str) -> None:
    with pytest.raises(TlsSettingError, match=text):
        read_store(path, password, keys=True, key_password=of_key)
