"""Work in steps, done without a loop."""

from __future__ import annotations

from typing import TypeVar

from pykafka_ops.broker.state.steps import Steps

T = TypeVar("T")


def at_once(steps: Steps[T]) -> T:
    """What the work gives; what is for a thread is done here."""
    return counted(steps)[0]


def counted(steps: Steps[T]) -> tuple[T, int]:
    """What the work gives, and how often it paused."""
    given, count = None, 0
    try:
        while True:
            asked = steps.send(given)
            given = None if asked is None else asked()
            count += 1
    except StopIteration as end:
        return end.value, count
