"""Work in steps pauses before it becomes long, and then every few items."""

from __future__ import annotations

from pykafka_ops.broker.state.steps import FEW, STEP, begun, each
from tests.support.memory.steps import counted


def test_few_items_are_made_without_a_pause() -> None:
    assert begun(each(str, range(FEW - 1))) == [str(n) for n in range(FEW - 1)]


def test_many_items_are_made_with_a_pause_every_few() -> None:
    made, pauses = counted(each(str, range(FEW + 10 * STEP)))
    assert made == [str(n) for n in range(FEW + 10 * STEP)]
    assert pauses == 11
