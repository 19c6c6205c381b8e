"""What run keeps for rollback, and what rollback puts back: what was there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.golden.transcripts import Said
from tests.support.memory.moving_world import MovingWorld, write_plan

Pko = Callable[..., Said]


def _moved(world: MovingWorld, pko: Pko, plan: str, *, own: bool = True) -> None:
    """Three partitions of t and one of u, moved by a plan of ours or by a file of others."""
    world.put("t", [[0], [0], [0]])
    after: dict[int, list[int]] = {0: [1], 1: [1], 2: [1]}
    if own:
        assert pko("reassign plan t --drain 0 --balance none --file", plan).code == 0
    else:
        write_plan(plan, after)
    assert pko("reassign run", plan).code == 0
    assert [world.replicas["t", n] != [0] for n in range(3)] == [True] * 3


@pytest.mark.parametrize("own", [True, False])
def test_what_was_deleted_made_anew_or_moved_since_is_left_and_told(
    world: MovingWorld, pko: Pko, plan: str, own: bool
) -> None:
    _moved(world, pko, plan, own=own)
    here = world.replicas["t", 1]
    del world.replicas["t", 2], world.sizes["t", 2]
    world.replicas["t", 0] = [1, 2]
    said = pko("reassign rollback", plan)
    assert said.code == 1
    assert "t-2: there is no such partition" in said.stderr
    assert "t-0: it is on 1,2 now" in said.stderr and "it is left there" in said.stderr
    assert world.replicas == {("t", 0): [1, 2], ("t", 1): [0]} and here != [0]


@pytest.mark.parametrize("own", [True, False])
def test_a_topic_that_was_made_anew_is_not_moved(
    world: MovingWorld, pko: Pko, plan: str, own: bool
) -> None:
    _moved(world, pko, plan, own=own)
    there = dict(world.replicas)
    world.ids["t"] = b"another"
    said = pko("reassign rollback", plan)
    assert said.code == 1 and world.replicas == there
    assert "topic t is another one: it was deleted and made anew" in said.stderr
    if own:
        again = pko("reassign run", plan)
        assert again.code == 1 and "make a new plan" in again.stderr


def test_what_others_are_moving_elsewhere_is_left_alone(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    _moved(world, pko, plan)
    world.moving["t", 0] = [2, 0], 1000
    said = pko("reassign rollback --throttle none", plan)
    assert said.code == 1 and "t-0: it is on its way to 2,0 now" in said.stderr
    assert world.moving["t", 0][0] == [2, 0]


@pytest.mark.parametrize(
    ("after", "trouble"),
    [
        ({7: [1]}, "there is no such partition"),
        ({0: [9]}, "shall go to broker 9"),
        ({0: [1]}, "NOT_CONTROLLER"),
        ({0: [1]}, "CLUSTER_AUTHORIZATION_FAILED"),
    ],
)
def test_a_run_that_is_refused_leaves_no_file(
    world: MovingWorld, pko: Pko, plan: str, after: dict[int, list[int]], trouble: str
) -> None:
    world.put("t", [[0]])
    if trouble == "NOT_CONTROLLER":
        world.refused["t", 0] = 41
    if trouble == "CLUSTER_AUTHORIZATION_FAILED":
        world.refuse_configs = {"1"}
    write_plan(plan, after)
    said = pko("reassign run", plan)
    assert said.code and trouble in said.stderr
    assert not Path(plan.replace(".json", ".before.json")).exists()


def test_a_file_that_an_earlier_run_wrote_outlives_one_that_is_refused(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    _moved(world, pko, plan, own=False)
    world.gone = {1}
    pko("reassign run", plan)
    assert Path(plan.replace(".json", ".before.json")).exists()
