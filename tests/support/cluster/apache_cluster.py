"""Three brokers on one ZooKeeper, like those that the transcripts were made with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from kazoo.client import KazooClient

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.reassignments import list_reassignments
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

RACKS = ("rack-a", "rack-b", "rack-a")


class Brokers:
    """Apache Kafka 0, 1, 2, each with the log directories ``broker-N-a`` and ``broker-N-b``."""

    def __init__(
        self,
        directory: Path,
        zookeeper: ZooKeeper,
        settings: Mapping[str, object] | None = None,
        *,
        heap: str = "512M",
    ) -> None:
        self.directory = directory
        self.zookeeper = zookeeper
        self.heap = heap
        self.settings = dict(settings or {})
        self.all: Sequence[ApacheBroker | BrokerProcess] = self.made()

    def made(self) -> Sequence[ApacheBroker | BrokerProcess]:
        """The brokers, not started."""
        return [
            ApacheBroker(
                self.directory / f"broker-{i}-a",
                self.zookeeper,
                self.overrides(i),
                broker_id=i,
                heap=self.heap,
            )
            for i in range(len(RACKS))
        ]

    def overrides(self, number: int) -> dict[str, object]:
        """Settings of one broker."""
        return {
            "broker.rack": RACKS[number],
            "log.dirs": ",".join(self.log_dirs(number)),
            "auto.leader.rebalance.enable": "false",
            "offsets.topic.num.partitions": 3,
            **self.settings,
        }

    def log_dirs(self, number: int) -> list[str]:
        """The log directories of a broker."""
        return [str(self.directory / f"broker-{number}-{part}") for part in "ab"]

    @property
    def bootstrap(self) -> str:
        return self.all[0].bootstrap

    def start(self) -> Brokers:
        theirs = [broker for broker in self.all if isinstance(broker, ApacheBroker)]
        for broker in theirs:
            broker.launch()
        for broker in theirs:
            broker.wait_port()
            broker.wait_controller()
        self.wait_live(0, 1, 2)
        return self

    def settle(self, *topics: str) -> None:
        """Until nothing moves between brokers, and each of them knows it of these topics."""
        cluster = self.cluster()
        try:
            wait_for(lambda: not list_reassignments(cluster), what="the end of moves", poll=0.05)
        finally:
            cluster.close()
        self.wait_told(*topics)

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

        wait_for(settled, what=f"brokers {ids}", poll=0.1)

    def wait_told(self, *topics: str) -> None:
        """Until every broker tells the replicas that ZooKeeper has for these topics."""
        client = KazooClient(self.zookeeper.connect)
        client.start()

        def said() -> bool:
            truth = {
                (topic, int(number)): replicas
                for topic in topics
                for number, replicas in json.loads(client.get(f"/brokers/topics/{topic}")[0])[
                    "partitions"
                ].items()
            }
            return all(_replicas(broker.bootstrap, topics) == truth for broker in self.all)

        try:
            wait_for(said, what=f"all brokers to know of {topics}", poll=0.05)
        finally:
            client.stop()
            client.close()

    def stop(self, number: int) -> None:
        self.all[number].stop()

    def close(self) -> None:
        for broker in self.all:
            broker.close()
        self.zookeeper.close()


class OurBrokers(Brokers):
    """Brokers of ours instead."""

    def made(self) -> Sequence[ApacheBroker | BrokerProcess]:
        return [
            BrokerProcess(
                self.directory / f"broker-{i}-a",
                {
                    "broker.id": i,
                    "zookeeper.connect": self.zookeeper.connect,
                    "offsets.topic.replication.factor": 1,
                    **self.overrides(i),
                },
            )
            for i in range(len(RACKS))
        ]

    def start(self) -> Brokers:
        for broker in self.all:
            broker.start()
        self.wait_live(0, 1, 2)
        return self


def _replicas(bootstrap: str, topics: Sequence[str]) -> dict[tuple[str | None, int], list[int]]:
    """What one broker tells."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
    try:
        found = cluster.metadata(topics)
    finally:
        cluster.close()
    return {
        (t.name, p.partition_index): p.replica_nodes for t in found.topics for p in t.partitions
    }
