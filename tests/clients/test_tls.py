"""Every client library by TLS, with and without a certificate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka.admin import AdminClient
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from tests.support.process import certificates
from tests.support.process.apache import run_tool
from tests.support.process.certificates import PASSWORD
from tests.support.process.commands import pko
from tests.support.process.tls_broker import USER, TlsBroker, context, java, librdkafka
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
VALUES = [b"%d" % n for n in range(50)] + [bytes(700_000)]


@pytest.fixture(scope="module")
def tls_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsBroker]:
    rules = {"listener.name.closed.ssl.principal.mapping.rules": "RULE:^CN=(.*)$/$1/U"}
    broker = TlsBroker(tmp_path_factory.mktemp("tls"), rules)
    broker.authority.issue("alice")
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture(params=["open", "closed"])
def way(request: pytest.FixtureRequest, tls_broker: TlsBroker) -> tuple[str, Path | None]:
    """Where to connect, and what to show there."""
    key = tls_broker.authority.directory / "alice.pem"
    return (tls_broker.open, None) if request.param == "open" else (tls_broker.closed, key)


def by_confluent(broker: TlsBroker, where: str, key: Path | None, topic: str) -> list[bytes]:
    settings = {"bootstrap.servers": where, "log_level": 0, **librdkafka(broker.authority, key)}
    producer = ck.Producer(settings)
    for value in VALUES:
        producer.produce(topic, value, partition=0)
    assert producer.flush(120) == 0
    consumer = ck.Consumer({**settings, "group.id": topic, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    found: list[bytes] = []

    def read() -> bool:
        found.extend(m.value() for m in consumer.consume(100, 0.5) if m.error() is None)
        return len(found) >= len(VALUES)

    wait_for(read, what="all records", about=found)
    consumer.close()
    return found


def by_kafka_python(broker: TlsBroker, where: str, key: Path | None, topic: str) -> list[bytes]:
    settings: dict[str, Any] = {
        "bootstrap_servers": where,
        "security_protocol": "SSL",
        "ssl_context": context(broker.authority, key),
    }
    producer = KafkaProducer(**settings)
    for sent in [producer.send(topic, value, partition=0) for value in VALUES]:
        sent.get(120)
    producer.close()
    consumer = KafkaConsumer(**settings)
    place = TopicPartition(topic, 0)
    consumer.assign([place])
    consumer.seek(place, 0)
    found = [next(consumer).value for _ in VALUES]
    consumer.close()
    return found


def by_aiokafka(broker: TlsBroker, where: str, key: Path | None, topic: str) -> list[bytes]:
    async def work() -> list[bytes]:
        settings: dict[str, Any] = {
            "bootstrap_servers": where,
            "security_protocol": "SSL",
            "ssl_context": context(broker.authority, key),
        }
        producer = AIOKafkaProducer(**settings)
        await producer.start()
        for value in VALUES:
            await producer.send_and_wait(topic, value, partition=0)
        await producer.stop()
        consumer = AIOKafkaConsumer(topic, auto_offset_reset="earliest", **settings)
        await consumer.start()
        found = [(await consumer.getone()).value for _ in VALUES]
        await consumer.stop()
        return found

    return asyncio.run(asyncio.wait_for(work(), 300))


@pytest.mark.parametrize("by", [by_confluent, by_kafka_python, by_aiokafka])
def test_a_client_writes_and_reads_by_tls(
    by: Callable[..., list[bytes]], tls_broker: TlsBroker, way: tuple[str, Path | None], topic: str
) -> None:
    assert by(tls_broker, *way, topic) == VALUES


def test_a_client_is_told_of_addresses_of_its_own_listener(
    tls_broker: TlsBroker, way: tuple[str, Path | None]
) -> None:
    where, key = way
    admin = AdminClient({"bootstrap.servers": where, **librdkafka(tls_broker.authority, key)})
    (broker,) = admin.list_topics(timeout=120).brokers.values()
    assert f"{broker.host}:{broker.port}" == where
    (node,) = admin.describe_cluster(request_timeout=120).result().nodes
    assert f"{node.host}:{node.port}" == where


@pytest.mark.java
def test_apaches_tools_work_by_tls(
    tls_broker: TlsBroker, way: tuple[str, Path | None], topic: str, tmp_path: Path
) -> None:
    where, key = way
    config = tmp_path / "client.properties"
    settings = java(tls_broker.authority, key)
    config.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    server = ("--bootstrap-server", where)
    sent = run_tool(
        "kafka-console-producer", *server, "--topic", topic, "--producer.config", str(config),
        text="one\ntwo\n",
    )  # fmt: skip
    assert sent.returncode == 0, sent.stderr
    read = run_tool(
        "kafka-console-consumer", *server, "--topic", topic, "--consumer.config", str(config),
        "--from-beginning", "--max-messages", "2", "--timeout-ms", "120000",
    )  # fmt: skip
    assert read.stdout.split() == ["one", "two"], read.stderr


def test_a_client_is_who_the_rules_say(tls_broker: TlsBroker, topic: str) -> None:
    key = tls_broker.authority.directory / "alice.pem"
    done = pko(
        "configs", "--bootstrap-server", tls_broker.bootstrap, "--alter", "--entity-type",
        "broker-loggers", "--entity-name", "0", "--add-config", "kafka.request.logger=DEBUG",
    )  # fmt: skip
    assert done.code == 0, done.err
    by_confluent(tls_broker, tls_broker.closed, key, f"{topic}-alice")
    by_confluent(tls_broker, tls_broker.open, None, f"{topic}-nobody")
    lines = tls_broker.log.read_text().splitlines()
    assert {who(line) for line in lines if "on CLOSED" in line} == {"User:ALICE"}
    assert {who(line) for line in lines if "on OPEN" in line} == {"User:ANONYMOUS"}


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_a_client_logs_in_behind_tls(tls_broker: TlsBroker, password: str, topic: str) -> None:
    said: list[str] = []
    login = {
        "bootstrap.servers": tls_broker.login,
        "log_level": 0,
        **librdkafka(tls_broker.authority),
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": password,
        "error_cb": lambda error: said.append(str(error)),
    }
    producer = ck.Producer(login)
    producer.produce(topic, b"x")
    if password == PASSWORD:
        assert producer.flush(120) == 0
    else:
        wait_for(lambda: producer.poll(0.1) or said, what="an error")
        assert any("Invalid username or password" in text for text in said), said
        producer.purge()


def who(line: str) -> str:
    """The principal in a line of the request log."""
    return line.partition(" (")[2].partition(")")[0]


@pytest.mark.parametrize("stranger", [False, True])
def test_a_client_that_is_not_let_in_hears_that(
    tls_broker: TlsBroker, tmp_path: Path, stranger: bool
) -> None:
    said: list[str] = []
    key = certificates.Authority(tmp_path).issue("stranger") if stranger else None
    config = {"bootstrap.servers": tls_broker.closed, "log_level": 0}
    config |= librdkafka(tls_broker.authority, key)
    admin = AdminClient({**config, "error_cb": lambda error: said.append(str(error))})

    def heard() -> bool:
        admin.poll(0.2)
        return any("SSL" in text or "certificate" in text for text in said)

    wait_for(heard, what="an error", about=said)
    expected = "its certificate is not trusted" if stranger else "the client shows no certificate"
    wait_for(lambda: expected in tls_broker.log.read_text(), what="a line in the log")
