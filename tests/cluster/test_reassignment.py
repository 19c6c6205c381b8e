"""Replicas move between three brokers while records come in; controllers die on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import confluent_kafka as ck
import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import (
    BROKER,
    TOPIC,
    Op,
    Resource,
    alter_configs,
    describe_configs,
)
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.errors import PkoError
from pykafka_ops.testing import KafkaCluster
from tests.support.faulty_cluster import FaultyCluster, read_all
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.java]

VALUE = b"x" * 1000
RATE = "leader.replication.throttled.rate"


class Desk:
    """What an operator asks of a cluster."""

    def __init__(self, kafka: KafkaCluster) -> None:
        self.kafka = kafka
        self.cluster = Cluster(ClientConfig.of({"bootstrap.servers": kafka.bootstrap_servers}))

    def fill(self, topic: str, count: int) -> list[bytes]:
        """Records of 1 KB in partition 0, acknowledged by all; their values."""
        producer = ck.Producer({"bootstrap.servers": self.kafka.bootstrap_servers, "acks": "all"})
        values = [b"%08d" % n + VALUE for n in range(count)]
        for value in values:
            producer.produce(topic, value, partition=0)
        assert producer.flush(60) == 0
        return values

    def move(self, topic: str, target: Sequence[int] | None) -> None:
        assert alter_reassignments(self.cluster, {(topic, 0): target}) == {(topic, 0): None}

    def under_way(self, topic: str) -> bool:
        return (topic, 0) in list_reassignments(self.cluster)

    def wait_moved(self, topic: str) -> None:
        wait_for(lambda: not self.under_way(topic), what="the end of the move", poll=0.05)

    def throttle(self, topic: str, rate: int | None) -> None:
        """Let followers copy ``topic`` at ``rate`` bytes per second; None: as fast as they can."""
        op = Op.DELETE if rate is None else Op.SET
        self.configure(TOPIC, topic, [(op, "leader.replication.throttled.replicas", "*")])
        for broker in self.kafka.brokers:
            self.configure(BROKER, str(broker.broker_id), [(op, RATE, str(rate))])
        brokers = [Resource(BROKER, str(broker.broker_id)) for broker in self.kafka.brokers]
        wanted = [None if rate is None else str(rate)] * len(brokers)
        wait_for(lambda: self._rates(brokers) == wanted, what="the throttle", poll=0.05)

    def _rates(self, brokers: list[Resource]) -> list[str | None]:
        """As the brokers themselves have them; one follows its changes in their order."""
        found = describe_configs(self.cluster, brokers, keys=[RATE])
        rates: list[str | None] = []
        for entries in found.values():
            assert not isinstance(entries, PkoError)
            rates.append(next((each.value for each in entries), None))
        return rates

    def configure(self, kind: int, name: str, changes: list[tuple[Op, str, str | None]]) -> None:
        resource = Resource(kind, name)
        assert alter_configs(self.cluster, {resource: changes}) == {resource: None}

    def logs(self, topic: str) -> set[int]:
        """Brokers with a log of partition 0 on their disk."""
        return {
            broker.broker_id
            for broker in self.kafka.brokers
            if any(broker.data_dir.rglob(f"{topic}-0"))
        }

    def wait_for(self, topic: str, leader: int, replicas: list[int], isr: set[int]) -> None:
        """Until whoever is asked knows this of partition 0."""
        wanted = (leader, replicas, isr)
        wait_for(lambda: self._partition(topic) == wanted, what=f"{wanted}", poll=0.05)

    def _partition(self, topic: str) -> tuple[int, list[int], set[int]]:
        """Leader, replicas and ISR of partition 0."""
        (found,) = self.cluster.metadata([topic]).topics
        (part,) = found.partitions
        return part.leader_id, part.replica_nodes, set(part.isr_nodes)


@pytest.fixture
def desk(cluster: KafkaCluster) -> Iterator[Desk]:
    made = Desk(cluster)
    yield made
    made.cluster.close()


@pytest.fixture
def shaky(faulty_cluster: FaultyCluster) -> Iterator[Desk]:
    made = Desk(faulty_cluster.kafka)
    yield made
    made.cluster.close()
    faulty_cluster.restore()


def test_records_move_with_their_partition(desk: Desk) -> None:
    desk.kafka.create_topic("moved", assignment={0: [0, 1]})
    values = desk.fill("moved", 500)
    desk.move("moved", [1, 2])
    values += desk.fill("moved", 500)
    desk.wait_moved("moved")
    values += desk.fill("moved", 500)
    desk.wait_for("moved", 1, [1, 2], {1, 2})
    wait_for(lambda: desk.logs("moved") == {1, 2}, what="the old replica's deletion")
    found = read_all(desk.kafka.bootstrap_servers, "moved", {0: len(values)})
    assert found[0] == values


def test_a_throttled_move_waits_can_be_cancelled_and_begun_again(desk: Desk) -> None:
    desk.kafka.create_topic("held", assignment={0: [0, 1]})
    values = desk.fill("held", 4000)
    desk.throttle("held", 1000)
    try:
        desk.move("held", [2, 0])
        wait_for(lambda: desk.logs("held") == {0, 1, 2}, what="the new replica")
        desk.wait_for("held", 0, [2, 0, 1], {0, 1})
        desk.move("held", None)
        assert not desk.under_way("held")
        wait_for(lambda: desk.logs("held") == {0, 1}, what="the new replica's deletion")
        desk.move("held", [2, 0])
        wait_for(lambda: desk.logs("held") == {0, 1, 2}, what="the new replica")
        assert desk.under_way("held")
    finally:
        desk.throttle("held", None)
    desk.wait_moved("held")
    desk.wait_for("held", 0, [2, 0], {2, 0})
    assert read_all(desk.kafka.bootstrap_servers, "held", {0: len(values)})[0] == values


def test_the_next_controller_finishes_a_move(shaky: Desk, faulty_cluster: FaultyCluster) -> None:
    controller = faulty_cluster.controller()
    old, new = sorted({0, 1, 2} - {controller})
    configs = {"min.insync.replicas": 1}
    shaky.kafka.create_topic("inherited", assignment={0: [old]}, configs=configs)
    values = shaky.fill("inherited", 4000)
    shaky.throttle("inherited", 1000)
    shaky.move("inherited", [new])
    faulty_cluster.brokers[controller].kill()
    wait_for(lambda: faulty_cluster.controller() != controller, what="another controller")
    assert shaky.under_way("inherited")
    faulty_cluster.restore()
    shaky.throttle("inherited", None)
    shaky.wait_moved("inherited")
    shaky.wait_for("inherited", new, [new], {new})
    assert read_all(faulty_cluster.bootstrap, "inherited", {0: len(values)})[0] == values


def test_an_unclean_election_is_held_as_soon_as_it_is_allowed(
    shaky: Desk, faulty_cluster: FaultyCluster
) -> None:
    configs = {"min.insync.replicas": 1}
    shaky.kafka.create_topic("lost", assignment={0: [1, 2]}, configs=configs)
    shaky.fill("lost", 10)
    faulty_cluster.brokers[2].kill()
    wait_for(lambda: faulty_cluster.in_sync("lost") == {0: (1,)}, what="the ISR without it")
    shaky.fill("lost", 10)
    faulty_cluster.brokers[1].kill()
    wait_for(lambda: faulty_cluster.leader("lost") == -1, what="the loss of the leader")
    faulty_cluster.brokers[2].start()
    assert faulty_cluster.leader("lost") == -1
    shaky.configure(TOPIC, "lost", [(Op.SET, "unclean.leader.election.enable", "true")])
    wait_for(lambda: faulty_cluster.leader("lost") == 2, what="the unclean leader")
    assert len(read_all(faulty_cluster.bootstrap, "lost", {0: 10})[0]) == 10
