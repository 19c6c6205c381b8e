"""What an operator asks of a cluster: records in, replicas elsewhere, throttles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import confluent_kafka as ck

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import (
    BROKER,
    TOPIC,
    AlterOp,
    ConfigResource,
    alter_configs,
    describe_configs,
)
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import KafkaError, PkoError
from tests.support.waiting import wait_for

VALUE = b"x" * 1000
RATE = "leader.replication.throttled.rate"


class Server(Protocol):
    """A broker's place on disk."""

    broker_id: int

    @property
    def data_dir(self) -> Path: ...


class MovesDesk:
    """An operator of ``brokers``; moves are about partition 0 of topics."""

    def __init__(self, bootstrap: str, brokers: Sequence[Server]) -> None:
        self.bootstrap = bootstrap
        self._brokers = brokers
        self.cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))

    def create(self, topic: str, replicas: list[int]) -> None:
        """A topic of one partition on these brokers."""
        (made,) = create_topics(self.cluster, [NewTopic(topic, -1, -1, {0: replicas})]).values()
        assert not isinstance(made, KafkaError), made

    def fill(self, topic: str, count: int) -> list[bytes]:
        """Records of 1 KB in partition 0, acknowledged by all; their values."""
        producer = ck.Producer({"bootstrap.servers": self.bootstrap, "acks": "all"})
        values = [b"%08d" % n + VALUE for n in range(count)]
        for value in values:
            producer.produce(topic, value, partition=0)
        assert producer.flush(120) == 0
        return values

    def move(self, topic: str, target: Sequence[int] | None) -> None:
        assert alter_reassignments(self.cluster, {(topic, 0): target}) == {(topic, 0): None}

    def under_way(self, topic: str) -> bool:
        return (topic, 0) in list_reassignments(self.cluster)

    def wait_moved(self, topic: str) -> None:
        wait_for(lambda: not self.under_way(topic), what="the end of the move", poll=0.05)

    def throttle(self, topic: str, rate: int | None) -> None:
        """Let followers copy ``topic`` at ``rate`` bytes per second; None: as fast as they can."""
        op = AlterOp.DELETE if rate is None else AlterOp.SET
        self.configure(TOPIC, topic, [(op, "leader.replication.throttled.replicas", "*")])
        for broker in self._brokers:
            self.configure(BROKER, str(broker.broker_id), [(op, RATE, str(rate))])
        brokers = [ConfigResource(BROKER, str(broker.broker_id)) for broker in self._brokers]
        wanted = [None if rate is None else str(rate)] * len(brokers)
        wait_for(lambda: self._rates(brokers) == wanted, what="the throttle", poll=0.05)

    def _rates(self, brokers: list[ConfigResource]) -> list[str | None]:
        """As the brokers themselves have them; one follows its changes in their order."""
        found = describe_configs(self.cluster, brokers, keys=[RATE])
        rates: list[str | None] = []
        for entries in found.values():
            assert not isinstance(entries, PkoError)
            rates.append(next((each.value for each in entries), None))
        return rates

    def configure(
        self, kind: int, name: str, changes: list[tuple[AlterOp, str, str | None]]
    ) -> None:
        resource = ConfigResource(kind, name)
        assert alter_configs(self.cluster, {resource: changes}) == {resource: None}

    def logs(self, topic: str) -> set[int]:
        """Brokers with a log of partition 0 on their disk."""
        return {
            broker.broker_id for broker in self._brokers if any(broker.data_dir.rglob(f"{topic}-0"))
        }

    def wait_for(self, topic: str, leader: int, replicas: list[int], isr: set[int]) -> None:
        """Until whoever is asked knows this of partition 0."""
        wanted = (leader, replicas, isr)
        wait_for(lambda: self._partition(topic) == wanted, what=f"{wanted}", poll=0.05)

    def _partition(self, topic: str) -> tuple[int, list[int], set[int]]:
        """Leader, replicas and ISR of partition 0."""
        (found,) = self.cluster.metadata([topic]).topics
        if not found.partitions:
            return -1, [], set()
        (part,) = found.partitions
        return part.leader_id, part.replica_nodes, set(part.isr_nodes)
