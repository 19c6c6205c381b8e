"""Three Apache Kafka brokers like those that the transcripts were made with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from tests.conftest import Broker
from tests.support.apache import ApacheBroker, ZooKeeper
from tests.support.broker import BrokerProcess
from tests.support.waiting import wait_for

RACKS = ("rack-a", "rack-b", "rack-a")


class Brokers:
    """Brokers 0, 1, 2."""

    def __init__(self, directory: object, zookeeper: ZooKeeper) -> None:
        self.zookeeper = zookeeper
        self.all = [
            ApacheBroker(
                zookeeper.directory / f"broker-{i}-a",
                zookeeper,
                {
                    "broker.rack": rack,
                    "log.dirs": ",".join(
                        str(zookeeper.directory / f"broker-{i}-{part}") for part in "ab"
                    ),
                    "auto.leader.rebalance.enable": "false",
                    "offsets.topic.num.partitions": 3,
                },
                broker_id=i,
            )
            for i, rack in enumerate(RACKS)
        ]

    @property
    def bootstrap(self) -> str:
        return self.all[0].bootstrap

    def start(self) -> Brokers:
        for broker in self.all:
            broker.start()
        self.wait_live(0, 1, 2)
        return self

    def cluster(self) -> Cluster:
        return Cluster(ClientConfig.of({"bootstrap.servers": self.bootstrap}))

    def wait_live(self, *ids: int) -> None:
        """Until exactly these brokers are up and lead and follow all they should."""

        def settled() -> bool:
            cluster = self.cluster()
            try:
                found = cluster.metadata(None)
                parts = [p for t in found.topics for p in t.partitions]
                return set(cluster.nodes) == set(ids) and all(
                    set(p.replica_nodes) & set(ids) <= set(p.isr_nodes) | {9}
                    and (p.leader_id in ids or not set(p.isr_nodes) & set(ids))
                    for p in parts
                )
            finally:
                cluster.close()

        wait_for(settled, seconds=60, what=f"brokers {ids}", poll=0.1)

    def stop(self, number: int) -> None:
        self.all[number].stop()

    def close(self) -> None:
        for broker in self.all:
            broker.close()
        self.zookeeper.close()


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
    zookeeper = ZooKeeper(directory).start()
    theirs = ApacheBroker(directory / "data", zookeeper, settings)
    try:
        yield theirs.start()
    finally:
        theirs.close()
        zookeeper.close()


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
