"""Three brokers of ours on ZooKeeper, each behind relays, so that every link can be cut."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import confluent_kafka as ck
from confluent_kafka import admin

from pykafka_ops.errors import KafkaError
from pykafka_ops.local.broker import LocalBroker
from pykafka_ops.testing import KafkaCluster
from pykafka_ops.wire.codes import ErrorCode
from tests.support.cluster.relay import EVERYONE, Network, Relay
from tests.support.cluster.socket_owner import socket_owner
from tests.support.process.disk import Disk
from tests.support.process.steered import Steering, steered
from tests.support.waiting import free_port, wait_for

SESSION_MS = 2500
SETTINGS: dict[str, object] = {
    "zookeeper.session.timeout.ms": SESSION_MS,
    "replica.lag.time.max.ms": 3000,
    "replica.high.watermark.checkpoint.interval.ms": 1000,
    "replica.socket.timeout.ms": 3000,
    "controller.socket.timeout.ms": 3000,
    "min.insync.replicas": 2,
    "log.segment.delete.delay.ms": 1000,
    "auto.create.topics.enable": "false",  # what is deleted stays so, whoever asks for it
    "offsets.topic.num.partitions": 6,
    "transaction.state.log.num.partitions": 6,
    "inter.broker.listener.name": "INTERNAL",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT",
}


NOBODY: Mapping[str, str] = {}
"""The login where none is needed."""


class Vitals(NamedTuple):
    """What a broker's process holds; ``rss`` in bytes."""

    pid: int
    fds: int
    threads: int
    tasks: int
    rss: int


class FaultyCluster:
    """``between[b]`` is in front of broker b for the other brokers, ``to_zookeeper[b]`` between
    broker b and ZooKeeper. Clients reach brokers directly. ``steering[b]`` sets its clock.

    Each broker has a disk of its own, or, where none can be mounted (``mounts`` False, or no
    root), is told that it is full."""

    login: Mapping[str, str] = NOBODY
    """How clients get in, beside the address; under librdkafka's names, as all of them."""
    admin_login: Mapping[str, str] = NOBODY
    """The same for who may do everything."""

    def __init__(
        self,
        directory: Path,
        count: int = 3,
        settings: Mapping[str, object] | None = None,
        *,
        mounts: bool = True,
    ) -> None:
        self.kafka = self.made(directory, count, {**SETTINGS, **(settings or {})})
        self.network = Network()
        self.between: dict[int, Relay] = {}
        self.to_zookeeper: dict[int, Relay] = {}
        self.steering: dict[int, Steering] = {}
        self.disks = {b.broker_id: Disk(b.data_dir) for b in self.kafka.brokers}
        self._mounts = mounts

    def made(self, directory: Path, count: int, settings: Mapping[str, object]) -> KafkaCluster:
        """What runs it."""
        return KafkaCluster(count, directory, settings)

    @property
    def brokers(self) -> list[LocalBroker]:
        return self.kafka.brokers

    @property
    def ours(self) -> list[LocalBroker]:
        """Those with a clock and a disk that can be steered."""
        return [broker for broker in self.brokers if broker.broker_id in self.steering]

    @property
    def bootstrap(self) -> str:
        return self.kafka.bootstrap_servers

    @property
    def client(self) -> dict[str, str]:
        """Settings that clients begin with."""
        return {"bootstrap.servers": self.bootstrap, **self.login}

    def start(self) -> FaultyCluster:
        self.kafka.zookeeper.settings["clientPort"] = str(free_port())
        self.kafka.zookeeper.start()
        host, _, port = self.kafka.zookeeper.connect.rpartition(":")
        for broker in self.brokers:
            number, inside, outside = broker.broker_id, free_port(), free_port()
            relay = self.network.relay("127.0.0.1", inside, self._caller)
            self.between[number] = relay
            self.to_zookeeper[number] = self.network.relay(host, int(port))
            self.kafka.zookeeper_routes[number] = self.to_zookeeper[number].address
            broker.also = (f"INTERNAL://127.0.0.1:{inside}",)
            broker.wish_port(outside)
            said = f"{broker.listener}://127.0.0.1:{outside},INTERNAL://{relay.address}"
            broker.settings["advertised.listeners"] = said
            dirs = (broker.data_dir / "a", broker.data_dir / "b")
            broker.settings["log.dirs"] = ",".join(map(str, dirs))
            self._fix_port(broker, outside)
            self.steer(broker)
            if self._mounts:
                self.disks[number].mount()
        self.kafka.start()
        return self

    def steer(self, broker: LocalBroker) -> None:
        """Have it run with a clock, and without a mount a disk, of our own."""
        path, argv = broker.directory / "steering", broker.argv
        broker.directory.mkdir(parents=True, exist_ok=True)
        self.steering[broker.broker_id] = Steering(path)
        broker.argv = lambda port: steered(argv(port), path)  # type: ignore[method-assign]

    @staticmethod
    def _fix_port(broker: LocalBroker, said: int) -> None:
        """It runs on the port that clients are told, or not at all."""
        argv = broker.argv

        def checked_argv(port: int) -> list[str]:
            assert port == said, f"somebody took port {said}"
            return argv(port)

        broker.argv = checked_argv  # type: ignore[method-assign]

    def _caller(self, port: int) -> int:
        """Which broker has a connection from that port."""
        pids = {b.pid: b.broker_id for b in self.brokers if b.pid is not None}
        return pids.get(socket_owner(port, pids), EVERYONE)

    def close(self, *, keep: bool = False) -> None:
        """End all of it; ``keep``: the data are to be looked at."""
        self.kafka.close()
        self.network.close()
        for disk in self.disks.values():
            disk.unmount(keep=keep)

    def cut_between(self, one: int, other: int) -> None:
        """No request or answer passes between the two brokers any more."""
        self.between[one].cut(other)
        self.between[other].cut(one)

    def mend_between(self, one: int, other: int) -> None:
        """The end of :meth:`cut_between`."""
        self.between[one].heal(other)
        self.between[other].heal(one)

    @property
    def fillable(self) -> list[LocalBroker]:
        """Those with a disk that can be filled."""
        return [b for b in self.brokers if b in self.ours or self.disks[b.broker_id].mounted]

    def go_on(self, broker: LocalBroker) -> None:
        """With room again: ours needs nothing; Apache Kafka's takes a directory that has failed
        only when it starts, and ends itself when all have."""
        if broker not in self.ours:
            broker.kill()
            broker.launch()

    def fill_disk(self, broker: int) -> None:
        """Nothing can be written any more."""
        if self.disks[broker].mounted:
            self.disks[broker].fill()
        else:
            self.steering[broker].full = True

    def shrink_disk(self, broker: int, free: int) -> None:
        """The disk is as large as what is on it and so many bytes more; without a mount it is a
        quota that holds the broker's directory."""
        if self.disks[broker].mounted:
            self.disks[broker].shrink(free)
        else:
            self.steering[broker].quota = self.steering[broker].held() + free

    def empty_disk(self, broker: int) -> None:
        """The end of :meth:`fill_disk` and :meth:`shrink_disk`."""
        if self.disks[broker].mounted:
            self.disks[broker].empty()
        if broker in self.steering:
            self.steering[broker].full = False
            self.steering[broker].quota = 0

    def restore(self) -> None:
        """All links whole, all disks empty, all clocks right, all processes running and knowing
        each other."""
        self.network.heal()
        for broker in self.brokers:
            self.empty_disk(broker.broker_id)
        for steering in self.steering.values():
            steering.ahead_ms = 0
        self.kafka.zookeeper.resume()
        for broker in self.brokers:
            broker.resume()
        self.kafka.start()

    def create_topic(
        self, name: str, partitions: int, configs: Mapping[str, object] | None = None
    ) -> str:
        """With a replica on every broker, once all are there: a session may end late."""

        def made() -> bool:
            try:
                self.kafka.create_topic(name, partitions, len(self.brokers), configs)
            except KafkaError as error:
                if error.code == ErrorCode.INVALID_REPLICATION_FACTOR:
                    return False
                raise
            return True

        wait_for(made, what=f"{len(self.brokers)} brokers for {name}", poll=0.2)
        return name

    # --- what clients see ------------------------------------------------------------------------

    def admin(self, bootstrap: str) -> admin.AdminClient:
        """A client that may do everything."""
        return admin.AdminClient(
            {"bootstrap.servers": bootstrap, **self.admin_login, "log_level": 0}
        )

    def describe(self, topic: str | None = None) -> Any:
        """Metadata as a client gets it now."""
        client = self.admin(self.bootstrap)
        return client.list_topics(topic, 120) if topic else client.list_topics(timeout=120)

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
            what=f"all replicas of {topic} in sync",
            poll=0.1,
        )

    def wait_whole(self) -> None:
        """Until every partition of every topic has a leader, and all its replicas in sync."""

        def amiss() -> list[str]:
            return [
                f"{topic.topic}-{number}: {p.error or p.isrs}"
                for topic in self.describe().topics.values()
                for number, p in topic.partitions.items()
                if p.leader < 0 or len(p.isrs) < len(p.replicas)
            ]

        wait_for(lambda: not amiss(), what="all replicas in sync", poll=0.1)

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete them, and wait until their files are gone."""
        found = self.admin(self.bootstrap)
        for future in found.delete_topics(list(names), operation_timeout=60).values():
            future.result(120)
        starts = tuple(f"{name}-" for name in names)

        def gone() -> bool:
            paths = [p for b in self.brokers for p in b.data_dir.glob("*/*")]
            return not any(p.name.startswith(starts) for p in paths)

        wait_for(gone, what=f"no files of {starts}", poll=0.1)

    def vitals(self) -> dict[int, Vitals]:
        """What the process of each broker of ours holds now."""
        found = {}
        for broker in self.ours:
            pid, state = broker.pid, self.steering[broker.broker_id]
            assert pid is not None
            state.tasks = 0
            os.kill(pid, signal.SIGUSR1)
            wait_for(lambda state=state: state.tasks, what="a count of tasks")
            process = Path(f"/proc/{pid}")
            rss = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            fds, threads = (len(list((process / name).iterdir())) for name in ("fd", "task"))
            found[broker.broker_id] = Vitals(pid, fds, threads, state.tasks, rss)
        return found

    def bytes_of(self, broker: int, topic: str, partition: int) -> bytes:
        """All that the broker's log of the partition holds on disk."""
        logs = sorted(self.brokers[broker].data_dir.rglob(f"{topic}-{partition}/*.log"))
        return b"".join(path.read_bytes() for path in logs)


def read_all(
    bootstrap: str, topic: str, ends: Mapping[int, int], login: Mapping[str, str] = NOBODY
) -> dict[int, list[bytes | None]]:
    """Every record from offset 0 up to ``ends`` (by partition), by a new consumer."""
    config = {"group.id": "audit", "enable.auto.commit": False, "log_level": 0}
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, **login, **config})
    found: dict[int, list[bytes | None]] = {p: [] for p in ends}
    consumer.assign([ck.TopicPartition(topic, p, 0) for p in ends])

    def whole() -> bool:
        for message in consumer.consume(5000, 0.5):
            if message.error() is None and message.offset() < ends[message.partition()]:
                assert message.offset() == len(found[message.partition()])
                found[message.partition()].append(message.value())
        return all(len(found[p]) >= end for p, end in ends.items())

    try:
        wait_for(whole, what=f"all records of {topic}", about=None)
    finally:
        consumer.close()
    return found
