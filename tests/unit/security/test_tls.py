import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security import tls13_suites
from pykafka_ops.security.tls import check_trust, client_context, openssl_name, server_context
from tests.support.process import certificates
from tests.support.process.certificates import PASSWORD, Authority

needs_openssl = pytest.mark.skipif(
    bool(certificates.missing()), reason=certificates.missing() or ""
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


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


AES_128, AES_256 = "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"
CHACHA = "TLS_CHACHA20_POLY1305_SHA256"
OLD = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"


def suite_of(server: ssl.SSLContext, client: ssl.SSLContext) -> str:
    """What two ends agree on; SSLError if they do not."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    ends = [client.wrap_bio(back, there), server.wrap_bio(there, back, server_side=True)]
    for _ in range(4):
        for end in ends:
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    found = ends[0].cipher()
    assert found is not None
    return found[0]


@needs_openssl
def test_suites_of_tls_13_are_left_out_where_they_are_not_named(authority: Authority) -> None:
    """As Apache Kafka lets the same clients in, by the same suites."""
    own = {"ssl.keystore.location": str(authority.issue("server"))}
    offers = (AES_128, AES_256, CHACHA, OLD)
    for named in (AES_128, AES_256, CHACHA, OLD, f"{AES_128},{OLD}", f"{AES_128},{AES_256}"):
        server = server_context({**own, "ssl.cipher.suites": named}.get)
        assert suite_of(server, client_context({}.get)) == openssl_name(named.split(",")[0])
        for offer in offers:
            client = client_context({"ssl.cipher.suites": offer}.get)
            if offer in named.split(","):
                assert suite_of(server, client) == openssl_name(offer)
            else:
                with pytest.raises(ssl.SSLError):
                    suite_of(server, client)


def test_where_python_offers_no_way_all_suites_must_be_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_way(*_: object) -> list[str]:
        raise NotImplementedError

    monkeypatch.setattr(tls13_suites, "allow", no_way)
    with pytest.raises(TlsSettingError, match="this Python can leave out no suite of"):
        client_context({"ssl.cipher.suites": AES_128}.get)
    made = client_context({"ssl.cipher.suites": f"{AES_128},{AES_256},{CHACHA}"}.get)
    assert set(tls13_suites.allowed(made)) == {AES_128, AES_256, CHACHA}


def test_the_setting_at_fault_is_named_with_its_prefix() -> None:
    with pytest.raises(
        TlsSettingError, match=r"^zookeeper\.ssl\.cipher\.suites TLS_NO_WITH_X,TLS_NO: none"
    ):
        client_context({"ssl.cipher.suites": "TLS_NO_WITH_X,TLS_NO"}.get, "zookeeper.")
    with pytest.raises(TlsSettingError, match="TLS_NO: none that OpenSSL knows"):
        client_context({"ssl.cipher.suites": "TLS_NO"}.get)
    with pytest.raises(TlsSettingError, match=r"^zookeeper\.ssl\.enabled\.protocols SSLv3"):
        client_context({"ssl.enabled.protocols": "SSLv3"}.get, "zookeeper.")


def server(**settings: str) -> ssl.SSLContext:
    return server_context({name.replace("_", "."): v for name, v in settings.items()}.get, "x.")


def shown(text: str) -> dict[str, str]:
    """A key and its certificate in the settings themselves."""
    key, _, chain = text.partition("-----BEGIN CERTIFICATE-----")
    return {
        "ssl_keystore_key": key,
        "ssl_keystore_certificate_chain": f"-----BEGIN CERTIFICATE-----{chain}",
    }


@needs_openssl
def test_a_broker_shows_a_key_in_any_form_encrypted_too(authority: Authority) -> None:
    pem = authority.issue("server")
    secret = authority.encrypted(pem)
    for settings in (
        {"ssl_keystore_location": str(pem)},
        {"ssl_keystore_location": str(secret), "ssl_key_password": PASSWORD},
        {"ssl_keystore_location": str(authority.pkcs12(pem)), "ssl_keystore_password": PASSWORD},
        shown(pem.read_text()),
        {**shown(secret.read_text()), "ssl_key_password": PASSWORD},
        *(
            {name: gap.join(text.split("\n")) for name, text in shown(pem.read_text()).items()}
            for gap in (" ", "", "\r\n")
        ),
    ):
        assert server(**settings).verify_mode is ssl.CERT_NONE


@needs_openssl
def test_authorities_in_the_setting_may_stand_on_one_line(authority: Authority) -> None:
    lines = authority.ca.read_text().splitlines() * 2
    for text in ("\n".join(lines), " ".join(lines), "".join(lines)):
        trusted = client_context({"ssl.truststore.certificates": text}.get).get_ca_certs()
        assert len(trusted) == 1


@needs_openssl
def test_a_key_that_cannot_be_used_is_told(authority: Authority) -> None:
    pem = authority.issue("server")
    no_key = "no private key that ssl.key.password"
    other = authority.issue("other").read_text()
    mixed = {**shown(pem.read_text()), "ssl_keystore_key": shown(other)["ssl_keystore_key"]}
    for settings, text in (
        ({}, r"^x\.ssl\.keystore\.location is needed"),
        ({"ssl_keystore_location": str(authority.ca)}, no_key),
        ({"ssl_keystore_location": str(authority.encrypted(pem))}, no_key),
        (
            {"ssl_keystore_location": str(authority.encrypted(pem)), "ssl_key_password": "no"},
            no_key,
        ),
        (mixed, "not that of the first certificate"),
        ({"ssl_keystore_location": str(pem), "ssl_client_auth": "perhaps"}, "choose one of none"),
        ({**shown(other), "ssl_keystore_location": str(pem)}, "^Both SSL key store location and"),
        ({**shown(other), "ssl_keystore_key": ""}, "but private key is not specified"),
        ({**shown(other), "ssl_keystore_certificate_chain": ""}, "chain is not specified"),
        ({**shown(other), "ssl_truststore_certificates": "none"}, "no certificates"),
        (
            {
                **shown(other),
                "ssl_truststore_certificates": authority.ca.read_text(),
                "ssl_truststore_location": str(authority.ca),
            },
            "^Both SSL trust store location and separate trust certificates",
        ),
    ):
        with pytest.raises(TlsSettingError, match=text):
            server(**settings)


@needs_openssl
def test_ends_that_do_not_trust_each_other_are_told(authority: Authority, tmp_path: Path) -> None:
    own = {"ssl.keystore.location": str(authority.issue("server")), "ssl.client.auth": "required"}
    good = {**own, "ssl.truststore.location": str(authority.ca)}
    bad = {**own, "ssl.truststore.location": str(Authority(tmp_path).ca)}
    check_trust(server_context(good.get), client_context(good.get), "listener X")
    for ends in ((good, bad), (bad, good)):
        contexts = server_context(ends[0].get), client_context(ends[1].get)
        with pytest.raises(TlsSettingError, match=r"^listener X: its certificate is not one that"):
            check_trust(*contexts, "listener X")
    newer = client_context({**good, "ssl.enabled.protocols": "TLSv1.3"}.get)
    older = server_context({**good, "ssl.enabled.protocols": "TLSv1.2"}.get)
    with pytest.raises(TlsSettingError, match=r"^listener X: it cannot connect to itself"):
        check_trust(older, newer, "listener X")
