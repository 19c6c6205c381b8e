"""produce and consume where the broker wants TLS, a password, and to be asked first."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.console import pko
from tests.support.waiting import free_port

pytestmark = [pytest.mark.java, pytest.mark.slow]
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
STORES = ("trust.jks", "trust.p12", "cert.pem")


class Guarded:
    """A broker that admits bob; ``deny`` makes a topic or group forbidden to him."""

    def __init__(self, directory: Path, broker: ApacheBroker, plain: int, tls: int) -> None:
        self.directory, self.broker = directory, broker
        self.plain, self.tls = f"127.0.0.1:{plain}", f"127.0.0.1:{tls}"

    def client(self, protocol: str, password: str = "b", store: str = "") -> str:
        """The path of bob's client.properties."""
        text = (
            f"security.protocol={protocol}\nsasl.mechanism=PLAIN\n"
            f'sasl.jaas.config={PLAIN} username="bob" password="{password}";\n'
        )
        if store:
            text += f"ssl.truststore.location={self.directory / store}\n"
            text += "" if store.endswith("pem") else "ssl.truststore.password=changeit\n"
        path = self.directory / f"{protocol}-{password}-{store}.properties"
        path.write_text(text)
        return str(path)

    def deny(self, kind: str, name: str) -> None:
        from confluent_kafka.admin import (
            AclBinding,
            AclOperation,
            AclPermissionType,
            AdminClient,
            ResourcePatternType,
            ResourceType,
        )

        rule = AclBinding(
            ResourceType[kind],
            name,
            ResourcePatternType.LITERAL,
            "User:bob",
            "*",
            AclOperation.ALL,
            AclPermissionType.DENY,
        )
        admin = AdminClient({"bootstrap.servers": self.broker.bootstrap})
        for done in admin.create_acls([rule]).values():
            done.result(120)


def make_stores(directory: Path) -> None:
    def keytool(*words: str) -> None:
        argv = ["keytool", *words, "-alias", "b", "-storepass", "changeit"]
        subprocess.run(argv, check=True, capture_output=True, cwd=directory)

    names = ("-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1")
    stored = ("-storetype", "PKCS12", "-keystore", "broker.p12")
    keytool("-genkeypair", "-keyalg", "RSA", *names, *stored)
    keytool("-exportcert", "-rfc", "-keystore", "broker.p12", "-file", "cert.pem")
    for kind, name in (("JKS", "trust.jks"), ("PKCS12", "trust.p12")):
        stored = ("-storetype", kind, "-keystore", name)
        keytool("-importcert", "-noprompt", "-file", "cert.pem", *stored)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    directory = tmp_path_factory.mktemp("guarded")
    make_stores(directory)
    zookeeper = ZooKeeper(directory).start()
    plain, tls = free_port(), free_port()
    users = f'{PLAIN} username="admin" password="a" user_admin="a" user_bob="b";'
    broker = ApacheBroker(directory / "broker-0", zookeeper)
    broker.overrides.update(
        {
            "listeners": f"PLAINTEXT://{broker.bootstrap},SASL_PLAINTEXT://127.0.0.1:{plain},"
            f"SASL_SSL://127.0.0.1:{tls}",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": users,
            "listener.name.sasl_ssl.plain.sasl.jaas.config": users,
            "ssl.keystore.location": directory / "broker.p12",
            "ssl.keystore.password": "changeit",
            "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
            "allow.everyone.if.no.acl.found": "true",
            "super.users": "User:ANONYMOUS",
        }
    )
    try:
        broker.start()
        yield Guarded(directory, broker, plain, tls)
    finally:
        broker.close()
        zookeeper.close()


def test_a_password_and_any_trust_store_let_us_in(guarded: Guarded) -> None:
    config = guarded.client("SASL_PLAINTEXT")
    said = pko(
        "produce", "--create", "safe", "-b", guarded.plain, "--command-config", config, text="v\n"
    )
    assert (said.returncode, said.stderr) == (0, b"1 record: safe-0 at 0\n")
    for store in STORES:
        config = guarded.client("SASL_SSL", store=store)
        argv = ("consume", "safe", "-b", guarded.tls, "--command-config", config)
        said = pko(*argv, "--from-beginning", "-n", "1")
        assert (said.returncode, said.stdout, said.stderr) == (0, b"v\n", b""), store
        argv = ("kafka-console-consumer", "--topic", "safe", "--bootstrap-server", guarded.tls)
        said = pko(*argv, "--consumer.config", config, "--from-beginning", "--max-messages", "1")
        assert (said.returncode, said.stdout) == (0, b"v\n"), store


def test_a_wrong_password_is_told_in_one_line(guarded: Guarded) -> None:
    config = guarded.client("SASL_PLAINTEXT", password="wrong")
    reason = "Authentication failed: Invalid username or password"
    text = f"{guarded.plain}: {reason}"
    ours = f"pko: {guarded.plain} refuses the login of bob by PLAIN: {reason}\n"
    for argv in (("produce", "--create", "safe"), ("consume", "safe")):
        said = pko(*argv, "-b", guarded.plain, "--command-config", config, text="v\n")
        assert (said.returncode, said.stderr.decode()) == (3, ours)
    argv = ("--topic", "safe", "--bootstrap-server", guarded.plain)
    exception = f"org.apache.kafka.common.errors.SaslAuthenticationException: {text}"
    for tool, option in (
        ("kafka-console-consumer", "--consumer.config"),
        ("kafka-console-producer", "--producer.config"),
    ):
        said = pko(tool, *argv, option, config, text="v\n")
        assert said.returncode == 0
        assert exception in said.stderr.decode().splitlines()


def test_a_wrong_protocol_is_told_with_the_way_out(guarded: Guarded) -> None:
    said = pko("consume", "safe", "-b", guarded.tls)
    assert said.returncode == 3
    assert b"this port speaks TLS: set security.protocol=SSL" in said.stderr
    config = guarded.client("SASL_SSL")
    said = pko(
        "produce", "--create", "safe", "-b", guarded.tls, "--command-config", config, text="v\n"
    )
    assert said.returncode == 3
    assert b"its certificate is not trusted" in said.stderr


def test_what_is_forbidden_is_told_in_one_line(guarded: Guarded) -> None:
    guarded.deny("TOPIC", "secret")
    guarded.deny("GROUP", "closed")
    assert (
        pko("produce", "--create", "secret", "-b", guarded.broker.bootstrap, text="v\n").returncode
        == 0
    )
    who = ("-b", guarded.plain, "--command-config", guarded.client("SASL_PLAINTEXT"))
    for argv in (("produce", "--create", "secret", *who), ("consume", "secret", *who)):
        said = pko(*argv, text="v\n")
        assert said.returncode == 3
        assert said.stderr.startswith(b"pko: Not authorized to access topics: [secret]")
    pko("produce", "--create", "open", "-b", guarded.broker.bootstrap, text="v\n")
    said = pko("consume", "open", "-g", "closed", *who)
    assert said.returncode == 3
    assert said.stderr.startswith(b"pko: Not authorized to access group: closed")
