"""Committed offsets: who may commit, what transactions hold back, what expires, what is deleted."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import Leaving
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata, OffsetRecord, decode_entry
from pykafka_ops.broker.state.outcome import TxnProducer
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.group_world import GROUP, World

NONE = ErrorCode.NONE
T0, T1, U0 = ("t", 0), ("t", 1), ("u", 0)
MINUTE = 60_000
WRITER = TxnProducer(7, 0)


def kept(**settings: int) -> World:
    """Offsets are kept ten minutes and looked at every minute."""
    return World(retention_ms=10 * MINUTE, retention_check_ms=MINUTE, **settings)


def delete_groups(world: World, *names: str) -> Any:
    ticket = Deferred()
    world.run(world.shard.delete_groups(names, ticket, world.now))
    return ticket.answer


def delete_offsets(world: World, *places: tuple[str, int], group: str = GROUP) -> Any:
    ticket = Deferred()
    world.run(world.shard.delete_offsets(group, places, ticket, world.now))
    return ticket.answer


# -- committing ------------------------------------------------------------------------------------


def test_a_group_may_only_store_offsets_and_survives_a_restart() -> None:
    world = World()
    assert world.commit({T0: 5, T1: 6}) is NONE
    assert world.commit({T0: 3}) is NONE
    world.start()
    assert world.committed() == {T0: 3, T1: 6}
    assert world.group.protocol_type is None


@pytest.mark.parametrize(
    ("who", "code"),
    [
        (("", None, -1), ErrorCode.UNKNOWN_MEMBER_ID),
        (("m", None, 1), ErrorCode.UNKNOWN_MEMBER_ID),
        (("me", None, 2), ErrorCode.ILLEGAL_GENERATION),
        (("me", None, -1), ErrorCode.ILLEGAL_GENERATION),
        (("me", "i", 1), ErrorCode.UNKNOWN_MEMBER_ID),
        (("me", None, 1), NONE),
    ],
)
def test_only_members_of_the_generation_commit(
    who: tuple[str, str | None, int], code: ErrorCode
) -> None:
    world = World()
    (member,) = world.stable()
    me, instance, generation = who
    who = (member.member_id if me == "me" else me, instance, generation)
    assert world.commit({T0: 1}, who) is code
    assert world.committed() == ({T0: 1} if code is NONE else {})


def test_a_generation_of_a_group_nobody_knows_is_refused() -> None:
    assert World().commit({T0: 1}, ("", None, 0)) is ErrorCode.ILLEGAL_GENERATION


def test_nobody_commits_between_joining_and_assignment() -> None:
    world = World()
    joined = world.join()
    who = (joined.member_id, None, joined.generation)
    assert world.commit({T0: 1}, who) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_commit_that_could_not_be_written_changes_nothing() -> None:
    world = World()
    world.commit({T0: 1})
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    assert world.commit({T0: 2}) is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.committed() == {T0: 1}
    assert not world.shard.offsets[GROUP].unstable(T0)


def test_a_commit_under_way_is_unstable() -> None:
    world = World()
    world.hold = True
    ticket = world.ask_commit({T0: 1})
    assert world.shard.offsets[GROUP].unstable(T0)
    assert not world.shard.offsets[GROUP].unstable(T1)
    world.release()
    assert ticket.answer is NONE
    assert not world.shard.offsets[GROUP].unstable(T0)


def test_odd_names_and_metadata_come_back_from_the_log() -> None:
    world = World()
    value = OffsetAndMetadata(9, 4, "mät😀", 123, 456)
    for record in (
        OffsetRecord("grüppe", "t", 7, value),
        OffsetRecord("", "t", 7, value._replace(expires=-1)),
        OffsetRecord("g", "t", 7, None),
    ):
        expected = record
        if record.value is not None and record.value.expires != -1:
            expected = record._replace(value=record.value._replace(leader_epoch=-1))
        assert decode_entry(*world.shard.encode(record)) == expected


# -- transactions ----------------------------------------------------------------------------------


def test_offsets_of_a_transaction_count_when_it_commits() -> None:
    world = World()
    world.commit({T0: 1})
    assert world.commit({T0: 5, T1: 5}, producer=WRITER) is NONE
    assert world.committed() == {T0: 1}
    assert world.shard.offsets[GROUP].unstable(T0)
    world.shard.apply_marker(7, 10, committed=True)
    assert world.committed() == {T0: 5, T1: 5}
    assert not world.shard.offsets[GROUP].unstable(T0)


def test_offsets_of_an_aborted_transaction_never_count() -> None:
    world = World()
    world.commit({T0: 1})
    world.commit({T0: 5}, producer=WRITER)
    world.shard.apply_marker(7, 10, committed=False)
    world.shard.apply_marker(7, 11, committed=True)
    assert world.committed() == {T0: 1}


def test_a_younger_commit_outside_wins_over_a_transaction_that_ends_later() -> None:
    world = World()
    world.commit({T0: 5, T1: 5}, producer=WRITER)
    world.commit({T0: 9})
    world.shard.apply_marker(7, 10, committed=True)
    assert world.committed() == {T0: 9, T1: 5}


def test_an_open_transaction_is_still_open_after_a_restart() -> None:
    world = World()
    world.commit({T0: 5}, producer=WRITER)
    world.start()
    assert world.committed() == {}
    assert world.shard.offsets[GROUP].unstable(T0)
    world.shard.apply_marker(7, 10, committed=True)
    assert world.committed() == {T0: 5}


def test_transactions_of_a_group_with_members_are_fenced_only_if_they_name_one() -> None:
    world = World()
    (member,) = world.stable()
    assert world.commit({T0: 1}, producer=WRITER) is NONE
    me = member.member_id
    stale = (me, None, member.generation - 1)
    assert world.commit({T0: 1}, stale, producer=WRITER) is ErrorCode.ILLEGAL_GENERATION
    assert world.commit({T0: 1}, (me, None, member.generation), producer=WRITER) is NONE


# -- expiry ----------------------------------------------------------------------------------------


def test_offsets_of_a_group_without_members_ever_expire_from_their_commit() -> None:
    world = kept()
    world.commit({T0: 1})
    world.pass_time(5 * MINUTE)
    world.commit({T1: 1})
    world.pass_time(6 * MINUTE)
    assert world.committed() == {T1: 1}
    world.pass_time(5 * MINUTE)
    assert GROUP not in world.shard.groups
    world.start()
    assert world.committed() == {}
    assert GROUP not in world.shard.groups


def test_offsets_of_an_empty_group_expire_from_when_it_became_empty() -> None:
    world = kept()
    (member,) = world.stable(session_timeout=30 * MINUTE)
    world.commit({T0: 1}, (member.member_id, None, 1))
    world.pass_time(20 * MINUTE)
    world.leave(Leaving(member.member_id))
    world.pass_time(9 * MINUTE)
    assert world.committed() == {T0: 1}
    world.pass_time(2 * MINUTE)
    assert GROUP not in world.shard.groups
    world.start()
    assert GROUP not in world.shard.groups


def test_a_group_with_members_loses_only_what_nobody_subscribes_to() -> None:
    world = kept()
    (member,) = world.stable(session_timeout=30 * MINUTE)
    world.commit({T0: 1, U0: 1}, (member.member_id, None, 1))
    world.pass_time(12 * MINUTE)
    assert world.committed() == {T0: 1}


def test_an_expiry_of_its_own_counts_alone() -> None:
    world = kept()
    world.ask_commit({T0: 1}, expires=world.now.time + 30 * MINUTE)
    world.pass_time(29 * MINUTE)
    assert world.committed() == {T0: 1}
    world.pass_time(2 * MINUTE)
    assert world.committed() == {}


def test_groups_that_never_stored_anything_end_too() -> None:
    world = kept()
    (member,) = world.stable()
    world.leave(Leaving(member.member_id))
    world.pass_time(MINUTE)
    assert GROUP not in world.shard.groups
    world.start()
    assert GROUP not in world.shard.groups


# -- deleting --------------------------------------------------------------------------------------


def test_groups_without_members_can_be_deleted() -> None:
    world = World()
    (member,) = world.stable()
    world.commit({T0: 1}, (member.member_id, None, 1))
    world.commit({T0: 1}, group="h")
    asked = delete_groups(world, GROUP, "h", "nobody")
    assert asked == {
        GROUP: ErrorCode.NON_EMPTY_GROUP,
        "h": NONE,
        "nobody": ErrorCode.GROUP_ID_NOT_FOUND,
    }
    world.leave(Leaving(member.member_id))
    assert delete_groups(world, GROUP) == {GROUP: NONE}
    assert world.shard.groups == {}
    world.start()
    assert world.shard.groups == {}
    assert world.committed() == {}


def test_a_deletion_that_could_not_be_written_leaves_the_group() -> None:
    world = World()
    world.commit({T0: 1})
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    assert delete_groups(world, GROUP) == {GROUP: ErrorCode.COORDINATOR_NOT_AVAILABLE}
    world.fail = NONE
    assert world.commit({T1: 2}) is NONE
    assert world.committed() == {T0: 1, T1: 2}


def test_a_commit_under_way_goes_with_its_group() -> None:
    world = World()
    world.commit({T0: 1})
    world.hold = True
    world.ask_commit({T1: 1})
    ticket = Deferred()
    world.run(world.shard.delete_groups([GROUP], ticket, world.now))
    assert world.ask_commit({T0: 2}).answer is ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.release()
    assert ticket.answer == {GROUP: NONE}
    world.start()
    assert world.committed() == {}


def test_offsets_nobody_reads_can_be_deleted() -> None:
    world = World()
    (member,) = world.stable()
    world.commit({T0: 1, U0: 1}, (member.member_id, None, 1))
    subscribed = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    assert delete_offsets(world, T0, U0) == {T0: subscribed, U0: NONE}
    assert world.committed() == {T0: 1}
    world.leave(Leaving(member.member_id))
    assert delete_offsets(world, T0) == {T0: NONE}
    assert delete_offsets(world, T0) is ErrorCode.GROUP_ID_NOT_FOUND


def test_offsets_of_topics_that_are_gone_go_too() -> None:
    world = World()
    world.commit({T0: 1, U0: 1})
    world.commit({T1: 1}, producer=WRITER)
    world.run(world.shard.topics_deleted({"t"}))
    world.shard.apply_marker(7, 10, committed=True)
    assert world.committed() == {U0: 1}
    world.run(world.shard.topics_deleted({"u"}))
    assert world.shard.groups == {}
