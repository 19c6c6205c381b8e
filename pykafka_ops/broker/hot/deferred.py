"""A future without an event loop: an answer that comes later, given exactly once.

Nothing is declined here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


def _in_turn(first: Callable[[Any], object], second: Callable[[Any], object], it: object) -> object:
    return second(first(it))


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
        self._shape = shape if inner is None else partial(_in_turn, inner, shape)
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
