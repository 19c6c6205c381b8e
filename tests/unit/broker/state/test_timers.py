"""Timers: in order, cancelled ones forgotten."""

from __future__ import annotations

from pykafka_ops.broker.state.timers import FEW, Timers


def test_timers_that_were_cancelled_do_not_pile_up() -> None:
    timers = Timers()
    kept = [timers.at(1000.0 + n, n, print) for n in range(100)]
    for n in range(50_000):
        timers.at(500.0 + n, None, print).cancel()
    assert len(timers) <= 2 * FEW
    found = []
    while (timer := timers.due(1e9)) is not None:
        found.append(timer)
    assert found == kept
