"""ConsumerGroupHeartbeat: joining, epochs, static members, time, expressions, offsets."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.consumer.answers import Beat
from pykafka_ops.broker.state.groups.consumer.checks import check_request
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroupState
from pykafka_ops.broker.state.groups.consumer.member import MemberState
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.consumer_world import REBALANCE, SESSION, ConsumerWorld, topic_id
from tests.support.memory.group_world import GROUP

NONE, UNKNOWN = ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID
FENCED = ErrorCode.FENCED_MEMBER_EPOCH
T = topic_id("t")


@pytest.fixture
def world() -> ConsumerWorld:
    return ConsumerWorld({"t": 4, "u": 2})


def test_the_first_member_gets_all_in_epoch_two(world: ConsumerWorld) -> None:
    found = world.enter("m", "t")
    assert (found.code, found.epoch, found.interval) == (NONE, 2, 5_000)
    assert found.assignment == {T: frozenset(range(4))}
    assert world.consumer_group.state is ConsumerGroupState.STABLE


def test_partitions_go_over_only_when_they_were_given_up(world: ConsumerWorld) -> None:
    first, second = world.entered("a", "t"), world.entered("b", "t")
    assert second.owned == set()
    assert world.consumer_group.members["b"].state is MemberState.UNRELEASED_PARTITIONS
    revoke = world.beat("a", first.epoch, owned={T: [0, 1, 2, 3]})
    assert revoke.epoch == 2
    assert revoke.assignment is not None
    assert len(revoke.assignment[T]) == 2
    second.beat()
    assert second.owned == set(), "the other one still has them"
    first.owned = {(T, index) for index in revoke.assignment[T]}
    first.beat()
    second.beat()
    assert len(first.owned) == len(second.owned) == 2
    assert world.consumer_group.state is ConsumerGroupState.STABLE


def test_a_heartbeat_without_news_has_no_assignment(world: ConsumerWorld) -> None:
    client = world.entered("a", "t")
    records = len(world.log)
    found = world.beat("a", client.epoch)
    assert (found.code, found.assignment) == (NONE, None)
    assert len(world.log) == records


def test_a_member_with_another_epoch_is_fenced(world: ConsumerWorld) -> None:
    client = world.entered("a", "t")
    later = world.beat("a", client.epoch + 1)
    assert (later.code, later.message) == (
        FENCED,
        "The consumer group member has a greater member epoch (3) than the one known by the group "
        "coordinator (2). The member must abandon all its partitions and rejoin.",
    )
    assert world.beat("a", 1, owned={}).code is FENCED
    world.grow("t", 6)
    assert world.beat("a", 2, owned={T: [0]}).epoch == 3
    assert world.beat("a", 2, owned={T: [0]}).code is NONE, "its answer was lost"
    assert world.beat("a", 2).code is FENCED
    assert world.beat("x", 2).code is UNKNOWN


def test_who_says_nothing_is_out_after_the_session(world: ConsumerWorld) -> None:
    world.entered("a", "t")
    world.pass_time(SESSION - 1)
    assert world.beat("a", 2).code is NONE
    world.pass_time(SESSION - 1)
    assert "a" in world.consumer_group.members
    world.pass_time(1)
    assert world.consumer_group.state is ConsumerGroupState.EMPTY
    assert world.consumer_group.epoch == 3


def test_who_does_not_give_up_in_time_is_out(world: ConsumerWorld) -> None:
    world.entered("a", "t")
    second = world.entered("b", "t")
    assert world.beat("a", 2, owned={T: [0, 1, 2, 3]}).code is NONE
    for _ in range(REBALANCE // 20_000):
        assert world.beat("a", 2).code is NONE
        second.beat()
        world.pass_time(20_000)
    assert world.beat("a", 2).code is UNKNOWN
    second.beat()
    assert len(second.owned) == 4


def test_after_a_crash_the_clock_begins_again(world: ConsumerWorld) -> None:
    world.entered("a", "t")
    world.pass_time(SESSION - 1)
    world.start()
    assert world.beat("a", 2).code is NONE
    world.start()
    world.pass_time(SESSION)
    assert not world.consumer_group.members


def test_a_static_member_is_back_with_what_it_had(world: ConsumerWorld) -> None:
    world.entered("a", "t", instance_id="one")
    world.entered("x", "t")
    taken = world.enter("b", "t", instance_id="one")
    assert taken.code is ErrorCode.UNRELEASED_INSTANCE_ID
    had = world.consumer_group.targets["a"]
    assert world.beat("a", -2, instance_id="one").epoch == -2
    epoch = world.consumer_group.epoch
    back = world.enter("b", "t", instance_id="one")
    assert (back.code, world.consumer_group.epoch) == (NONE, epoch)
    assert world.consumer_group.targets["b"] == had
    assert world.beat("a", 2, instance_id="one").code is ErrorCode.FENCED_INSTANCE_ID
    assert world.beat("a", -1, instance_id="other").code is UNKNOWN


def test_an_expression_is_resolved_and_follows_topics(world: ConsumerWorld) -> None:
    found = world.enter("a", regex="t.*")
    assert found.assignment == {}
    world.pass_time(10)
    assert world.consumer_group.resolved["t.*"].topics == {"t"}
    assert world.beat("a", found.epoch).assignment == {T: frozenset(range(4))}
    world.grow("tt", 1)
    world.pass_time(10_001)
    world.beat("a", world.consumer_group.epoch)
    world.pass_time(10)
    grown = world.beat("a", world.consumer_group.epoch - 1, owned={T: [0, 1, 2, 3]})
    assert grown.assignment is not None
    assert grown.assignment.keys() == {T, topic_id("tt")}
    assert world.beat("a", -1).code is NONE
    assert not world.consumer_group.resolved


def test_an_expression_that_is_none_is_refused(world: ConsumerWorld) -> None:
    found = world.enter("a", regex="t(")
    assert found.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert found.message == (
        "SubscribedTopicRegex `t(` is not a valid regular expression: missing closing )."
    )


def test_an_expression_matches_only_topics_that_the_client_may_see(world: ConsumerWorld) -> None:
    world.enter("a", regex=".*", sees=lambda name: name == "u")
    world.pass_time(10)
    assert world.consumer_group.resolved[".*"].topics == {"u"}


def test_a_full_group_takes_nobody() -> None:
    world = ConsumerWorld({"t": 1}, max_size=1)
    world.entered("a", "t")
    found = world.enter("b", "t")
    assert (found.code, found.message) == (
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        "The consumer group has reached its maximum capacity of 1 members.",
    )
    assert world.beat("a", 2).code is NONE


@pytest.mark.parametrize(
    ("beat", "version", "text"),
    [
        (Beat("g", "", 0), 1, "MemberId can't be empty."),
        (Beat("g", "", 1), 0, "MemberId can't be empty."),
        (Beat("", "m", 1), 1, "GroupId can't be empty."),
        (Beat("g", "m", 1, instance_id=""), 1, "InstanceId can't be empty."),
        (Beat("g", "m", 1, rack_id=" "), 1, "RackId can't be empty."),
        (Beat("g", "", 0), 0, "RebalanceTimeoutMs must be provided in first request."),
        (
            Beat("g", "m", 0, rebalance_timeout=1, owned={T: [0]}),
            1,
            "TopicPartitions must be empty when (re-)joining.",
        ),
        (
            Beat("g", "m", 0, rebalance_timeout=1, owned={}),
            1,
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
            "(re-)joining.",
        ),
        (Beat("g", "m", -2), 1, "InstanceId can't be null."),
        (Beat("g", "m", -3), 1, "MemberEpoch is invalid."),
    ],
)
def test_what_makes_no_sense_is_refused(beat: Beat, version: int, text: str) -> None:
    with pytest.raises(KafkaError) as error:
        check_request(beat, version, ConsumerSettings())
    assert (error.value.code, error.value.message) == (ErrorCode.INVALID_REQUEST, text)


def test_an_unknown_assignor_is_refused() -> None:
    with pytest.raises(KafkaError) as error:
        check_request(Beat("g", "m", 1, assignor="x"), 1, ConsumerSettings())
    assert error.value.message == (
        "ServerAssignor x is not supported. Supported assignors: uniform, range."
    )


def commit(world: ConsumerWorld, who: tuple[str, str | None, int], index: int = 0) -> object:
    ticket = Deferred()
    commits = [(("t", index), OffsetAndMetadata(7))]
    world.run(world.shard.commit(GROUP, who, commits, ticket, world.now))
    return ticket.answer


def test_members_commit_in_their_epoch_or_what_they_had_before(world: ConsumerWorld) -> None:
    first = world.entered("a", "t")
    assert commit(world, ("a", None, 2)) is NONE
    assert commit(world, ("a", None, 3)) is ErrorCode.STALE_MEMBER_EPOCH
    assert commit(world, ("x", None, 2)) is UNKNOWN
    assert commit(world, ("", None, -1)) is UNKNOWN
    world.grow("t", 5)
    first.beat()
    assert first.epoch == 3
    assert commit(world, ("a", None, 2)) is NONE
    assert commit(world, ("a", None, 2), 4) is ErrorCode.STALE_MEMBER_EPOCH
    world.beat("a", -1)
    assert commit(world, ("", None, -1)) is NONE


def test_requests_wait_until_what_was_decided_before_is_written(world: ConsumerWorld) -> None:
    world.hold = True
    first = world.ask_beat("a", 0, names=["t"], rebalance_timeout=REBALANCE, owned={})
    second = world.ask_beat("b", 0, names=["t"], rebalance_timeout=REBALANCE, owned={})
    assert not first.done
    assert not second.done
    world.release()
    assert first.done
    assert second.done
    assert world.consumer_group.epoch == 3


def test_what_cannot_be_written_is_refused_and_forgotten(world: ConsumerWorld) -> None:
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    assert world.enter("a", "t").code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert GROUP not in world.consumers
    world.fail = NONE
    assert world.enter("a", "t").code is NONE


def test_a_member_that_could_not_be_taken_out_is_taken_out_later(world: ConsumerWorld) -> None:
    world.entered("a", "t")
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    world.pass_time(SESSION + 100)
    assert "a" in world.consumer_group.members
    world.fail = NONE
    world.pass_time(500)
    assert not world.consumer_group.members


def test_a_group_without_members_is_deleted_with_its_offsets(world: ConsumerWorld) -> None:
    world.entered("a", "t")
    assert commit(world, ("a", None, 2)) is NONE

    def delete() -> object:
        ticket = Deferred()
        world.run(world.shard.delete_groups([GROUP, "other"], ticket, world.now))
        return ticket.answer

    assert delete() == {
        GROUP: ErrorCode.NON_EMPTY_GROUP,
        "other": ErrorCode.GROUP_ID_NOT_FOUND,
    }
    world.beat("a", -1)
    assert delete() == {GROUP: NONE, "other": ErrorCode.GROUP_ID_NOT_FOUND}
    world.start()
    assert (world.consumers, world.shard.offsets, world.shard.groups) == ({}, {}, {})
