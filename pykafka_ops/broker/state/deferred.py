"""Answers that are there, or come later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred


def shaped(answer: object, shape: Callable[[Any], object]) -> object:
    """What ``shape`` makes of an answer, or the promise of it where the answer is a promise."""
    return answer.shaped(shape) if isinstance(answer, Deferred) else shape(answer)


def all_of(answers: Sequence[object]) -> list[Any] | Deferred:
    """The answers in their order, or the promise of them once the last of them is there."""
    found = list(answers)
    left = len(found)
    together = Deferred()

    def put(position: int, answer: object) -> None:
        nonlocal left
        found[position] = answer
        left -= 1
        if not left:
            together.resolve(found)

    for position, answer in enumerate(answers):
        if isinstance(answer, Deferred):
            answer.then(partial(put, position))
        else:
            put(position, answer)
    return together if left else found
