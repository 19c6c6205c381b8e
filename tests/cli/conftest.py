"""Brokers for the tests of command lines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from pykafka_ops.local.cluster import LocalCluster
from tests.conftest import Broker
from tests.support.cluster.apache_cluster import Brokers as Brokers
from tests.support.cluster.apache_cluster import OurBrokers
from tests.support.process.apache import ZooKeeper, apache_alone
from tests.support.process.broker import BrokerProcess
from tests.support.process.lines import Lines
from tests.support.process.old_lines import Old
from tests.support.process.secured_clients import SecuredClients, secured_clients


@contextlib.contextmanager
def single_broker(kind: str, directory: Path, settings: Mapping[str, object]) -> Iterator[Broker]:
    """A broker of its own: "pko" or "apache"."""
    if kind == "pko":
        ours = BrokerProcess(directory / "data", settings)
        try:
            yield ours.start()
        finally:
            ours.close()
        return
    with apache_alone(directory, settings=settings) as theirs:
        yield theirs


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    """Three fresh Apache Kafka brokers."""
    directory = tmp_path_factory.mktemp("three")
    zookeeper = ZooKeeper(directory).start()
    started = Brokers(directory, zookeeper)
    try:
        yield started.start()
    finally:
        started.close()


@pytest.fixture(scope="module")
def target_brokers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Brokers]:
    """Three fresh brokers of ours on ZooKeeper, with ``--target apache`` Apache Kafka's."""
    directory = tmp_path_factory.mktemp("three")
    made = OurBrokers if request.config.getoption("--target") == "pko" else Brokers
    started = made(directory, ZooKeeper(directory).start())
    try:
        yield started.start()
    finally:
        started.close()


@pytest.fixture(scope="session")
def secured_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredClients]:
    """An Apache Kafka that wants a certificate, a login and rights, and how to get into it."""
    with secured_clients(tmp_path_factory.mktemp("secured")) as made:
        yield made


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lines]:
    """Runs command lines, many in one process."""
    made = Lines(tmp_path_factory.mktemp("lines") / "work")
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Old]:
    """Two of our brokers on ZooKeeper, for command lines of before Kafka 3.0."""
    cluster = LocalCluster(tmp_path_factory.mktemp("old"), 2, mortal=True, fsync=False)
    try:
        cluster.start()
        yield Old(cluster)
    finally:
        cluster.kill()


@pytest.fixture(scope="module")
def tree(old: Old) -> Iterator[KazooClient]:
    """A client of its ZooKeeper."""
    client = KazooClient(old.zookeeper)
    client.start()
    yield client
    client.stop()
    client.close()
