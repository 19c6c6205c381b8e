"""Work in steps pauses before it becomes long, and then every few items."""

from __future__ import annotations

from pykafka_ops.broker.state.steps import FEW, SEVERAL, STEP, Steps, begun, each, in_turn
from tests.support.memory.steps import counted


def test_few_items_are_made_without_a_pause() -> None:
    assert begun(each(str, range(FEW - 1))) == [str(n) for n in range(FEW - 1)]


def test_many_items_are_made_with_a_pause_every_few() -> None:
    made, pauses = counted(each(str, range(FEW + 10 * STEP)))
    assert made == [str(n) for n in range(FEW + 10 * STEP)]
    assert pauses == 11


def _paused(number: int) -> Steps[str]:
    yield None
    return str(number)


def _at_once(number: int) -> Steps[str]:
    yield from ()
    return str(number)


def test_work_on_many_items_pauses_between_them_and_where_the_work_does() -> None:
    count = SEVERAL + 3 * STEP
    assert begun(in_turn(_at_once, range(SEVERAL - 1))) == [str(n) for n in range(SEVERAL - 1)]
    assert counted(in_turn(_at_once, range(count))) == ([str(n) for n in range(count)], 4)
    assert counted(in_turn(_paused, range(3))) == (["0", "1", "2"], 3)
