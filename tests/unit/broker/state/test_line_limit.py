"""However much clients do, the log gets a few lines of it."""

from __future__ import annotations

from pykafka_ops.broker.state.line_limit import MOST, PERIOD_MS, LineLimit


def test_the_first_lines_of_a_period_pass_and_the_others_are_counted() -> None:
    limit = LineLimit()
    assert [limit.admits(5) for _ in range(1000)].count(True) == MOST
    assert limit.take_left_out() == 1000 - MOST
    assert limit.take_left_out() == 0
    assert not limit.admits(4 + PERIOD_MS)
    assert limit.admits(5 + PERIOD_MS)


def test_how_many_pass_can_be_chosen() -> None:
    limit = LineLimit(1)
    assert [limit.admits(0), limit.admits(1), limit.admits(PERIOD_MS)] == [True, False, True]
    assert limit.take_left_out() == 1
