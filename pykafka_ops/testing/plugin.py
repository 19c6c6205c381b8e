"""Fixtures of pytest: ``pytest_plugins = ["pykafka_ops.testing.plugin"]`` in a conftest.py.

Servers are started once per test run, when a test first asks for them. Override ``kafka_settings``
or ``kafka_cluster_size`` (scope "session") for other settings.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping

import pytest

from pykafka_ops.testing.servers import KafkaBroker, KafkaCluster

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def kafka_settings() -> Mapping[str, object]:
    """Settings of server.properties for the brokers of the fixtures below."""
    return {}


@pytest.fixture(scope="session")
def kafka_cluster_size() -> int:
    """How many brokers ``kafka_cluster`` has."""
    return 3


@pytest.fixture(scope="session")
def kafka_broker(
    kafka_settings: Mapping[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KafkaBroker]:
    """One broker for the whole run; give topics a name of your own (``kafka_topic``)."""
    with KafkaBroker(tmp_path_factory.mktemp("kafka-broker"), kafka_settings) as broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_cluster(
    kafka_settings: Mapping[str, object],
    kafka_cluster_size: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    """A ZooKeeper and three brokers for the whole run; leave them running."""
    directory = tmp_path_factory.mktemp("kafka-cluster")
    with KafkaCluster(kafka_cluster_size, directory, kafka_settings) as cluster:
        yield cluster


@pytest.fixture
def kafka_bootstrap_servers(kafka_broker: KafkaBroker) -> str:
    """Where ``kafka_broker`` listens."""
    return kafka_broker.bootstrap_servers


@pytest.fixture
def kafka_topic(request: pytest.FixtureRequest) -> str:
    """A topic name that no other test has; the first use creates the topic."""
    test = re.sub(r"[^a-zA-Z0-9._-]", "-", request.node.name)[:150]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    return f"{test}-{worker}-{next(_numbers)}"
