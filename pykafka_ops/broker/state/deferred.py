"""A future without an event loop: an answer that comes later, given exactly once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any


class Deferred:
    """The answer of a handler that has to wait; resolved once, later calls do nothing.

    Counterpart of Kafka's ``DelayedOperation.completed`` flag. Not thread-safe: everything
    that resolves it runs on the broker's loop.
    """

    __slots__ = ("_callback", "_shape", "answer", "done", "on_abandon")

    def __init__(self) -> None:
        self.done = False
        self.answer: object = None
        self.on_abandon: Callable[[], None] | None = None
        self._callback: Callable[[object], object] | None = None
        self._shape: Callable[[Any], object] | None = None

    def resolve(self, answer: object) -> bool:
        """Give the answer; False if it was given before."""
        if self.done:
            return False
        self.done = True
        if self._shape is not None:
            answer = self._shape(answer)
        self.answer = answer
        if self._callback is not None:
            self._callback(answer)
            self._callback = None
        return True

    def shaped(self, shape: Callable[[Any], object]) -> object:
        """What ``shape`` makes of the answer; if there is none yet, this promise of it."""
        if self.done:
            return shape(self.answer)
        inner = self._shape
        self._shape = shape if inner is None else lambda answer: shape(inner(answer))
        return self

    def then(self, callback: Callable[[object], object]) -> None:
        """Call ``callback(answer)`` once the answer is there, now if it is already."""
        if self.done:
            callback(self.answer)
        else:
            self._callback = callback

    def abandon(self) -> None:
        """The client has gone: stop working on the answer."""
        if not self.done:
            self.done = True
            self._callback = None
            if self.on_abandon is not None:
                self.on_abandon()


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
