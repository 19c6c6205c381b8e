"""Three brokers of ours on ZooKeeper, each behind relays, so that every link can be cut."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import confluent_kafka as ck
from confluent_kafka import admin

from pykafka_ops.errors import KafkaError
from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.testing import KafkaCluster
from pykafka_ops.wire.codes import ErrorCode
from tests.support.relay import Network, Relay
from tests.support.waiting import free_port, wait_for

SESSION_MS = 2500
SETTINGS: dict[str, object] = {
    "zookeeper.session.timeout.ms": SESSION_MS,
    "replica.lag.time.max.ms": 3000,
    "replica.high.watermark.checkpoint.interval.ms": 1000,
    "replica.socket.timeout.ms": 3000,
    "controller.socket.timeout.ms": 3000,
    "min.insync.replicas": 2,
    "offsets.topic.num.partitions": 6,
    "transaction.state.log.num.partitions": 6,
    "inter.broker.listener.name": "INTERNAL",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT",
}


class FaultyCluster:
    """``between[b]`` is in front of broker b for the other brokers, ``to_zookeeper[b]`` between
    broker b and ZooKeeper. Clients reach brokers directly."""

    def __init__(
        self, directory: Path, count: int = 3, settings: Mapping[str, object] | None = None
    ) -> None:
        self.kafka = KafkaCluster(count, directory, {**SETTINGS, **(settings or {})})
        self.network = Network()
        self.between: dict[int, Relay] = {}
        self.to_zookeeper: dict[int, Relay] = {}

    @property
    def brokers(self) -> list[LocalBroker]:
        return self.kafka.brokers

    @property
    def bootstrap(self) -> str:
        return self.kafka.bootstrap_servers

    def start(self) -> FaultyCluster:
        self.kafka.zookeeper.start()
        host, _, port = self.kafka.zookeeper.connect.rpartition(":")
        for broker in self.brokers:
            number, inside, outside = broker.broker_id, free_port(), free_port()
            relay = self.network.relay("127.0.0.1", inside, kafka=True)
            self.between[number] = relay
            self.to_zookeeper[number] = self.network.relay(host, int(port))
            self.kafka.zookeeper_routes[number] = self.to_zookeeper[number].address
            broker.also = (f"INTERNAL://127.0.0.1:{inside}",)
            broker.wish_port(outside)
            told = f"PLAINTEXT://127.0.0.1:{outside},INTERNAL://{relay.address}"
            broker.settings["advertised.listeners"] = told
            dirs = (broker.data_dir / "a", broker.data_dir / "b")
            broker.settings["log.dirs"] = ",".join(map(str, dirs))
        self.kafka.start()
        return self

    def close(self) -> None:
        self.kafka.close()
        self.network.close()

    def cut_between(self, one: int, other: int) -> None:
        """No request or answer passes between the two brokers any more."""
        self.between[one].cut(other)
        self.between[other].cut(one)

    def restore(self) -> None:
        """All links whole, all processes running and knowing each other."""
        self.network.heal()
        self.kafka.zookeeper.resume()
        for broker in self.brokers:
            broker.resume()
        self.kafka.start()

    def create_topic(self, name: str, partitions: int) -> None:
        """With a replica on every broker, once all are there: a session may end late."""

        def made() -> bool:
            try:
                self.kafka.create_topic(name, partitions, len(self.brokers))
            except KafkaError as error:
                if error.code == ErrorCode.INVALID_REPLICATION_FACTOR:
                    return False
                raise
            return True

        wait_for(made, seconds=90, what=f"{len(self.brokers)} brokers for {name}", poll=0.2)

    # --- what clients see ------------------------------------------------------------------------

    def describe(self, topic: str | None = None) -> Any:
        """Metadata as a client gets it now."""
        client = admin.AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
        return client.list_topics(topic, 30) if topic else client.list_topics(timeout=30)

    def controller(self) -> int:
        """The broker that is controller."""
        return wait_for(lambda: self.describe().controller_id + 1, what="a controller") - 1

    def leader(self, topic: str, partition: int = 0) -> int:
        """The broker that leads the partition."""
        return int(self.describe(topic).topics[topic].partitions[partition].leader)

    def in_sync(self, topic: str) -> dict[int, tuple[int, ...]]:
        """ISR by partition, sorted."""
        partitions = self.describe(topic).topics[topic].partitions
        return {number: tuple(sorted(p.isrs)) for number, p in partitions.items()}

    def wait_in_sync(self, topic: str) -> None:
        """Until every replica of every partition is in sync."""
        everyone = tuple(range(len(self.brokers)))
        wait_for(
            lambda: set(self.in_sync(topic).values()) == {everyone},
            seconds=90,
            what=f"all replicas of {topic} in sync",
            poll=0.1,
        )

    def bytes_of(self, broker: int, topic: str, partition: int) -> bytes:
        """All that the broker's log of the partition holds on disk."""
        logs = sorted(self.brokers[broker].data_dir.rglob(f"{topic}-{partition}/*.log"))
        return b"".join(path.read_bytes() for path in logs)


def read_all(bootstrap: str, topic: str, ends: Mapping[int, int]) -> dict[int, list[bytes | None]]:
    """Every record from offset 0 up to ``ends`` (by partition), by a new consumer."""
    config = {"group.id": "audit", "enable.auto.commit": False, "log_level": 0}
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, **config})
    found: dict[int, list[bytes | None]] = {p: [] for p in ends}
    consumer.assign([ck.TopicPartition(topic, p, 0) for p in ends])

    def whole() -> bool:
        for message in consumer.consume(5000, 0.5):
            if message.error() is None and message.offset() < ends[message.partition()]:
                assert message.offset() == len(found[message.partition()])
                found[message.partition()].append(message.value())
        return all(len(found[p]) >= end for p, end in ends.items())

    try:
        wait_for(whole, seconds=60, what=f"all records of {topic}", about=None)
    finally:
        consumer.close()
    return found
