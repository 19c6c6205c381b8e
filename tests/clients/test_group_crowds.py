"""Many groups, and many members in one: everybody is let in, told its share and kept."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.benchmarks.group_loads import Link, Member, meet
from tests.support.clients.base import Client

GROUPS = 2000
MEMBERS = 200
REBALANCE_IN_PROGRESS = 27


@pytest.fixture
def ready(broker: Any, reader: Client, topic: str) -> str:
    """The broker's address, once it coordinates groups."""
    reader.create_topic(topic)
    link = Link(broker.bootstrap)
    link.find_coordinator(topic)
    link.close()
    return str(broker.bootstrap)


def test_thousands_of_groups_live_side_by_side(ready: str, topic: str) -> None:
    link = Link(ready)
    crowd = [Member(ready, f"{topic}-{n}", link) for n in range(GROUPS)]
    for member in crowd:
        meet([member])
    assert {member.generation for member in crowd} == {1}
    assert all(member.members == [member.id] for member in crowd)
    assert {member.heartbeat() for member in crowd} == {0}
    assert len({member.id for member in crowd}) == GROUPS
    for member in crowd:
        member.leave()
    assert {member.heartbeat() for member in crowd} == {25}, "unknown members now"
    link.close()


def test_a_group_of_hundreds_rebalances_as_one(ready: str, topic: str) -> None:
    crowd = [Member(ready, topic) for _ in range(MEMBERS)]
    meet(crowd[:1])
    meet(crowd)
    crowd.pop().leave()
    said = [member.heartbeat() for member in crowd]
    assert set(said) == {REBALANCE_IN_PROGRESS}
    meet(crowd)
    (leader,) = (member for member in crowd if member.id == member.leader)
    assert sorted(leader.members) == sorted(member.id for member in crowd)
    assert len({member.generation for member in crowd}) == 1
    assert {member.assignment for member in crowd} == {member.id.encode() for member in crowd}
    assert {member.heartbeat() for member in crowd} == {0}
    for member in crowd:
        member.leave()
        member.link.close()
