"""The controller's rules, event by event, on a cluster in memory."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicRecord,
)
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
)
from pykafka_ops.broker.state.controller.steps import Write
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.controller_world import World, broker_info, new_topic


def error_of(result: object) -> ErrorCode:
    assert isinstance(result, KafkaError)
    return ErrorCode(result.code)


def test_a_created_topic_is_known_everywhere_and_hosted_where_assigned() -> None:
    world = World(0, 1, 2)
    assert world.create(new_topic("t", [0, 1], [1, 2])) == {"t": None}
    assert world.states["t", 0] == LeaderAndIsr(0, 0, (0, 1), 1)
    for broker in world.brokers.values():
        assert broker.image.has_leaders("t", [0, 1])
        assert broker.image.topic_names_by_id[world.topics["t"].topic_id] == "t"
    hosted = {id_: sorted(broker.replicas) for id_, broker in world.brokers.items()}
    assert hosted == {0: [("t", 0)], 1: [("t", 0), ("t", 1)], 2: [("t", 1)]}


def test_a_topic_is_written_at_once_and_logs_come_before_metadata() -> None:
    world = World(0)
    world.sends()
    world.run(world.controller.topics.create([new_topic("t", [0], [0])]))
    writes = [step for step in world.log if isinstance(step, Write)]
    assert [len(step.items) for step in writes] == [1]
    kinds = [type(order) for _, order in world.sends()]
    assert kinds == [LeaderAndIsrOrder, MetadataOrder]


def test_creating_one_topic_costs_the_same_however_many_there_are() -> None:
    world = World(0)
    world.create(*(new_topic(f"old-{n}", [0]) for n in range(50)))
    world.sends()
    world.create(new_topic("t", [0]))
    (_, become), (_, metadata) = world.sends()
    assert isinstance(become, LeaderAndIsrOrder)
    assert isinstance(metadata, MetadataOrder)
    assert [change.topic for change in become.changes] == ["t"]
    assert become.changes[0].is_new
    assert list(metadata.delta.partitions) == ["t"]


def test_a_replica_on_a_dead_broker_stays_out_of_the_isr() -> None:
    world = World(0)
    world.create(new_topic("t", [9, 0]), new_topic("lost", [9]))
    assert world.states == {("t", 0): LeaderAndIsr(0, 0, (0,), 1)}
    image = world.brokers[0].image.partition("t", 0)
    assert image is not None
    assert (image.leader, image.isr, image.replicas, image.offline) == (0, (0,), (9, 0), (9,))
    assert "lost" in world.topics
    assert "lost" not in world.brokers[0].image.topics
    world.start(9)
    assert world.states["lost", 0].leader == 9
    assert world.brokers[0].image.has_leaders("lost", [0])


def test_names_that_exist_or_are_being_deleted_are_refused() -> None:
    world = World(0)
    world.create(new_topic("t", [0]), new_topic("stuck", [0, 9]))
    world.delete("stuck")
    results = world.create(new_topic("t", [0]), new_topic("stuck", [0]))
    assert error_of(results["t"]) == ErrorCode.TOPIC_ALREADY_EXISTS
    assert str(results["t"]) == "Topic 't' already exists."
    assert str(results["stuck"]) == "Topic 'stuck' is marked for deletion."


def test_a_topic_somebody_else_created_meanwhile_is_refused_and_adopted_later() -> None:
    world = World(0)
    world.topics["t"] = TopicRecord(b"t" * 16, {0: ReplicaAssignment.of([0])})
    assert error_of(world.create(new_topic("t", [0]))["t"]) == ErrorCode.TOPIC_ALREADY_EXISTS
    world.run(world.controller.topics.changed({"t"}, world.topics))
    assert world.brokers[0].image.topic_id("t") == b"t" * 16
    assert world.states["t", 0].leader == 0


def test_a_topic_without_id_gets_one() -> None:
    world = World(0)
    world.topics["old"] = TopicRecord(ZERO_UUID, {0: ReplicaAssignment.of([0])})
    world.run(world.controller.topics.changed({"old"}, world.topics))
    id_ = world.topics["old"].topic_id
    assert id_ != ZERO_UUID
    assert world.brokers[0].image.topic_id("old") == id_


def test_leaders_move_when_a_broker_dies_and_its_replicas_leave_the_isr() -> None:
    world = World(0, 1, 2)
    world.create(new_topic("t", [1, 2], [2, 1], [0, 2]))
    world.sends()
    world.kill(1)
    assert world.states["t", 0] == LeaderAndIsr(2, 1, (2,), 1, partition_epoch=1)
    assert world.states["t", 1] == LeaderAndIsr(2, 1, (2,), 1, partition_epoch=1)
    assert world.states["t", 2] == LeaderAndIsr(0, 0, (0, 2), 1)
    said = {
        index
        for _, order in world.sends()
        if isinstance(order, MetadataOrder)
        for index in order.delta.partitions.get("t", {})
    }
    assert said == {0, 1}
    image = world.brokers[0].image.partition("t", 0)
    assert image is not None
    assert (image.leader, image.offline) == (2, (1,))
    assert not world.brokers[0].image.alive(1)


def test_the_last_in_sync_replica_keeps_the_isr_and_leads_again() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [1, 0]))
    world.kill(1)
    world.kill(0)
    assert world.states["t", 0] == LeaderAndIsr(-1, 2, (0,), 1, partition_epoch=2)
    world.start(1)
    assert world.states["t", 0].leader == -1
    image = world.brokers[1].image.partition("t", 0)
    assert image is not None
    assert image.leader == -1
    world.start(0)
    assert world.states["t", 0] == LeaderAndIsr(0, 3, (0,), 1, partition_epoch=3)


def test_an_unclean_election_marks_the_leader_recovering_and_is_reported() -> None:
    world = World(0, 1, unclean=True)
    world.create(new_topic("t", [1, 0]))
    world.kill(0)
    world.start(0)
    world.kill(1)
    assert world.states["t", 0] == LeaderAndIsr(0, 2, (0,), 1, 2, recovering=True)
    assert "unclean election: t-0" in world.controller.take_notices()[-1]
    assert world.controller.cluster.unclean_elections == 1
    assert world.controller.take_notices() == []


def test_a_restarted_broker_is_told_everything_and_existing_ones_that_it_lives() -> None:
    world = World(0, 1)
    world.create(new_topic("a", [0]), new_topic("b", [1, 0]))
    epoch = world.live[1].epoch
    world.start(1)
    image = world.brokers[1].image
    assert set(image.topics) == {"a", "b"}
    assert image.brokers[1].epoch > epoch
    assert set(world.brokers[1].replicas) == {("b", 0)}
    assert world.states["b", 0].leader == 0


def test_changed_endpoints_are_told() -> None:
    world = World(0, 1)
    world.live[1] = broker_info(1, world.live[1].epoch, rack="new")
    world.run(world.controller.brokers.updated(world.live[1]))
    assert world.brokers[0].image.brokers[1].rack == "new"


def test_a_new_controller_repairs_what_happened_meanwhile() -> None:
    world = World(0, 1, 2)
    world.create(new_topic("t", [1, 2], [0, 1]), new_topic("gone", [0]))
    del world.live[1], world.brokers[1]
    world.topics["half"] = TopicRecord(b"h" * 16, {0: ReplicaAssignment.of([2])})
    world.marked.update({"gone", "never"})
    world.elect_controller()
    assert world.states["t", 0] == LeaderAndIsr(2, 1, (2,), 2, partition_epoch=1)
    assert world.states["t", 1] == LeaderAndIsr(0, 1, (0,), 2, partition_epoch=1)
    assert world.states["half", 0] == LeaderAndIsr(2, 0, (2,), 2)
    assert world.marked == set()
    assert set(world.topics) == {"t", "half"}
    assert set(world.brokers[0].image.topics) == {"t", "half"}
    assert world.brokers[2].image.controller_epoch == 2


def test_a_leader_that_restarted_unseen_leads_in_a_new_epoch() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1], [1, 0], [0]))
    world.restarted = {("t", 0), ("t", 2)}
    world.elect_controller()
    assert world.states["t", 0] == LeaderAndIsr(0, 1, (0, 1), 2, partition_epoch=1)
    assert world.brokers[1].replicas["t", 0].state.leader_epoch == 1
    assert {world.states["t", index].leader_epoch for index in (1, 2)} == {0}


def test_added_partitions_get_leaders() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0]))
    added = {1: ReplicaAssignment.of([1, 0]), 2: ReplicaAssignment.of([0, 9])}
    assert world.run(world.controller.topics.add_partitions("t", added)) is None
    assert world.topics["t"].partitions == {0: ReplicaAssignment.of([0]), **added}
    assert world.states["t", 2] == LeaderAndIsr(0, 0, (0,), 1)
    assert world.brokers[1].image.has_leaders("t", [0, 1, 2])


def test_partitions_added_by_hand_are_adopted_or_taken_back() -> None:
    world = World(0)
    world.create(new_topic("t", [0]), new_topic("stuck", [0, 9]))
    world.delete("stuck")
    for topic in ("t", "stuck"):
        record = world.topics[topic]
        more = TopicRecord(record.topic_id, {**record.partitions, 1: ReplicaAssignment.of([0])})
        world.topics[topic] = more
        world.run(world.controller.topics.assignment_changed(topic, more))
    assert world.states["t", 1].leader == 0
    assert list(world.topics["stuck"].partitions) == [0]
    world.run(world.controller.topics.assignment_changed("nope", more))


def test_topics_removed_by_hand_are_forgotten() -> None:
    world = World(0)
    world.create(new_topic("t", [0]))
    world.run(world.controller.topics.changed([], {}))
    assert world.controller.topics.cannot_create("t") is None


def test_preferred_elections() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [1, 0], [0, 1]))
    world.kill(1)
    world.start(1)
    keys = [("t", 0), ("t", 1), ("t", 7), ("nope", 0)]
    results = world.run(world.controller.elections.elect(keys, ElectionType.PREFERRED))
    assert error_of(results["t", 0]) == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert str(results["t", 0]) == (
        "Failed to elect leader for partition t-0 under strategy"
        " PreferredReplicaPartitionLeaderElectionStrategy"
    )
    assert error_of(results["t", 1]) == ErrorCode.ELECTION_NOT_NEEDED
    assert error_of(results["t", 7]) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert str(results["nope", 0]) == "The partition does not exist."
    # The follower has caught up: its leader had the controller put it back into the ISR.
    state = world.states["t", 0]
    world.states["t", 0] = state._replace(isr=(0, 1), partition_epoch=state.partition_epoch + 1)
    world.elect_controller()
    results = world.run(world.controller.elections.elect(None, ElectionType.PREFERRED))
    assert results["t", 0] == 1
    assert world.states["t", 0].isr == (0, 1)


def test_unclean_elections_only_where_there_is_no_leader() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [1, 0]), new_topic("d", [0, 9]))
    world.kill(0)
    world.start(0)
    world.kill(1)
    world.delete("d")
    results = world.run(
        world.controller.elections.elect([("t", 0), ("d", 0)], ElectionType.UNCLEAN)
    )
    assert results["t", 0] == 0
    assert error_of(results["d", 0]) == ErrorCode.INVALID_TOPIC_EXCEPTION
    results = world.run(world.controller.elections.elect([("t", 0)], ElectionType.UNCLEAN))
    assert error_of(results["t", 0]) == ErrorCode.ELECTION_NOT_NEEDED


def test_switching_unclean_elections_on_elects_for_waiting_partitions() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [1, 0]))
    world.kill(0)
    world.start(0)
    world.kill(1)
    assert world.states["t", 0].leader == -1
    world.unclean = True
    world.run(world.controller.elections.unclean_allowed("other"))
    assert world.states["t", 0].leader == -1
    world.run(world.controller.elections.unclean_allowed("t"))
    assert world.states["t", 0].leader == 0


def test_a_failed_directory_takes_replicas_offline_and_moves_leaders() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1], [0]))
    world.brokers[0].broken = {("t", 0)}
    world.run(world.controller.brokers.log_dirs_failed([0]))
    world.deliver()
    assert world.states["t", 0] == LeaderAndIsr(1, 1, (1,), 1, partition_epoch=1)
    image = world.brokers[1].image.partition("t", 0)
    assert image is not None
    assert image.offline == (0,)
    world.start(0)
    assert world.controller.cluster.offline_dirs == {}


def test_a_directory_that_works_again_brings_replicas_back_and_leaders_where_none_were() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1], [0]))
    world.brokers[0].broken = {("t", 0), ("t", 1)}
    world.run(world.controller.brokers.log_dirs_failed([0]))
    world.deliver()
    assert world.states["t", 1].leader == -1
    world.brokers[0].broken.clear()
    world.run(world.controller.brokers.log_dirs_failed([0]))
    world.deliver()
    assert world.controller.cluster.offline_dirs == {}
    assert [world.states["t", n].leader for n in (0, 1)] == [1, 0]
    images = [world.brokers[1].image.partition("t", n) for n in (0, 1)]
    assert [image.offline for image in images if image is not None] == [(), ()]


def test_controlled_shutdown_moves_what_it_can() -> None:
    world = World(0, 1, 2)
    world.create(new_topic("t", [0, 1], [1, 0], [0]))
    remaining = world.run(world.controller.brokers.controlled_shutdown(0, world.live[0].epoch))
    assert remaining == set()  # nobody else has the one that has no other replica
    assert world.states["t", 0] == LeaderAndIsr(1, 1, (1,), 1, partition_epoch=1)
    assert world.states["t", 1] == LeaderAndIsr(1, 1, (1,), 1, partition_epoch=1)
    assert world.states["t", 2].leader == 0
    with pytest.raises(KafkaError) as caught:
        world.run(world.controller.brokers.controlled_shutdown(0, 0))
    assert caught.value.code == ErrorCode.STALE_BROKER_EPOCH
    with pytest.raises(KafkaError) as caught:
        world.run(world.controller.brokers.controlled_shutdown(7, -1))
    assert caught.value.code == ErrorCode.BROKER_NOT_AVAILABLE
    world.kill(0)
    assert world.states["t", 2].leader == -1
