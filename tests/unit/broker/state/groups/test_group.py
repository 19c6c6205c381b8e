"""Members come and go, and every generation has one leader and one set of assignments."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import Leaving
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.group_world import RANGE, World, answer, subscription

NONE = ErrorCode.NONE
REBALANCE = ErrorCode.REBALANCE_IN_PROGRESS
UNKNOWN = ErrorCode.UNKNOWN_MEMBER_ID
BOTH = (("range", subscription("t")), ("sticky", b"s"))


def test_the_first_member_leads_and_assigns() -> None:
    world = World()
    joined = world.join()
    assert (joined.code, joined.generation, joined.leader) == (NONE, 1, joined.member_id)
    assert joined.member_id == "c-id1"
    assert (joined.protocol_type, joined.protocol) == ("consumer", "range")
    assert [m.id for m in joined.members] == [joined.member_id]
    synced = world.sync(joined, {joined.member_id: b"all", "stranger": b"x"})
    assert (synced.code, synced.assignment) == (NONE, b"all")
    assert world.group.state is GroupState.STABLE
    assert world.heartbeat(joined) is NONE


def test_an_empty_group_waits_for_more_members_before_it_begins() -> None:
    world = World(initial_delay_ms=3000)
    first = world.ask_join()
    world.pass_time(2999)
    second = world.ask_join()
    world.pass_time(1)
    assert not first.done
    world.pass_time(2999)
    assert not first.done
    world.pass_time(1)
    assert {answer(first).generation, answer(second).generation} == {1}
    assert len(answer(first).members) == 2
    assert answer(second).members == ()


def test_the_first_wait_ends_with_the_rebalance_timeout() -> None:
    world = World(initial_delay_ms=3000)
    first = world.ask_join(rebalance_timeout=5000)
    for _ in range(4):
        world.pass_time(1200)
        assert not first.done
        world.ask_join(rebalance_timeout=5000)
    world.pass_time(200)
    assert len(answer(first).members) == 5


def test_a_new_member_makes_the_others_join_again() -> None:
    world = World()
    (first,) = world.stable()
    second = world.ask_join()
    assert not second.done
    assert world.heartbeat(first) is REBALANCE
    again = world.join(first.member_id)
    other = answer(second)
    assert (again.generation, other.generation) == (2, 2)
    assert again.leader == other.leader == first.member_id
    waiting = world.ask_sync(other)
    assert not waiting.done
    given = {first.member_id: b"1", other.member_id: b"2"}
    assert world.sync(again, given).assignment == b"1"
    assert waiting.answer.assignment == b"2"  # type: ignore[attr-defined]


def test_who_does_not_join_again_in_time_is_out() -> None:
    world = World()
    first, second = world.stable(2, session_timeout=60_000)
    third = world.ask_join(session_timeout=60_000)
    world.ask_join(second.member_id)
    world.pass_time(29_999)
    assert not third.done
    world.pass_time(1)
    found = answer(third)
    assert set(world.group.members) == {second.member_id, found.member_id}
    assert found.leader == second.member_id
    assert world.heartbeat(first) is UNKNOWN


def test_a_member_that_is_silent_is_out_and_the_others_are_told() -> None:
    world = World()
    first, second = world.stable(2)
    for _ in range(2):
        world.pass_time(6000)
        code = world.heartbeat(first)
    assert code is REBALANCE
    again = world.join(first.member_id)
    assert len(again.members) == 1
    assert world.heartbeat(second) is UNKNOWN


def test_heartbeats_and_commits_keep_a_session_alive() -> None:
    world = World()
    (member,) = world.stable()
    who = (member.member_id, None, member.generation)
    for n in range(10):
        world.pass_time(9999)
        if n % 2:
            assert world.heartbeat(member) is NONE
        else:
            assert world.commit({("t", 0): n}, who) is NONE
    world.pass_time(10_000)
    assert world.group.state is GroupState.EMPTY
    assert world.group.generation == 2


def test_members_that_join_and_never_sync_are_out() -> None:
    world = World()
    first, second = world.stable(2, session_timeout=100_000)
    third = world.ask_join(session_timeout=100_000)
    one = world.ask_join(first.member_id, session_timeout=100_000)
    world.ask_join(second.member_id, session_timeout=100_000)
    world.ask_sync(answer(third))
    world.ask_sync(answer(one), {})
    world.pass_time(30_000)
    assert set(world.group.members) == {first.member_id, answer(third).member_id}
    assert world.heartbeat(answer(one)) is REBALANCE


def test_a_new_member_that_waits_is_given_up_after_five_minutes() -> None:
    world = World()
    world.stable(session_timeout=1_000_000, rebalance_timeout=1_000_000)
    waiting = world.ask_join(rebalance_timeout=1_000_000)
    world.pass_time(299_999)
    assert not waiting.done
    world.pass_time(1)
    assert answer(waiting).code is UNKNOWN


def test_ids_are_given_first_and_expire_unused() -> None:
    world = World()
    given = world.join(known_id=True)
    assert given.code is ErrorCode.MEMBER_ID_REQUIRED
    joined = world.join(given.member_id, known_id=True)
    assert (joined.code, joined.member_id) == (NONE, given.member_id)
    world.sync(joined, {})
    unused = world.join(known_id=True)
    rebalancing = world.ask_join(joined.member_id, protocols=BOTH)
    assert not rebalancing.done
    world.pass_time(10_000)
    assert answer(rebalancing).generation == 2
    assert world.join(unused.member_id, known_id=True).code is UNKNOWN


def test_an_unused_id_can_leave() -> None:
    world = World()
    given = world.join(known_id=True)
    assert world.leave(Leaving(given.member_id), Leaving(given.member_id)) == [NONE, UNKNOWN]


def test_the_protocol_most_members_like_wins_among_those_all_support() -> None:
    world = World(initial_delay_ms=10)
    liked = [("a", "b", "c"), ("b", "c", "x"), ("c", "b"), ("b", "c")]
    tickets = [world.ask_join(protocols=tuple((n, b"") for n in names)) for names in liked]
    world.pass_time(20)
    world.pass_time(20)
    assert {answer(t).protocol for t in tickets} == {"b"}
    refused = world.join(protocols=(("x", b""),))
    assert refused.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert world.join(protocol_type="connect").code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(
    ("of", "code"),
    [
        ({"session_timeout": 5999}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"session_timeout": 1_800_001}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"protocols": ()}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_type": ""}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"member_id": "m"}, UNKNOWN),
    ],
)
def test_joins_that_are_refused(of: dict[str, Any], code: ErrorCode) -> None:
    assert World().join(**of).code is code


def test_a_full_group_takes_nobody_in() -> None:
    world = World(max_size=2)
    first, second = world.stable(2)
    assert world.join().code is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert world.heartbeat(first) is NONE
    assert world.ask_join(second.member_id, protocols=BOTH).done is False


def test_followers_that_join_again_unchanged_disturb_nobody() -> None:
    world = World()
    members = world.stable(2)
    (follower,) = (m for m in members if m.member_id != m.leader)
    again = world.join(follower.member_id)
    assert (again.generation, again.code) == (follower.generation, NONE)
    assert world.group.state.value == "Stable"
    assert not world.ask_join(follower.leader).done
    assert world.group.state.value == "PreparingRebalance"


def test_who_joins_twice_is_answered_on_both_connections() -> None:
    world = World()
    world.stable(2)
    member = next(iter(world.group.members))
    first = world.ask_join(member, protocols=BOTH)
    second = world.ask_join(member, protocols=BOTH)
    assert answer(first).code is REBALANCE
    assert not second.done


def test_syncs_are_cut_short_by_the_next_rebalance() -> None:
    world = World()
    members = world.stable(2)
    tickets = [world.ask_join(m.member_id, protocols=BOTH) for m in members]
    follower = next(answer(t) for t in tickets if answer(t).leader != answer(t).member_id)
    waiting = world.ask_sync(follower)
    world.ask_join()
    assert waiting.answer.code is REBALANCE  # type: ignore[attr-defined]


def test_leaving_ends_waiting_and_the_last_one_empties_the_group() -> None:
    world = World()
    first, second = world.stable(2)
    waiting = world.ask_join(second.member_id, protocols=BOTH)
    assert world.leave(Leaving(second.member_id), Leaving("nobody")) == [NONE, UNKNOWN]
    assert answer(waiting).code is UNKNOWN
    assert world.leave(Leaving(first.member_id)) == [NONE]
    assert (world.group.state, world.group.protocol) == (GroupState.EMPTY, None)
    assert world.leave(Leaving(first.member_id)) == [UNKNOWN]


# -- static members --------------------------------------------------------------------------------


def static(world: World, name: str = "i", **of: Any) -> Any:
    joined = world.join(instance_id=name, **of)
    world.sync(joined, {joined.member_id: b"mine"}, instance_id=name)
    return joined


def test_a_static_member_comes_back_without_a_rebalance() -> None:
    world = World()
    old = static(world)
    new = world.join(instance_id="i", may_skip=True)
    assert new.member_id == "i-id2" != old.member_id
    assert (new.generation, new.leader, new.skip_assignment) == (1, new.member_id, True)
    assert len(new.members) == 1
    assert world.group.state is GroupState.STABLE
    assert world.sync(new, instance_id="i").assignment == b"mine"
    assert world.heartbeat(old, "i") is ErrorCode.FENCED_INSTANCE_ID
    world.start()
    assert set(world.group.members) == {new.member_id}


def test_old_clients_that_come_back_are_not_told_that_they_lead() -> None:
    world = World()
    old = static(world)
    new = world.join(instance_id="i")
    assert (new.leader, new.members, new.skip_assignment) == (old.member_id, (), False)


def test_a_static_member_with_other_protocols_makes_the_group_rebalance() -> None:
    world = World()
    static(world, protocols=BOTH)
    other = world.join(instance_id="i", protocols=(("sticky", b"s"),))
    assert (other.code, other.generation, other.protocol) == (NONE, 2, "sticky")


def test_a_static_member_that_comes_back_fences_who_waits_under_its_name() -> None:
    world = World()
    static(world, "i")
    second = world.ask_join(instance_id="j")
    third = world.ask_join(instance_id="j")
    assert answer(second).code is ErrorCode.FENCED_INSTANCE_ID
    assert not third.done


def test_an_id_that_could_not_be_written_is_taken_back() -> None:
    world = World()
    old = static(world)
    world.fail = ErrorCode.NOT_ENOUGH_REPLICAS
    assert world.join(instance_id="i").code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.fail = NONE
    assert world.heartbeat(old, "i") is NONE


def test_a_static_member_leaves_by_name() -> None:
    world = World()
    static(world)
    who = [Leaving("", "i"), Leaving("", "i"), Leaving("", None)]
    assert world.leave(*who) == [NONE, UNKNOWN, UNKNOWN]
    assert world.group.state is GroupState.EMPTY


def test_a_static_member_that_does_not_rejoin_keeps_its_place_until_its_session_ends() -> None:
    world = World()
    static(world, session_timeout=60_000, rebalance_timeout=10_000)
    other = world.ask_join(rebalance_timeout=10_000)
    world.pass_time(10_000)
    assert len(answer(other).members) == 2


# -- failures and restarts -------------------------------------------------------------------------


def test_assignments_that_could_not_be_written_make_everybody_join_again() -> None:
    world = World()
    joined = world.join()
    world.fail = ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert world.sync(joined, {}).code is ErrorCode.NOT_COORDINATOR
    assert world.group.state is GroupState.PREPARING


def test_an_assignment_that_comes_too_late_is_nobodys() -> None:
    world = World()
    joined = world.join()
    world.hold = True
    waiting = world.ask_sync(joined, {joined.member_id: b"1"})
    world.ask_join()
    assert waiting.answer.code is REBALANCE  # type: ignore[attr-defined]
    world.release()
    assert world.group.state is GroupState.PREPARING
    assert world.group.members[joined.member_id].assignment == b""


def test_members_live_on_after_a_restart_and_silent_ones_are_out() -> None:
    world = World()
    first, second = world.stable(2)
    world.start()
    assert world.group.state is GroupState.STABLE
    assert world.group.leader == first.leader
    assert world.sync(second).assignment == second.member_id.encode()
    world.pass_time(9000)
    assert world.heartbeat(first) is NONE
    world.pass_time(1000)
    assert world.heartbeat(first) is REBALANCE


def test_an_overfull_group_rebalances_after_a_restart() -> None:
    world = World()
    world.stable(3)
    world.settings = world.settings._replace(max_size=2)
    world.start()
    assert world.group.state is GroupState.PREPARING


def test_everybody_who_waits_is_told_when_the_leader_moves() -> None:
    world = World()
    first, _ = world.stable(2)
    waiting = world.ask_join(first.member_id)
    said = dict(world.shard.unloaded())
    assert [type(ticket) for ticket in said] == [Deferred]
    assert said[waiting].code is ErrorCode.NOT_COORDINATOR  # type: ignore[attr-defined]


def test_metadata_that_is_no_subscription_leaves_the_topics_unknown() -> None:
    world = World()
    joined = world.join(protocols=(("range", b"\0"),))
    assert world.group.subscribed is None
    assert world.group.reads("anything")
    world.leave(Leaving(joined.member_id))
    assert world.join(protocols=RANGE).code is NONE
    assert world.group.subscribed == {"t"}
