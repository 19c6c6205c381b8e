"""A fake cluster of two brokers and a client of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from tests.support.memory.client_clock import client_clock
from tests.support.memory.fake_broker import FakeBroker, two_brokers

TIMES = {
    "request.timeout.ms": "4000",
    "default.api.timeout.ms": "8000",
    "retry.backoff.ms": "10",
    "retry.backoff.max.ms": "20",
}


@pytest.fixture
def fakes() -> Iterator[tuple[FakeBroker, FakeBroker]]:
    """Two brokers; topics are set by the test."""
    brokers = two_brokers()
    yield brokers
    for broker in brokers:
        broker.close()


@pytest.fixture
def connect() -> Iterator[Callable[..., Cluster]]:
    """Make a client: ``connect(bootstrap, **properties with _ for .)``; on a clock of its own."""
    made = []

    def make(bootstrap: str, **properties: str) -> Cluster:
        more = {k.replace("_", "."): v for k, v in properties.items()}
        cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap, **TIMES, **more}))
        made.append(cluster)
        return cluster

    with client_clock():
        yield make
    for cluster in made:
        cluster.close()
