"""What was acknowledged is never lost, whoever dies, lags, or still believes to lead."""

from __future__ import annotations

import pytest

from tests.support.replication_world import World

STEPS = 400


@pytest.mark.parametrize("seed", range(20))
def test_committed_records_outlive_crashes_and_elections(seed: int) -> None:
    world = World(seed)
    for _ in range(STEPS):
        world.step()
    world.recover()
