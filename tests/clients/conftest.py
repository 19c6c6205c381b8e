"""One ``client`` fixture that goes through every client library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.clients.aio import AioClient
from tests.support.clients.base import Client
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.consumer_site import SETTINGS
from tests.support.clients.group_members import Hosts
from tests.support.clients.java import JavaClient
from tests.support.clients.kafka_python import KafkaPythonClient
from tests.support.java.java_kit import CLIENTS
from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.server import ServerProcess

PYTHON: dict[str, Callable[[str], Any]] = {
    "confluent-kafka": ConfluentClient,
    "kafka-python": KafkaPythonClient,
    "aiokafka": AioClient,
}
JAVA = [f"java-{version}" for version in CLIENTS]
EVERY = [*PYTHON, *(pytest.param(name, marks=pytest.mark.java) for name in JAVA)]

ClientOf = Callable[[str, str], Client]


@pytest.fixture(scope="session")
def client_of() -> Iterator[ClientOf]:
    """``client_of(name, bootstrap)``; kept for the whole run, since a JVM takes time to start."""
    made: dict[tuple[str, str], Client] = {}

    def make(name: str, bootstrap: str) -> Client:
        if (name, bootstrap) not in made:
            plain = PYTHON.get(name)
            made[name, bootstrap] = plain(bootstrap) if plain else JavaClient.of(name, bootstrap)
        return made[name, bootstrap]

    yield make
    for client in made.values():
        client.close()


@pytest.fixture(params=EVERY)
def client(request: pytest.FixtureRequest, broker: Any, client_of: ClientOf) -> Client:
    """Each client library in turn, on the broker under test."""
    return client_of(request.param, broker.bootstrap)


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.java) for name in JAVA])
def java(request: pytest.FixtureRequest, broker: Any, client_of: ClientOf) -> JavaClient:
    """Each Java client, for what only it can ask."""
    found = client_of(request.param, broker.bootstrap)
    assert isinstance(found, JavaClient)
    return found


@pytest.fixture(scope="session")
def java_hosts() -> Iterator[Hosts]:
    """The JVMs that members of groups live in."""
    made = Hosts()
    yield made
    made.close()


@pytest.fixture(scope="session")
def consumer_site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """A broker that serves the consumer protocol, too; tests may kill and start it."""
    kind = BrokerProcess if request.config.getoption("--target") == "pko" else KraftBroker
    made = kind(tmp_path_factory.mktemp("consumers") / "data", SETTINGS)
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def reader(broker: Any, client_of: ClientOf) -> Client:
    """One fixed library to check with what another one did."""
    return client_of("confluent-kafka", broker.bootstrap)
