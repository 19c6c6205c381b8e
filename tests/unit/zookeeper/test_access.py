from pathlib import Path

import pytest

from pykafka_ops.errors import PkoError
from pykafka_ops.zookeeper.access import SYSTEM_PROPERTIES, access_of, tools_access

DIGEST = (
    "Client { org.apache.zookeeper.server.auth.DigestLoginModule required "
    'username="kafka" password="s3cret"; };'
)


def env(tmp_path: Path, text: str, *more: str) -> dict[str, str]:
    path = tmp_path / "jaas.conf"
    path.write_text(text)
    words = [f"-Djava.security.auth.login.config={path}", *more]
    return {"KAFKA_OPTS": " ".join(words)}


def test_nothing_is_said_of_an_open_zookeeper() -> None:
    found = access_of({}, {})
    assert found == (None, None, False)
    assert not found.secure


def test_the_login_of_the_jaas_file(tmp_path: Path) -> None:
    found = access_of({}, env(tmp_path, DIGEST))
    assert found.login is not None
    assert found.login[:2] == ("kafka", "s3cret")
    assert found.secure
    assert "s3cret" not in repr(found)


def test_another_section_can_be_named(tmp_path: Path) -> None:
    text = DIGEST.replace("Client", "Mine")
    assert access_of({}, env(tmp_path, text)).login is None
    found = access_of({}, env(tmp_path, text, "-Dzookeeper.sasl.clientconfig=Mine"))
    assert found.login is not None


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("Client {", (), "jaas.conf: line 1: a login module is needed"),
        ("Client { a.B required; };", (), "a.B is not supported: use org.apache.zookeeper"),
        ("Client { };", (), "nothing is not supported"),
        (
            "Client { com.sun.security.auth.module.Krb5LoginModule required; };",
            (),
            "GSSAPI (Kerberos) to ZooKeeper is not supported",
        ),
        (DIGEST.replace("password", "passwort"), (), "needs a username and a password"),
        (DIGEST, ("-Dzookeeper.sasl.client=false",), "zookeeper.sasl.client=false"),
    ],
)
def test_a_login_that_cannot_be_used_is_told(
    tmp_path: Path, text: str, more: tuple[str, ...], why: str
) -> None:
    with pytest.raises(PkoError) as caught:
        access_of({}, env(tmp_path, text, *more))
    assert why in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_jaas_file_that_is_not_there_is_told() -> None:
    with pytest.raises(PkoError, match="cannot read /nowhere: No such file"):
        access_of({}, {"KAFKA_OPTS": "-Djava.security.auth.login.config=/nowhere"})


def test_tls_as_the_settings_say_or_else_the_system_properties() -> None:
    by_settings = access_of({"zookeeper.ssl.client.enable": " true "}, {})
    assert by_settings.tls is not None
    assert by_settings.tls.check_hostname
    assert by_settings.tls.maximum_version.name == "TLSv1_2"
    assert not by_settings.secure
    options = "-Dzookeeper.client.secure=true -Dzookeeper.ssl.hostnameVerification=false"
    by_options = access_of({}, {"KAFKA_OPTS": f"{options} -Dzookeeper.ssl.protocol=TLSv1.3"})
    assert by_options.tls is not None
    assert not by_options.tls.check_hostname
    assert by_options.tls.maximum_version.name == "TLSv1_3"
    assert access_of({"zookeeper.ssl.client.enable": "false"}, {"KAFKA_OPTS": options}).tls is None


def test_the_file_of_a_tool_counts_for_tls_alone(tmp_path: Path) -> None:
    path = tmp_path / "tls.properties"
    path.write_text("zookeeper.ssl.client.enable=true\nzookeeper.ssl.truststore.x=1\nother=2\n")
    assert tools_access(str(path), {}).tls is not None
    with pytest.raises(PkoError, match="No such file"):
        tools_access(str(tmp_path / "nowhere"), {})


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("zookeeper.ssl.crl.enable", "true", "revocation lists cannot be checked"),
        ("zookeeper.ssl.ocsp.enable", "true", "the online status of certificates cannot"),
        ("zookeeper.ssl.client.enable", "maybe", "zookeeper.ssl.client.enable"),
        ("zookeeper.ssl.keystore.location", "/nowhere.p12", "TLS to ZooKeeper: /nowhere.p12"),
        ("zookeeper.ssl.enabled.protocols", "SSLv3", "zookeeper.ssl.enabled.protocols SSLv3"),
    ],
)
def test_settings_that_cannot_be_had_are_told(name: str, value: str, why: str) -> None:
    with pytest.raises(PkoError) as caught:
        access_of({"zookeeper.ssl.client.enable": "true", name: value}, {})
    assert why in str(caught.value)
    assert caught.value.exit_code == 2


def test_every_setting_has_its_system_property() -> None:
    from pykafka_ops.settings.broker import BROKER

    named = {n for n in BROKER if n.startswith("zookeeper.ssl.")} | {"zookeeper.clientCnxnSocket"}
    assert set(SYSTEM_PROPERTIES) == named
