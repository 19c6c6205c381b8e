"""Three brokers of one kind on a ZooKeeper, behind the verbs that loads and rows use."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.client import KazooClient

from scripts.benchmarks.context import wait_leaders
from scripts.benchmarks.results import OURS
from tests.support.process.apache import SERVER_JVM, ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.process import Process
from tests.support.waiting import free_port

SIZE = 3
SESSION_MS = 6000
SETTINGS: Mapping[str, object] = {
    "log.retention.hours": -1,
    "zookeeper.session.timeout.ms": SESSION_MS,
    "min.insync.replicas": 2,
    "offsets.topic.replication.factor": 3,
    "controlled.shutdown.retry.backoff.ms": 500,
}


class Trio:
    """Three brokers with the ids 0 to 2; ``process`` is the first one's."""

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        shutil.rmtree(directory, ignore_errors=True)
        self.directory = directory
        self.zookeeper = ZooKeeper(directory / "zookeeper", jvm=SERVER_JVM)
        self.brokers: list[BrokerProcess | ApacheBroker] = []
        for number in range(SIZE):
            where = directory / f"broker-{number}" / "data"
            if name == OURS:
                more = {"zookeeper.connect": self.zookeeper.connect, "broker.id": number}
                broker = BrokerProcess(where, {**SETTINGS, **more})
                broker.port = free_port()
                self.brokers.append(broker)
            else:
                made = ApacheBroker(
                    where, self.zookeeper, SETTINGS, broker_id=number, heap="1G", jvm=SERVER_JVM
                )
                self.brokers.append(made)

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.brokers)

    @property
    def process(self) -> Process:
        return self.brokers[0].running

    @property
    def processes(self) -> list[Process]:
        return [broker.running for broker in self.brokers]

    @property
    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def start(self) -> None:
        self.zookeeper.start()
        for broker in self.brokers:
            broker.start(120)
        end, admin = time.monotonic() + 120, self.admin
        while len(admin.list_topics(timeout=30).brokers) < SIZE:
            assert time.monotonic() < end, "the brokers do not know each other"
            time.sleep(0.05)

    def close(self) -> None:
        for broker in self.brokers:
            broker.close()
        self.zookeeper.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def cpu_seconds(self) -> float:
        """Of all brokers so far, ZooKeeper left out."""
        return sum(process.cpu_seconds() for process in self.processes)

    def new_topic(self, name: str, partitions: int = 1, replicas: int = 3) -> str:
        """Create a topic and wait until it has leaders."""
        new, admin = NewTopic(name, partitions, replicas), self.admin
        admin.create_topics([new], operation_timeout=60)[name].result(300)
        wait_leaders(admin, [name], partitions)
        return name

    def leader(self, topic: str) -> int:
        """Who leads partition 0."""
        admin = self.admin
        return int(admin.list_topics(topic, timeout=60).topics[topic].partitions[0].leader)

    @contextlib.contextmanager
    def tree(self) -> Iterator[KazooClient]:
        """A session on its ZooKeeper."""
        client = KazooClient(self.zookeeper.connect)
        client.start(60)
        try:
            yield client
        finally:
            client.stop()
            client.close()


@contextlib.contextmanager
def trio(name: str, directory: Path) -> Iterator[Trio]:
    """Three brokers that run; ended and removed afterwards."""
    made = Trio(name, directory)
    try:
        made.start()
        yield made
    finally:
        made.close()


def wait_quiet(made: Trio, seconds: float = 60.0) -> None:
    """Until the brokers use next to no CPU, so that one row does not pay for the last."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        before = made.cpu_seconds()
        time.sleep(0.4)
        if made.cpu_seconds() - before < 0.08:
            return
