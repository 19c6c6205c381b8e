import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.cluster import CallTimeoutError, Cluster
from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.client.connection import WrongProtocolError
from pykafka_ops.client.tls import context, reason
from pykafka_ops.errors import TlsError
from tests.support.golden.transcripts import run
from tests.support.memory.fake_broker import FakeBroker
from tests.support.process import certificates
from tests.support.process.certificates import PASSWORD, Authority

Connect = Callable[..., Cluster]
pytestmark = pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or "")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def server_pem(authority: Authority) -> Path:
    return authority.issue("server")


@pytest.fixture
def broker(authority: Authority, server_pem: Path) -> Iterator[FakeBroker]:
    """A broker that speaks TLS and takes a client certificate if there is one."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(server_pem)
    made.load_verify_locations(authority.ca)
    made.verify_mode = ssl.CERT_OPTIONAL
    fake = FakeBroker(tls=made)
    yield fake
    fake.close()


def settings(**properties: str) -> ssl.SSLContext:
    names = {k.replace("_", "."): v for k, v in properties.items()}
    return context(ClientConfig([], names))


def test_a_trusted_broker_is_talked_to(
    broker: FakeBroker, authority: Authority, connect: Connect
) -> None:
    cluster = connect(
        broker.bootstrap, security_protocol="SSL", ssl_truststore_location=str(authority.ca)
    )
    assert cluster.metadata([]).cluster_id == "fake"


def test_an_untrusted_broker_is_told(broker: FakeBroker, connect: Connect) -> None:
    with pytest.raises(TlsError, match="its certificate is not trusted"):
        connect(broker.bootstrap, security_protocol="SSL").metadata([])


def test_a_wrong_name_is_told_unless_names_are_not_checked(
    authority: Authority, connect: Connect
) -> None:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(authority.issue("other", names="DNS:other.example"))
    fake = FakeBroker(tls=made)
    trust = {"security_protocol": "SSL", "ssl_truststore_location": str(authority.ca)}
    try:
        with pytest.raises(TlsError, match="IP address mismatch"):
            connect(fake.bootstrap, **trust).metadata([])
        free = {**trust, "ssl_endpoint_identification_algorithm": ""}
        assert connect(fake.bootstrap, **free).metadata([]).cluster_id == "fake"
    finally:
        fake.close()


def test_a_plaintext_port_is_told_at_once(connect: Connect) -> None:
    fake = FakeBroker()
    try:
        with pytest.raises(WrongProtocolError, match=r"speaks PLAINTEXT: set security\.protocol=P"):
            connect(fake.bootstrap, security_protocol="SSL").metadata([])
    finally:
        fake.close()


def test_a_port_that_is_silent_to_tls_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        properties = {
            "bootstrap.servers": f"127.0.0.1:{server.getsockname()[1]}",
            "security.protocol": "SSL",
            "socket.connection.setup.timeout.ms": "50",
        }
        with pytest.raises(CallTimeoutError) as caught:
            Cluster(ClientConfig.of(properties)).metadata([])
    assert "answers nothing to TLS for 0.05 s" in str(caught.value.trouble)


def test_a_plaintext_client_on_a_tls_port_is_told_at_once(
    broker: FakeBroker, connect: Connect
) -> None:
    with pytest.raises(WrongProtocolError, match=r"speaks TLS: set security\.protocol=SSL"):
        connect(broker.bootstrap).metadata([])


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_broker_that_wants_a_certificate_says_so_at_once(
    version: ssl.TLSVersion, authority: Authority, server_pem: Path, connect: Connect
) -> None:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(server_pem)
    made.load_verify_locations(authority.ca)
    made.verify_mode = ssl.CERT_REQUIRED
    made.maximum_version = version
    fake = FakeBroker(tls=made)
    trust = {"security_protocol": "SSL", "ssl_truststore_location": str(authority.ca)}
    try:
        with pytest.raises(TlsError, match=r"wants a certificate.*set ssl\.keystore\.location"):
            connect(fake.bootstrap, **trust).metadata([])
    finally:
        fake.close()


def test_stores_in_all_their_forms(authority: Authority, server_pem: Path) -> None:
    p12 = authority.pkcs12(server_pem)
    pem = server_pem.read_text()
    key, _, chain = pem.partition("-----BEGIN CERTIFICATE-----")
    settings(ssl_keystore_location=str(server_pem))
    settings(ssl_keystore_location=str(p12), ssl_keystore_password=PASSWORD)
    settings(
        ssl_keystore_key=key,
        ssl_keystore_certificate_chain="-----BEGIN CERTIFICATE-----" + chain,
    )
    trusted = settings(ssl_truststore_certificates=authority.ca.read_text())
    assert len(trusted.get_ca_certs()) == 1
    assert settings(ssl_truststore_location=str(p12), ssl_truststore_password=PASSWORD)


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"ssl_truststore_location": "/nowhere.pem"}, "/nowhere.pem: No such file"),
        ({"ssl_truststore_location": "{junk}"}, "is neither PEM, PKCS12 nor JKS"),
        ({"ssl_keystore_location": "{jks}"}, "not a whole JKS key store"),
        ({"ssl_truststore_location": "{jks}"}, "not a whole JKS key store"),
        ({"ssl_truststore_certificates": "nothing"}, "no certificates"),
        ({"ssl_enabled_protocols": "SSLv3"}, "TLSv1.2 or TLSv1.3 is needed"),
        ({"ssl_keystore_location": "{p12}", "ssl_keystore_password": "wrong"}, "store.p12: "),
    ],
)
def test_a_store_that_cannot_be_used_says_why(
    authority: Authority, tmp_path: Path, properties: dict[str, str], text: str
) -> None:
    for name, data in (("junk", b"junk"), ("jks", b"\xfe\xed\xfe\xed"), ("p12", b"\x30\x82")):
        (tmp_path / f"store.{name}").write_bytes(data)
    filled = {
        k: v.format(**{n: str(tmp_path / f"store.{n}") for n in ("junk", "jks", "p12")})
        for k, v in properties.items()
    }
    with pytest.raises(ClientConfigError) as caught:
        settings(**filled)
    assert text in str(caught.value)


def test_protocol_versions_can_be_narrowed() -> None:
    made = settings(ssl_enabled_protocols="TLSv1.3")
    assert made.minimum_version is ssl.TLSVersion.TLSv1_3


def test_a_certificate_that_has_ended_is_told_as_such(tmp_path: Path, connect: Connect) -> None:
    run("certs", "ca", "--dir", str(tmp_path))
    run("certs", "issue", "old", "--dir", str(tmp_path), "--host", "127.0.0.1", "--ended")
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(tmp_path / "old.pem")
    fake = FakeBroker(tls=made)
    trust = {"security_protocol": "SSL", "ssl_truststore_location": str(tmp_path / "ca.pem")}
    try:
        with pytest.raises(TlsError, match="does not count now: certificate has expired"):
            connect(fake.bootstrap, **trust).metadata([])
    finally:
        fake.close()


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("ssl.keystore.location", "refuses the certificate in ssl.keystore.location (TLSV1"),
        ("ssl.keystore.certificate.chain", "refuses the certificate in ssl.keystore.certificate."),
        ("", "wants a certificate of the client: set ssl.keystore.location"),
    ],
)
def test_a_certificate_that_is_refused_is_named_by_its_place(place: str, text: str) -> None:
    error = ssl.SSLError()
    error.reason = "TLSV1_ALERT_UNKNOWN_CA"
    shown = {place: "x"} if place else {}
    assert text in reason(error, ClientConfig.of({"bootstrap.servers": "h:1", **shown}))
