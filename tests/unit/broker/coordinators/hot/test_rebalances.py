"""Members of a rebalance straight from their bytes: answers, and all that is left behind, are those
of the ordinary code."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from pykafka_ops.broker.handlers.join_group_shape import JoinShape
from pykafka_ops.broker.handlers.sync_group_shape import SyncShape
from tests.support.memory.group_twins import Hall, check_both, gathered, join_frame, rebalanced

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
