"""Groups that go from one protocol to the other while they have members."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import Joined, Leaving
from pykafka_ops.broker.state.groups.consumer.settings import MigrationPolicy
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.disk.internal import (
    ConsumerProtocolAssignment,
    TopicPartitions,
    encode,
    read_assignment,
)
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.consumer_world import SESSION, ConsumerWorld, topic_id
from tests.support.memory.group_world import GROUP

NONE, REBALANCE = ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS
T = topic_id("t")
BOTH = MigrationPolicy.BIDIRECTIONAL


def classic_world(policy: MigrationPolicy) -> tuple[ConsumerWorld, Joined]:
    """A stable classic group of one member that has all four partitions."""
    world = ConsumerWorld({"t": 4}, policy=policy)
    joined = world.join(rebalance_timeout=30_000)
    places = [TopicPartitions(topic="t", partitions=[0, 1, 2, 3])]
    given = encode(ConsumerProtocolAssignment(assigned_partitions=places), 0)
    assert world.sync(joined, {joined.member_id: given}).code is NONE
    return world, joined


def partitions(world: ConsumerWorld, joined: Joined) -> list[int]:
    """What a classic member has."""
    synced = world.sync(joined)
    assert synced.code is NONE
    found = read_assignment(synced.assignment)[1].assigned_partitions
    return [index for each in found for index in each.partitions]


@pytest.mark.parametrize("policy", [MigrationPolicy.DISABLED, MigrationPolicy.DOWNGRADE])
def test_a_group_with_classic_members_stays_classic_by_default(policy: MigrationPolicy) -> None:
    world, joined = classic_world(policy)
    found = world.enter("new", "t")
    assert found.code is ErrorCode.GROUP_ID_NOT_FOUND
    assert found.message == f"Group {GROUP} is not a consumer group."
    assert world.heartbeat(joined) is NONE


def test_an_empty_classic_group_becomes_a_consumer_group_under_any_policy() -> None:
    world, joined = classic_world(MigrationPolicy.DISABLED)
    ticket = Deferred()
    world.run(world.shard.leave(GROUP, [Leaving(joined.member_id)], ticket, world.now))
    world.pass_time(1)
    assert world.enter("new", "t").code is NONE
    world.start()
    assert GROUP not in world.shard.groups
    assert world.consumer_group.members.keys() == {"new"}


def test_members_of_both_protocols_share_a_group() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    new = world.entered("new", "t")
    assert new.owned == set(), "the classic member has all"
    assert GROUP not in world.shard.groups
    assert world.heartbeat(joined) is REBALANCE
    again = world.join(joined.member_id, rebalance_timeout=30_000)
    assert (again.code, again.leader, again.protocol) == (NONE, "", "range")
    assert len(partitions(world, again)) == 2
    assert world.heartbeat(again) is NONE
    new.beat()
    assert len(new.owned) == 2
    world.start()
    assert world.heartbeat(again) is NONE
    new.beat()
    assert new.code is NONE


def test_who_waits_in_the_classic_group_is_told_to_join_again() -> None:
    world, _ = classic_world(MigrationPolicy.UPGRADE)
    waiting = world.ask_join(known_id=False, client_id="late", rebalance_timeout=30_000)
    assert not waiting.done
    assert world.enter("new", "t").code is NONE
    assert isinstance(waiting.answer, Joined)
    assert waiting.answer.code is REBALANCE


def test_the_last_consumer_of_the_new_protocol_leaves_a_classic_group() -> None:
    world, joined = classic_world(BOTH)
    world.entered("new", "t")
    again = world.join(joined.member_id, rebalance_timeout=30_000)
    assert len(partitions(world, again)) == 2
    assert world.beat("new", -1).code is NONE
    assert GROUP not in world.consumers
    assert world.group.state is GroupState.PREPARING
    assert world.group.generation == 3
    assert world.heartbeat(Joined(NONE, again.member_id, world.group.generation)) is REBALANCE
    last = world.join(again.member_id, rebalance_timeout=30_000)
    assert (last.code, last.leader) == (NONE, last.member_id)
    world.start()
    assert world.group.members.keys() == {joined.member_id}


def test_a_consumer_that_is_not_heard_of_leaves_a_classic_group_too() -> None:
    world, joined = classic_world(BOTH)
    world.entered("new", "t")
    again = world.join(joined.member_id, rebalance_timeout=30_000)
    partitions(world, again)
    for _ in range(SESSION // 5_000):
        world.heartbeat(again)
        world.pass_time(5_000)
    assert GROUP not in world.consumers
    assert world.group.members.keys() == {joined.member_id}


def test_a_static_consumer_that_is_back_with_the_old_protocol_brings_the_group_back() -> None:
    world = ConsumerWorld({"t": 4}, policy=BOTH)
    world.entered("new", "t", instance_id="one")
    world.beat("new", -2, instance_id="one")
    joined = world.join(instance_id="one", rebalance_timeout=30_000)
    assert joined.code is NONE
    assert GROUP not in world.consumers
    assert world.group.static_members == {"one": joined.member_id}


def test_without_downgrade_classic_members_stay_in_the_consumer_group() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    world.entered("new", "t")
    again = world.join(joined.member_id, rebalance_timeout=30_000)
    partitions(world, again)
    world.beat("new", -1)
    assert world.heartbeat(again) is REBALANCE
    last = world.join(again.member_id, rebalance_timeout=30_000)
    assert partitions(world, last) == [0, 1, 2, 3]


def test_a_classic_member_that_does_not_join_again_is_out() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    new = world.entered("new", "t")
    for _ in range(8):
        world.heartbeat(joined)
        new.beat()
        world.pass_time(5_000)
    assert world.heartbeat(joined) is ErrorCode.UNKNOWN_MEMBER_ID
    new.beat()
    assert len(new.owned) == 4


def test_a_classic_member_that_does_not_sync_is_out() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    world.entered("new", "t")
    again = world.join(joined.member_id, rebalance_timeout=8_000)
    world.pass_time(8_000)
    assert world.heartbeat(again) is ErrorCode.UNKNOWN_MEMBER_ID


def test_classic_members_leave_a_consumer_group() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    new = world.entered("new", "t")
    ticket = Deferred()
    leaving = [Leaving(joined.member_id), Leaving("new"), Leaving("nobody")]
    world.run(world.shard.leave(GROUP, leaving, ticket, world.now))
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    assert ticket.answer == [NONE, unknown, unknown]
    new.beat()
    assert len(new.owned) == 4


def test_new_classic_members_come_to_a_consumer_group() -> None:
    world = ConsumerWorld({"t": 4}, policy=MigrationPolicy.UPGRADE)
    new = world.entered("new", "t")
    asked = world.join(known_id=True)
    assert asked.code is ErrorCode.MEMBER_ID_REQUIRED
    joined = world.join(asked.member_id)
    assert joined.code is NONE
    assert world.join(protocol_type="connect").code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    new.beat()
    new.beat()
    again = world.join(joined.member_id)
    assert len(partitions(world, again)) == len(new.owned) == 2


def test_an_upgrade_that_cannot_be_written_changes_nothing() -> None:
    world, joined = classic_world(MigrationPolicy.UPGRADE)
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    assert world.enter("new", "t").code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.fail = NONE
    assert GROUP not in world.consumers
    assert world.heartbeat(joined) is NONE
