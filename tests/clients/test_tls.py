"""What a client of a TLS listener is told, and who it is by rules about its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.support.clients.confluent import ConfluentClient
from tests.support.process import certificates
from tests.support.process.commands import pko
from tests.support.process.tls_broker import TlsBroker, librdkafka

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]


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


def test_a_client_is_told_of_addresses_of_its_own_listener(
    tls_broker: TlsBroker, way: tuple[str, Path | None]
) -> None:
    where, key = way
    admin = AdminClient({"bootstrap.servers": where, **librdkafka(tls_broker.authority, key)})
    (broker,) = admin.list_topics(timeout=120).brokers.values()
    assert f"{broker.host}:{broker.port}" == where
    (node,) = admin.describe_cluster(request_timeout=120).result().nodes
    assert f"{node.host}:{node.port}" == where


def test_a_client_is_who_the_rules_say(tls_broker: TlsBroker, topic: str) -> None:
    key = tls_broker.authority.directory / "alice.pem"
    done = pko(
        "configs", "--bootstrap-server", tls_broker.bootstrap, "--alter", "--entity-type",
        "broker-loggers", "--entity-name", "0", "--add-config", "kafka.request.logger=DEBUG",
    )  # fmt: skip
    assert done.code == 0, done.err
    for where, shown in ((tls_broker.closed, key), (tls_broker.open, None)):
        client = ConfluentClient(where, **librdkafka(tls_broker.authority, shown))
        client.create_topic(f"{topic}-{where.rpartition(':')[2]}")
    lines = tls_broker.log.read_text().splitlines()
    assert {who(line) for line in lines if "on CLOSED" in line} == {"User:ALICE"}
    assert {who(line) for line in lines if "on OPEN" in line} == {"User:ANONYMOUS"}


def who(line: str) -> str:
    """The principal in a line of the request log."""
    return line.partition(" (")[2].partition(")")[0]
