"""Brokers that come and go on a real ZooKeeper: ids, clusters, what a killed one left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from tests.support.process.apache import ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.process import Process
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java]


@pytest.fixture(scope="module")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeper]:
    server = ZooKeeper(tmp_path_factory.mktemp("zookeeper")).start()
    yield server
    server.close()


@pytest.fixture
def broker(zookeeper: ZooKeeper, tmp_path: Path) -> Iterator[BrokerProcess]:
    """One that has no id yet, in a cluster of its own."""
    connect = f"{zookeeper.connect}/{tmp_path.name}/kafka"
    found = BrokerProcess(tmp_path / "broker", {"zookeeper.connect": connect})
    yield found
    found.close()


def test_a_killed_broker_is_back_at_once_as_who_it_was(
    zookeeper: ZooKeeper, broker: BrokerProcess, tmp_path: Path
) -> None:
    broker.start()
    path = f"/{tmp_path.name}/kafka/brokers/ids"
    client = KazooClient(zookeeper.connect)
    client.start(60)
    try:
        assert client.get_children(path) == ["1001"]
        before = client.exists(f"{path}/1001").czxid
        broker.kill()
        assert client.get_children(path) == ["1001"], "its session lives on for a while"
        broker.start()
        assert client.get_children(path) == ["1001"]
        assert client.exists(f"{path}/1001").czxid > before
    finally:
        client.stop()
        client.close()
    assert "waiting up to" not in broker.log.read_text(), "it ended the session itself"
    assert broker.stop() == 0
    assert not (broker.data_dir / "zookeeper.session").exists()


def test_log_directories_of_another_cluster_are_refused(
    zookeeper: ZooKeeper, broker: BrokerProcess
) -> None:
    broker.start()
    assert broker.stop() == 0
    broker.overrides["zookeeper.connect"] = f"{zookeeper.connect}/elsewhere"
    code, said = broker.start_refused()
    assert code == 1
    assert "The broker is trying to join the wrong cluster" in said.splitlines()[-1]


def test_logs_of_a_lone_broker_do_not_join_a_cluster(
    zookeeper: ZooKeeper, broker: BrokerProcess
) -> None:
    connect = broker.overrides.pop("zookeeper.connect")
    broker.start()
    assert broker.stop() == 0
    broker.overrides["zookeeper.connect"] = connect
    code, said = broker.start_refused()
    assert code == 1
    assert "The broker is trying to join the wrong cluster" in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("connect", "expected", "text"),
    [
        ("127.0.0.1:{port}/kafka", 3, "no ZooKeeper at 127.0.0.1:"),
        ("127.0.0.1:port", 2, "write HOST:PORT,HOST:PORT/CHROOT"),
    ],
)
def test_no_zookeeper_is_one_line(
    broker: BrokerProcess, connect: str, expected: int, text: str
) -> None:
    broker.overrides["zookeeper.connect"] = connect.format(port=free_port())
    broker.overrides["zookeeper.connection.timeout.ms"] = 300
    code, said = broker.start_refused()
    assert code == expected
    assert text in said.splitlines()[-1]
    assert "Traceback" not in said


def test_a_broker_that_waits_for_zookeeper_can_be_stopped(broker: BrokerProcess) -> None:
    broker.overrides["zookeeper.connect"] = f"127.0.0.1:{free_port()}"
    broker.overrides["zookeeper.connection.timeout.ms"] = 600_000
    process = Process(broker.argv(), broker.log)
    try:
        wait_for(
            lambda: broker.log.exists() and "refused" in broker.log.read_text(), what="a first try"
        )
        assert process.stop(60) == 0
    finally:
        process.kill()


def test_a_second_broker_leaves_the_first_as_it_is(broker: BrokerProcess) -> None:
    broker.start()
    heard = (broker.data_dir / "broker.pid").read_text()
    second = BrokerProcess(broker.data_dir, broker.overrides, log=broker.log)
    code, said = second.start_refused()
    assert code == 1
    assert "another broker uses" in said
    assert (broker.data_dir / "broker.pid").read_text() == heard
    assert broker.stop() == 0
    assert not (broker.data_dir / "broker.pid").exists()
