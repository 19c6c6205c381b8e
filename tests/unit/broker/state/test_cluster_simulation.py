"""Whatever fails, a cluster keeps what it acknowledged, and heals (invariants I1, I3-I6, I10)."""

from __future__ import annotations

import pytest

from tests.support.simulation import Simulation

STEPS = 500


@pytest.mark.parametrize("seed", range(30))
def test_a_cluster_keeps_its_word_and_heals(seed: int) -> None:
    simulation = Simulation(seed)
    for _ in range(STEPS):
        simulation.step()
    simulation.recover()
