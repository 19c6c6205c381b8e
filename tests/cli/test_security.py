"""SASL and TLS against Apache Kafka, from client.properties as its own tools take them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.errors import ConnectError
from pykafka_ops.spark.sources.live.source import KafkaLive
from tests.support.golden.transcripts import Said
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process import certificates
from tests.support.process.apache import ApacheBroker, ZooKeeper, run_tool
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.console import pko
from tests.support.waiting import free_port, wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"
PROTOCOLS = ("SASL_PLAINTEXT", "SSL", "SASL_SSL")


@dataclass
class Secured:
    """A broker with a listener of each kind."""

    broker: ApacheBroker
    ports: dict[str, int]
    authority: Authority
    directory: Path

    def list(self, protocol: str, **properties: str) -> Said:
        """``pko topics list`` with a client.properties of these properties."""
        names = {k.replace("_", "."): v for k, v in properties.items()}
        names = {"security.protocol": protocol, "default.api.timeout.ms": "60000", **names}
        file = self.directory / "client.properties"
        file.write_text("".join(f"{k}={v}\n" for k, v in names.items()))
        bootstrap = f"127.0.0.1:{self.ports[protocol]}"
        return run("topics", "list", "-b", bootstrap, "--command-config", str(file), "-o", "name")


def overrides(ports: dict[str, int], pem: Path, ca: Path, plain_port: int) -> dict[str, object]:
    listeners = {"PLAINTEXT": plain_port, **ports}
    found: dict[str, object] = {
        "listeners": ",".join(f"{p}://127.0.0.1:{port}" for p, port in listeners.items()),
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        "listener.name.sasl_ssl.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": pem,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": ca,
        "listener.name.ssl.ssl.client.auth": "required",
    }
    for name in ("sasl_plaintext", "sasl_ssl"):
        prefix = f"listener.name.{name}"
        found[f"{prefix}.plain.sasl.jaas.config"] = (
            f'{PLAIN} username="admin" password="a" user_alice="w0nder";'
        )
        for scram in ("scram-sha-256", "scram-sha-512"):
            found[f"{prefix}.{scram}.sasl.jaas.config"] = f"{SCRAM};"
    return found


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    directory = tmp_path_factory.mktemp("secured")
    authority = Authority(directory)
    pem = authority.issue("broker")
    ports = {p: free_port() for p in PROTOCOLS}
    zookeeper = ZooKeeper(directory).start()
    broker = ApacheBroker(directory / "broker-0", zookeeper)
    broker.overrides = overrides(ports, pem, authority.ca, broker.port)
    try:
        broker.start()
        wait_for(lambda: run("topics", "create", "orders", "-b", broker.bootstrap).code == 0)
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            done = run_tool(
                "kafka-configs", "--bootstrap-server", broker.bootstrap, "--alter",
                "--add-config", f"{mechanism}=[iterations=4096,password=w0nder]",
                "--entity-type", "users", "--entity-name", "alice",
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        yield Secured(broker, ports, authority, directory)
    finally:
        broker.close()
        zookeeper.close()


def jaas(module: str, password: str = "w0nder") -> str:
    return f'{module} username="alice" password="{password}";'


@pytest.mark.parametrize(
    ("protocol", "mechanism", "module"),
    [
        ("SASL_PLAINTEXT", "PLAIN", PLAIN),
        ("SASL_PLAINTEXT", "SCRAM-SHA-512", SCRAM),
        ("SASL_SSL", "PLAIN", PLAIN),
        ("SASL_SSL", "SCRAM-SHA-256", SCRAM),
    ],
)
def test_sasl_lets_us_in_with_the_right_password_only(
    secured: Secured, protocol: str, mechanism: str, module: str
) -> None:
    more = {"sasl_mechanism": mechanism, "ssl_truststore_location": str(secured.authority.ca)}
    said = secured.list(protocol, sasl_jaas_config=jaas(module), **more)
    assert (said.code, said.stdout) == (0, "orders\n"), said.stderr
    said = secured.list(protocol, sasl_jaas_config=jaas(module, "wrong"), **more)
    assert said.code == 3
    assert "Authentication failed" in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_client_certificate_is_shown_in_any_store(secured: Secured) -> None:
    client = secured.authority.issue("client")
    p12 = secured.authority.pkcs12(client)
    jks = secured.directory / "trust.jks"
    subprocess.run(
        ["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", secured.authority.ca,
         "-keystore", jks, "-storetype", "JKS", "-storepass", PASSWORD],
        check=True, capture_output=True,
    )  # fmt: skip
    trust = {"ssl_truststore_location": str(secured.authority.ca)}
    said = secured.list("SSL", ssl_keystore_location=str(client), **trust)
    assert (said.code, said.stdout) == (0, "orders\n"), said.stderr
    said = secured.list(
        "SSL",
        ssl_keystore_location=str(p12),
        ssl_keystore_password=PASSWORD,
        ssl_truststore_location=str(jks),
        ssl_truststore_password=PASSWORD,
    )
    assert (said.code, said.stdout) == (0, "orders\n"), said.stderr


MISTAKES = {
    "TLS, not spoken": ("SSL", {"security_protocol": "PLAINTEXT"}, "set security.protocol=SSL"),
    "TLS before a login, not spoken": (
        "SASL_SSL", {"security_protocol": "SASL_PLAINTEXT"}, "set security.protocol=SSL",
    ),
    "plain text, TLS spoken": ("PLAINTEXT", {"security_protocol": "SSL"}, "=PLAINTEXT (or SASL_"),
    "plain text before a login, TLS spoken": (
        "SASL_PLAINTEXT", {"security_protocol": "SASL_SSL"}, "=PLAINTEXT (or SASL_PLAINTEXT)",
    ),
    "no login": (
        "SASL_PLAINTEXT", {"security_protocol": "PLAINTEXT"},
        "set security.protocol=SASL_PLAINTEXT, sasl.jaas.config and sasl.mechanism (PLAIN, SCRAM",
    ),
    "no login behind TLS": (
        "SASL_SSL", {"security_protocol": "SSL"}, "set security.protocol=SASL_SSL, sasl.jaas",
    ),
    "a login nobody wants": (
        "PLAINTEXT", {"security_protocol": "SASL_PLAINTEXT"}, "set security.protocol=PLAINTEXT",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("topics list", 3),
        ("topics --list", 1),
        ("consume orders", 3),
        ("consume --topic orders", 0),  # Kafka's consumer logs the error and ends
        ("groups lag", 3),
    ],
)
def test_a_mistake_of_security_is_told_at_the_first_try(
    secured: Secured, mistake: str, line: str, code: int
) -> None:
    port, properties, text = MISTAKES[mistake]
    names = {
        "security_protocol": port,
        "sasl_mechanism": "PLAIN",
        "sasl_jaas_config": jaas(PLAIN),
        "ssl_truststore_location": str(secured.authority.ca),
        **properties,
    }
    file = secured.directory / "mistake.properties"
    file.write_text("".join(f"{k.replace('_', '.')}={v}\n" for k, v in names.items()))
    where = f"127.0.0.1:{({**secured.ports, 'PLAINTEXT': secured.broker.port})[port]}"
    option = "--consumer.config" if "consume" in line else "--command-config"
    said = pko(*line.split(), "--bootstrap-server", where, option, str(file), "--debug")
    heard = said.stderr.decode()
    assert text in heard
    assert said.returncode == code
    hellos = heard.count(f"trace: {where} connected")
    assert hellos <= 2, heard  # the try, and the look at what the port speaks


def test_the_spark_source_takes_the_same_properties(secured: Secured) -> None:
    properties = {
        "bootstrap.servers": f"127.0.0.1:{secured.ports['SASL_SSL']}",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.jaas.config": jaas(SCRAM),
        "ssl.truststore.location": str(secured.authority.ca),
    }
    source = KafkaLive({f"kafka.{name}": value for name, value in properties.items()})
    reader: Any = source.reader(source.schema())
    rows = [r for p in reader.partitions() for b in reader.read(p) for r in b.to_pylist()]
    assert ("orders", 0, 0) in {(r["topic"], r["partition"], r["end_offset"]) for r in rows}
    wrong = {"kafka.sasl.jaas.config": jaas(SCRAM, "wrong")}
    source = KafkaLive({**{f"kafka.{k}": v for k, v in properties.items()}, **wrong})
    reader = source.reader(source.schema())
    with pytest.raises(ConnectError, match="Authentication failed"):
        list(reader.read(reader.partitions()[0]))
