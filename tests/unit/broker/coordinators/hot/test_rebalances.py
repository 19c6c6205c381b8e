"""Members of a rebalance straight from their bytes: answers, and all that is left behind, are those
of the ordinary code."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import Any

import pytest

from pykafka_ops.broker.handlers.join_group_shape import JoinShape
from pykafka_ops.broker.handlers.sync_group_shape import SyncShape
from tests.support.memory.group_twins import (
    Hall,
    check_both,
    gathered,
    join_frame,
    joined,
    rebalanced,
    sync_frame,
)

SEEDS = 40


@pytest.mark.parametrize("seed", range(SEEDS))
def test_members_end_as_without_the_path(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    straight = Hall(loop, monkeypatch)
    check_both(random.Random(seed), straight, Hall(loop, monkeypatch, careful=True))


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who was not served straight, of those that had been read before."""
    found: list[str] = []
    for kind in (JoinShape, SyncShape):

        def noted(shape: Any, *arguments: Any, method: Any = kind.ordinary) -> object:
            found.append(f"{type(shape).__name__} {shape._asked.member_id}")
            return method(shape, *arguments)

        monkeypatch.setattr(kind, "ordinary", noted)
    return found


@pytest.mark.parametrize("leader_last", [False, True])
def test_only_who_decides_something_is_left_to_the_ordinary_code(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    ordinary: list[str],
    leader_last: bool,
) -> None:
    hall = Hall(loop, monkeypatch)
    members = gathered(hall, 5)
    rebalanced(hall, members, leader_last=leader_last)
    for _ in range(3):
        ordinary.clear()
        begun = rebalanced(hall, members, leader_last=leader_last)
        leader, last = begun[0].id, begun[-1].id
        # who begins the rebalance, who completes it, and who is the last to sync but the leader
        syncs = [] if leader_last else [f"SyncShape {last}"]
        assert ordinary == [f"JoinShape {leader}", f"JoinShape {last}", *syncs]
        assert {member.assignment for member in hall.members} == {b"of " + leader.encode()}


def test_who_hangs_up_while_it_waits_is_not_waited_for_by_its_connection(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(loop, monkeypatch)
    members = gathered(hall, 3)
    rebalanced(hall, members)
    first, second, third = members
    for member in (first, second):
        hall.send(member.name, join_frame(member))
    hall.lose(second.name)
    hall.send(third.name, join_frame(third))
    assert sorted(hall.said()) == [first.name, third.name]


def test_what_a_member_supports_is_what_it_said_last_on_whatever_connection(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []
    for careful in (False, True):
        hall = Hall(loop, monkeypatch, careful=careful)
        leader, second, third = rebalanced(hall, rebalanced(hall, gathered(hall, 3)))
        elsewhere = replace(second, name="elsewhere", assignor="a")
        rebalanced(hall, [leader, elsewhere, third])
        names = [name for member in hall.members for name, _ in member.protocols]
        assert "a" in names
        for member in (leader, second):
            hall.send(member.name, join_frame(member))
        assert hall.said() == {}  # the third is waited for
        left.append(hall.state)
        names = [name for member in hall.members for name, _ in member.protocols]
        assert "a" not in names
    assert left[0] == left[1]


def test_of_two_syncs_of_a_member_the_first_is_sent_away_and_the_second_waits(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []
    for careful in (False, True):
        hall = Hall(loop, monkeypatch, careful=careful)
        leader, second, third = rebalanced(hall, rebalanced(hall, gathered(hall, 3)))
        elsewhere = replace(second, name="elsewhere")
        for members in ([leader, elsewhere, third], [leader, second, third]):
            rebalanced(hall, members)
        joined(hall, [leader, second, third])
        elsewhere.generation = second.generation
        hall.send(second.name, sync_frame(second))
        assert hall.said() == {}
        hall.send(elsewhere.name, sync_frame(elsewhere))
        heard.append((hall.said(), hall.state))
    assert heard[0] == heard[1]
    assert list(heard[0][0]) == [second.name]
