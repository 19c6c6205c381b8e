"""plan on fake brokers: what it says of goals that it does not reach."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.support.golden.transcripts import Said
from tests.support.memory.moving_world import MovingWorld

Pko = Callable[..., Said]


def test_a_plan_that_cannot_reach_its_goal_says_so_first_and_fails(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[0, 1, 2]] * 6)
    world.put("u", [[2]])
    said = pko("reassign plan --drain 2 -o json --file", plan)
    assert said.code == 1
    first, second, *_ = said.stderr.splitlines()
    assert first == "pko: this plan does not reach its goal:"
    assert second.startswith("pko:   broker 2 keeps 6 replicas (t-0, t-1, t-2, ...): 3 replicas")
    [item] = json.loads(said.stdout)["items"]
    assert item["least_bytes"] is None and len(item["unmet"]) == 1
    assert "no plan can do with less" not in said.stderr
    assert pko("reassign plan --drain 2 --fail-on", "skew_percent>=0").code == 4
    assert pko("reassign plan u --drain 2").code == 0  # of the others nothing was asked


def test_a_plan_for_partitions_on_the_move_says_that_they_miss_the_goal(
    world: MovingWorld, pko: Pko
) -> None:
    world.put("t", [[0]])
    world.moving["t", 0] = [1], 100
    said = pko("reassign plan --drain 1")
    assert said.code == 1
    assert "broker 1 keeps 1 replica (t-0): may not be moved now" in said.stderr
