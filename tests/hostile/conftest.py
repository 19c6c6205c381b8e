"""A broker to be attacked, and the proof afterwards that it took no harm."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.paced import PacedBroker
from tests.support.wire import raw
from tests.support.wire.raw import Connection, request

MB = 1 << 20
ROUNDS, PER_ROUND = 15, 20


@pytest.fixture(scope="session")
def victim_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path_factory.mktemp("victim") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture
def victim(request: pytest.FixtureRequest, topic: str) -> Iterator[Any]:
    """The broker under attack; after the test it must serve, and have logged no traceback."""
    ours = request.config.getoption("--target") == "pko"
    broker = request.getfixturevalue("victim_session" if ours else "apache_session")
    assert broker.running.alive(), broker.log_tail()
    said = broker.log.stat().st_size
    yield broker
    assert broker.running.alive(), broker.log_tail()
    serves(broker.bootstrap, f"{topic}-after")
    if ours:
        log = broker.log.read_bytes()[said:].decode(errors="replace")
        assert "Traceback" not in log, log


@pytest.fixture(scope="session")
def paced_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PacedBroker]:
    """A broker that tells how long its loop is at work without a pause."""
    broker = PacedBroker(tmp_path_factory.mktemp("paced") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


def serves(bootstrap: str, topic: str) -> None:
    """A new client can create, write and read."""
    client = ConfluentClient(bootstrap)
    client.create_topic(topic)
    sent = messages(20)
    assert client.produce(topic, sent) == list(range(20))
    assert [f.message for f in client.consume(topic, 20)] == sent


@pytest.fixture
def grown(victim: Any) -> Callable[[], int]:
    """How many bytes of resident memory our broker gained since the test began (Kafka: 0)."""
    if victim.kind != "pko":
        return lambda: 0
    before = victim.running.rss()
    return lambda: victim.running.rss() - before


@pytest.fixture
def keeps_pace(victim: Any, broker: Any) -> Callable[[], None]:
    """Send the victim and a broker that nobody attacks many small requests; they must cost the
    victim about as much CPU time. The least of many rounds: a machine that is busy or stands still
    in the middle makes some look dear, but not all."""

    def check() -> None:
        with Connection(victim.bootstrap) as attacked, Connection(broker.bootstrap) as calm:
            rounds = [(cost_ms(victim, attacked), cost_ms(broker, calm)) for _ in range(ROUNDS)]
        spent, usual = (min(costs) for costs in zip(*rounds, strict=True))
        assert spent < 5 * usual

    return check


def cost_ms(broker: Any, connection: Connection) -> float:
    """CPU time of the broker for some small requests."""
    began = broker.running.cpu_ms()
    for _ in range(PER_ROUND):
        connection.ask(request(raw.API_VERSIONS, 0))
    return float(broker.running.cpu_ms() - began)


@pytest.fixture
def many_files() -> Iterator[int]:
    """Let this process open as many files as it may; how many those are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
