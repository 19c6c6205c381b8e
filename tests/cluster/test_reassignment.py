"""Replicas move between three brokers while records come in; controllers die on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pykafka_ops.client.configs import TOPIC, AlterOp
from pykafka_ops.testing import KafkaCluster
from tests.support.cluster.faulty_cluster import FaultyCluster, read_all
from tests.support.cluster.moves_desk import MovesDesk
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.java]


@pytest.fixture
def desk(cluster: KafkaCluster) -> Iterator[MovesDesk]:
    made = MovesDesk(cluster.bootstrap_servers, cluster.brokers)
    yield made
    made.cluster.close()


@pytest.fixture
def shaky(faulty_cluster: FaultyCluster) -> Iterator[MovesDesk]:
    made = MovesDesk(faulty_cluster.bootstrap, faulty_cluster.brokers)
    yield made
    made.cluster.close()
    faulty_cluster.restore()


def test_records_move_with_their_partition(desk: MovesDesk, cluster: KafkaCluster) -> None:
    cluster.create_topic("moved", assignment={0: [0, 1]})
    values = desk.fill("moved", 500)
    desk.move("moved", [1, 2])
    values += desk.fill("moved", 500)
    desk.wait_moved("moved")
    values += desk.fill("moved", 500)
    desk.wait_for("moved", 1, [1, 2], {1, 2})
    wait_for(lambda: desk.logs("moved") == {1, 2}, what="the old replica's deletion")
    found = read_all(desk.bootstrap, "moved", {0: len(values)})
    assert found[0] == values


def test_a_throttled_move_waits_can_be_cancelled_and_begun_again(
    desk: MovesDesk, cluster: KafkaCluster
) -> None:
    cluster.create_topic("held", assignment={0: [0, 1]})
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
    assert read_all(desk.bootstrap, "held", {0: len(values)})[0] == values


def test_the_next_controller_finishes_a_move(
    shaky: MovesDesk, faulty_cluster: FaultyCluster
) -> None:
    controller = faulty_cluster.controller()
    old, new = sorted({0, 1, 2} - {controller})
    configs = {"min.insync.replicas": 1}
    faulty_cluster.kafka.create_topic("inherited", assignment={0: [old]}, configs=configs)
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
    shaky: MovesDesk, faulty_cluster: FaultyCluster
) -> None:
    configs = {"min.insync.replicas": 1}
    faulty_cluster.kafka.create_topic("lost", assignment={0: [1, 2]}, configs=configs)
    shaky.fill("lost", 10)
    faulty_cluster.brokers[2].kill()
    wait_for(lambda: faulty_cluster.in_sync("lost") == {0: (1,)}, what="the ISR without it")
    shaky.fill("lost", 10)
    faulty_cluster.brokers[1].kill()
    wait_for(lambda: faulty_cluster.leader("lost") == -1, what="the loss of the leader")
    faulty_cluster.brokers[2].start()
    assert faulty_cluster.leader("lost") == -1
    shaky.configure(TOPIC, "lost", [(AlterOp.SET, "unclean.leader.election.enable", "true")])
    wait_for(lambda: faulty_cluster.leader("lost") == 2, what="the unclean leader")
    assert len(read_all(faulty_cluster.bootstrap, "lost", {0: 10})[0]) == 10
