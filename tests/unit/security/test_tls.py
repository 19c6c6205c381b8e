import ssl

import pytest

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.tls import client_context, openssl_name


@pytest.mark.parametrize(
    ("java", "openssl"),
    [
        ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", "ECDHE-ECDSA-AES256-SHA384"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"),
        ("TLS_DHE_RSA_WITH_AES_256_CBC_SHA", "DHE-RSA-AES256-SHA"),
        ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"),
        ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"),
    ],
)
def test_cipher_suites_have_names_of_java_and_of_openssl(java: str, openssl: str) -> None:
    assert openssl_name(java) == openssl
    made = client_context({"ssl.cipher.suites": java}.get)
    older = [each["name"] for each in made.get_ciphers() if each["protocol"] != "TLSv1.3"]
    assert older == [openssl]
    assert made.maximum_version is ssl.TLSVersion.TLSv1_2


def test_suites_of_tls_13_alone_mean_tls_13() -> None:
    made = client_context({"ssl.cipher.suites": "TLS_AES_128_GCM_SHA256"}.get)
    assert made.minimum_version is ssl.TLSVersion.TLSv1_3


def test_the_setting_at_fault_is_named_with_its_prefix() -> None:
    with pytest.raises(
        TlsSettingError, match=r"^zookeeper\.ssl\.cipher\.suites TLS_NO_WITH_X,TLS_NO: none"
    ):
        client_context({"ssl.cipher.suites": "TLS_NO_WITH_X,TLS_NO"}.get, "zookeeper.")
    with pytest.raises(TlsSettingError, match=r"^zookeeper\.ssl\.enabled\.protocols SSLv3"):
        client_context({"ssl.enabled.protocols": "SSLv3"}.get, "zookeeper.")
