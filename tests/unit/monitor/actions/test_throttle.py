"""Throttles of moves: what is set and taken away, and what others have set stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, ConfigResource
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.monitor.actions import throttle, words
from pykafka_ops.monitor.actions.plan import ActionPlan, Ground
from pykafka_ops.monitor.actions.throttle import THROTTLE, UNTHROTTLE
from pykafka_ops.wire.codes import ErrorCode

LEADER, FOLLOWER = "leader.replication.throttled", "follower.replication.throttled"
Held = dict[tuple[int, str], dict[str, str]]


class FakeCluster:
    def brokers(self) -> dict[int, object]:
        return {1: object(), 2: object(), 3: object()}


class World:
    """Settings that are held, those that were written, and moves that are under way."""

    def __init__(self) -> None:
        self.held: Held = {}
        self.moves = {("orders", 0): Reassignment([1, 2, 3], [3], [1])}
        self.refused: set[ConfigResource] = set()

    def own(self, _: object, places: list[ConfigResource], keys: Any) -> dict[Any, Any]:
        return {p: dict(self.held.get((p.type, p.name), {})) for p in places}

    def alter(self, _: object, values: Any) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for place, wanted in values.items():
            found[place] = None
            if place in self.refused:
                found[place] = KafkaError(ErrorCode.POLICY_VIOLATION, "no")
                continue
            held = self.held.setdefault((place.type, place.name), {})
            for key, value in wanted.items():
                held.pop(key, None)
                if value is not None:
                    held[key] = value
        return found


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    partitions = [PartitionDescription(0, 1, 0, [1, 2, 3], [1, 2], [])]
    topics = [TopicDescription(name, b"", False, partitions) for name in ("orders", "ships")]
    for module in (words, throttle):
        monkeypatch.setattr(module, "all_topics", lambda _: topics)
    monkeypatch.setattr(throttle, "own_settings", made.own)
    monkeypatch.setattr(throttle, "alter_own", made.alter)
    monkeypatch.setattr(throttle, "list_reassignments", lambda *_: made.moves)
    return made


CLUSTER = cast("Cluster", FakeCluster())
GROUND = Ground(0, Path("unused"))


def plan(action: Any, **params: str) -> ActionPlan:
    found: ActionPlan = action.plan(CLUSTER, params, GROUND)
    return found


def changes(made: ActionPlan) -> dict[str, tuple[str | None, str | None]]:
    return {c.what: (c.before, c.after) for c in made.changes}


def test_moves_under_way_are_throttled_and_freed_again(world: World) -> None:
    shown = plan(THROTTLE, topic="orders", rate="10MB")
    assert changes(shown) == {
        f"topic orders: {LEADER}.replicas": (None, "0:1,0:2"),
        f"topic orders: {FOLLOWER}.replicas": (None, "0:3"),
        **{f"broker {n}: {side}.rate": (None, "10000000")
           for n in (1, 2, 3) for side in (LEADER, FOLLOWER)},
    }  # fmt: skip
    assert world.held == {}, "a plan changes nothing"
    assert THROTTLE.run(CLUSTER, shown, GROUND) == {}
    assert world.held[TOPIC, "orders"][f"{FOLLOWER}.replicas"] == "0:3"
    assert world.held[BROKER, "2"][f"{LEADER}.rate"] == "10000000"
    assert plan(THROTTLE, topic="orders", rate="10000000").changes == (), "it is so already"
    back = plan(UNTHROTTLE, topic="orders")
    assert len(back.changes) == 8
    assert UNTHROTTLE.run(CLUSTER, back, GROUND) == {}
    assert not any(world.held.values())
    assert plan(UNTHROTTLE, topic="orders").changes == ()


def test_what_others_have_set_stays(world: World) -> None:
    world.held[TOPIC, "orders"] = {f"{LEADER}.replicas": "7:1", f"{FOLLOWER}.replicas": "*"}
    world.held[TOPIC, "ships"] = {f"{LEADER}.replicas": "*"}
    shown = changes(plan(THROTTLE, topic="orders", rate="5kB/s"))
    assert shown[f"topic orders: {LEADER}.replicas"] == ("7:1", "0:1,0:2,7:1")
    assert f"topic orders: {FOLLOWER}.replicas" not in shown, "all are throttled already"
    world.held[BROKER, "1"] = {f"{LEADER}.rate": "5000"}
    back = plan(UNTHROTTLE, topic="orders")
    assert set(changes(back)) == {
        f"topic orders: {LEADER}.replicas", f"topic orders: {FOLLOWER}.replicas",
    }  # fmt: skip
    assert "1 other topics" in back.notes[0]


def test_a_plan_is_another_once_the_moves_or_settings_are_others(world: World) -> None:
    first = plan(THROTTLE, topic="orders", rate="10MB")
    assert plan(THROTTLE, **first.again).digest == first.digest
    world.moves[("orders", 0)] = Reassignment([1, 2], [2], [])
    assert plan(THROTTLE, **first.again).digest != first.digest


@pytest.mark.parametrize("rate", ["0", "fast", "", "-1"])
def test_a_rate_at_which_nothing_is_copied_is_refused(world: World, rate: str) -> None:
    with pytest.raises(UsageError):
        plan(THROTTLE, topic="orders", rate=rate)


def test_nothing_is_throttled_where_nothing_moves(world: World) -> None:
    world.moves.clear()
    with pytest.raises(UsageError, match="nothing of orders moves"):
        plan(THROTTLE, topic="orders", rate="1MB")


def test_what_a_broker_refuses_is_named(world: World) -> None:
    world.refused = {ConfigResource(BROKER, "2")}
    shown = plan(THROTTLE, topic="orders", rate="1MB")
    failed = THROTTLE.run(CLUSTER, shown, GROUND)
    assert set(failed) == {f"broker 2: {LEADER}.rate", f"broker 2: {FOLLOWER}.rate"}
