"""Every client library logs in by every mechanism, and hears why it may not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.scram import NewCredential, alter_scram
from pykafka_ops.settings.scram import MECHANISMS
from tests.support.clients.aio import AioClient
from tests.support.clients.base import Client, Message, RefusedError
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.kafka_python import KafkaPythonClient
from tests.support.process.apache import ZooKeeper
from tests.support.process.certificates import Authority
from tests.support.process.commands import KafkaTools
from tests.support.process.logins import (
    ApacheLoginBroker,
    LoginBroker,
    login_settings,
    module,
    secure_settings,
)
from tests.support.process.tls_broker import context as tls_context
from tests.support.waiting import PATIENCE, wait_for

PASSWORD = "alice-secret"
WRONG = "not-it"
LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")
MECHANISM_NAMES = ("PLAIN", *MECHANISMS)


def make(directory: Path, zookeeper: ZooKeeper | None, authority: Authority) -> Any:
    settings = login_settings(connections_max_reauth_ms="3000") | secure_settings(authority)
    if zookeeper is None:
        return LoginBroker(directory / "data", settings)
    return ApacheLoginBroker(directory / "data", zookeeper, settings)


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A broker that takes logins, with alice's credentials for SCRAM."""
    directory = tmp_path_factory.mktemp("logins")
    target = request.config.getoption("--target")
    zookeeper = ZooKeeper(directory / "zookeeper").start() if target == "apache" else None
    authority = Authority(directory)
    broker = make(directory, zookeeper, authority)
    broker.authority = authority
    try:
        broker.start()
        new = [NewCredential(each, 4096, PASSWORD) for each in MECHANISMS.values()]
        config = ClientConfig.of({"bootstrap.servers": broker.bootstrap})
        with closing(Cluster(config)) as cluster:
            assert alter_scram(cluster, {"alice": new}) == {"alice": None}
        yield broker
    finally:
        broker.close()
        if zookeeper is not None:
            zookeeper.close()


def client(
    library: str, site: Any, mechanism: str, password: str = PASSWORD, *, tls: bool = False
) -> Client:
    bootstrap = site.secure_bootstrap if tls else site.login_bootstrap
    protocol = "SASL_SSL" if tls else "SASL_PLAINTEXT"
    if library == "confluent-kafka":
        trust = {"ssl.ca.location": str(site.authority.ca)} if tls else {}
        return ConfluentClient(
            bootstrap,
            **{
                "security.protocol": protocol,
                "sasl.mechanism": mechanism,
                "sasl.username": "alice",
                "sasl.password": password,
                **trust,
            },
        )
    context = {"ssl_context": tls_context(site.authority)} if tls else {}
    return {"kafka-python": KafkaPythonClient, "aiokafka": AioClient}[library](
        bootstrap,
        security_protocol=protocol,
        sasl_mechanism=mechanism,
        sasl_plain_username="alice",
        sasl_plain_password=password,
        **context,
    )


@pytest.mark.parametrize("tls", [False, True], ids=["SASL_PLAINTEXT", "SASL_SSL"])
@pytest.mark.parametrize("mechanism", MECHANISM_NAMES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_records_go_in_and_out_after_a_login(
    site: Any, library: str, mechanism: str, tls: bool
) -> None:
    made = client(library, site, mechanism, tls=tls)
    topic = f"logins-{library}-{mechanism}-{tls}"
    made.create_topic(topic)
    sent = [Message(b"v%d" % number) for number in range(3)]
    assert made.produce(topic, sent) == [0, 1, 2]
    assert [found.message.value for found in made.consume(topic, 3)] == [b"v0", b"v1", b"v2"]


@pytest.mark.parametrize("mechanism", MECHANISM_NAMES)
def test_librdkafka_hears_why_it_may_not_log_in(site: Any, mechanism: str) -> None:
    heard: list[str] = []
    producer = ck.Producer(
        {
            "bootstrap.servers": site.login_bootstrap,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "sasl.username": "alice",
            "sasl.password": WRONG,
            "error_cb": lambda error: heard.append(error.str()),
        }
    )

    def told() -> bool:
        producer.poll(0.1)
        return bool(heard)

    wait_for(told, what="an error")
    hidden = "due to invalid credentials with SASL mechanism"
    expected = "Invalid username or password" if mechanism == "PLAIN" else hidden
    assert expected in heard[0]


@pytest.mark.parametrize("library", ["kafka-python", "aiokafka"])
def test_other_libraries_are_not_let_in_either(site: Any, library: str) -> None:
    """They say no more than that they cannot begin."""
    made = client(library, site, "PLAIN", WRONG)
    with pytest.raises(RefusedError, match="Unable to bootstrap"):
        made.create_topic("never")


def test_a_client_that_logs_in_again_goes_on_when_its_session_ends(site: Any) -> None:
    """librdkafka does so before the 3 s are over; the connection stays."""
    made = client("confluent-kafka", site, "SCRAM-SHA-256")
    topic = "logins-again"
    made.create_topic(topic)
    errors: list[str] = []
    producer = ck.Producer(
        {
            "bootstrap.servers": site.login_bootstrap,
            **made.extra,  # type: ignore[attr-defined]
            "error_cb": lambda error: errors.append(error.str()),
            "log_level": 0,
        }
    )
    delivered: list[Any] = []

    def sent_for_two_sessions() -> bool:
        producer.produce(topic, b"v", on_delivery=lambda error, _: delivered.append(error))
        producer.poll(0.1)
        return len(delivered) >= 70

    wait_for(sent_for_two_sessions, what="70 records, 0.1 s apart", seconds=PATIENCE)
    producer.flush(PATIENCE)
    assert set(delivered) == {None}
    assert errors == []


@pytest.mark.java
@pytest.mark.parametrize("tls", [False, True], ids=["SASL_PLAINTEXT", "SASL_SSL"])
@pytest.mark.parametrize("mechanism", MECHANISM_NAMES)
def test_kafkas_own_tools_log_in(site: Any, tmp_path: Path, mechanism: str, tls: bool) -> None:
    tools = KafkaTools()
    protocol = "SASL_SSL" if tls else "SASL_PLAINTEXT"
    trust = f"ssl.truststore.type=PEM\nssl.truststore.location={site.authority.ca}\n"
    try:
        for password, code in ((PASSWORD, 0), (WRONG, 1)):
            config = tmp_path / "client.properties"
            login = module(mechanism, username="alice", password=password)
            config.write_text(
                f"security.protocol={protocol}\nsasl.mechanism={mechanism}\n"
                f"sasl.jaas.config={login}\n{trust if tls else ''}"
            )
            where = site.secure_bootstrap if tls else site.login_bootstrap
            address = ("--bootstrap-server", where)
            said = tools("kafka-topics", *address, "--list", "--command-config", str(config))
            assert said.code == code, said.err
            if code:
                assert "SaslAuthenticationException: Authentication failed" in said.out + said.err
    finally:
        tools.close()
