"""What groups hold is counted, refused where there is no memory, and given back."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.state.groups.answers import Leaving
from pykafka_ops.broker.state.groups.offsets import OFFSET_BYTES
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.group_world import World, answer

FULL = ErrorCode.GROUP_MAX_SIZE_REACHED
LARGE = (("range", bytes(100_000)),)
SMALL = (("range", b""),)


def crowded(limit: int = 1_000_000) -> World:
    world = World()
    world.memory.limit = limit
    return world


def attack(world: World, count: int, **of: Any) -> list[ErrorCode]:
    tickets = [world.ask_join(protocols=LARGE, **of) for _ in range(count)]
    return [answer(t).code for t in tickets if t.done]


def test_a_group_that_takes_all_memory_is_refused_and_others_go_on() -> None:
    world = crowded()
    refused = attack(world, 20)
    assert refused == [FULL] * 15
    assert world.memory.held < 510_000
    assert not world.ask_join(group="another", protocols=SMALL).done
    assert not world.ask_join(group="third", protocols=LARGE).done


def test_many_groups_are_refused_too_once_memory_is_full() -> None:
    world = crowded()
    for number in range(100):
        attack(world, 1, group=f"g{number}")
    assert world.memory.held < 1_000_000
    assert len(world.shard.groups) < 10
    assert not world.ask_join(group="small", protocols=SMALL).done


def test_ids_that_were_given_out_count_until_they_are_used_or_expire() -> None:
    world = crowded()
    codes = [
        world.join(known_id=True, client_id="c" * 30_000, protocols=SMALL).code for _ in range(40)
    ]
    assert codes.count(ErrorCode.MEMBER_ID_REQUIRED) < 20
    assert codes[-1] is FULL
    world.pass_time(10_001)
    assert world.memory.held < 2000
    assert world.join(known_id=True, protocols=SMALL).code is ErrorCode.MEMBER_ID_REQUIRED


def test_members_that_are_gone_give_their_memory_back() -> None:
    world = World()
    before = world.memory.held
    first, second = world.stable(2, protocols=LARGE)
    assert world.memory.held > 200_000
    world.leave(Leaving(first.member_id))
    assert 100_000 < world.memory.held < 200_000
    world.pass_time(60_000)
    assert world.heartbeat(second) is not ErrorCode.NONE
    assert world.memory.held < before + 2000


def test_a_member_joins_again_with_what_it_holds_however_full_memory_is() -> None:
    world = World()
    (member,) = world.stable(1, protocols=LARGE)
    world.memory.limit = world.memory.held
    assert world.join(member.member_id, protocols=LARGE).code is ErrorCode.NONE
    larger = (("range", bytes(200_000)),)
    assert world.join(member.member_id, protocols=larger).code is FULL
    assert world.group.members[member.member_id].protocols == LARGE


def test_assignments_without_memory_are_refused_as_ones_too_large_to_be_stored() -> None:
    world = World()
    joined = world.join()
    world.memory.limit = 2 * world.memory.held + 1000
    synced = world.sync(joined, {joined.member_id: bytes(5000)})
    assert synced.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert world.log == []
    again = world.join(joined.member_id)
    assert world.sync(again, {again.member_id: b"less"}).assignment == b"less"


def test_offsets_count_by_place_and_are_refused_without_memory() -> None:
    world = crowded(20 * OFFSET_BYTES)
    assert world.commit({("t", n): 1 for n in range(5)}) is ErrorCode.NONE
    held = world.memory.held
    assert world.commit({("t", n): 2 for n in range(5)}) is ErrorCode.NONE
    assert world.memory.held == held
    refused = world.commit({("t", n): 3 for n in range(30)}, group="other")
    assert refused is ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    assert "other" not in world.shard.groups
    assert world.commit({("t", 0): 3}) is ErrorCode.NONE


def test_what_is_loaded_counts_and_what_is_unloaded_does_not() -> None:
    world = World()
    world.stable(2, protocols=LARGE)
    world.commit({("t", 0): 1}, group="another")
    held = world.memory.held
    unloaded, shard = world.memory, world.shard
    world.start()
    assert abs(world.memory.held - held) < 1000
    shard.unloaded()
    assert unloaded.held == 0
