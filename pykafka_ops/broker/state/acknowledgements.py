"""Produce requests that wait: most of them for one partition, until others have its last records.

Such a request has its answer ready, and costs little while it waits: those of a partition are
looked at together, in the order of their records. Any other request is an ordinary waiter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.purgatory import Purgatory
from pykafka_ops.wire.codes import ErrorCode

Standing = tuple[float, ErrorCode]
"""Which offset of a partition is reached, and what is to be answered to those below it."""


class Unacknowledged(Deferred):
    """The promise of ``frame``, once the offset ``required`` is reached; ``refuse(index, code)``
    makes the answer that has an error instead."""

    __slots__ = ("_index", "_queue", "_refuse", "deadline", "frame", "required")

    def __init__(
        self,
        queue: dict[int, Unacknowledged],
        index: int,
        required: int,
        deadline: float,
        frame: bytes,
        refuse: Callable[[int, ErrorCode], object],
    ) -> None:
        super().__init__()
        self.required = required
        self.deadline = deadline
        self.frame = frame
        self._index = index
        self._queue = queue
        self._refuse = refuse
        queue[id(self)] = self

    def settle(self, code: ErrorCode) -> None:
        """Give the answer."""
        if not self.done:
            self.resolve(self._refuse(self._index, code) if code else self.frame)

    def abandon(self) -> None:
        """Its client has gone."""
        super().abandon()
        self._queue.pop(id(self), None)


class Acknowledgements(Purgatory):
    """Requests that wait for replicas; ``standing(key)`` says how a partition stands. An error goes
    to ``failed`` and to nobody else: who wakes a request is at work for another client."""

    def __init__(
        self, standing: Callable[[Any], Standing], failed: Callable[[Exception], None]
    ) -> None:
        super().__init__()
        self._standing = standing
        self._failed = failed
        self._queues: dict[Hashable, dict[int, Unacknowledged]] = {}
        self._look_at = math.inf
        """No request of those in the queues has an earlier deadline."""

    def __len__(self) -> int:
        return super().__len__() + sum(map(len, self._queues.values()))

    @property
    def next_deadline(self) -> float | None:
        """As :class:`Purgatory` says; it may be too early."""
        found = super().next_deadline
        if not any(self._queues.values()):
            return found
        return self._look_at if found is None else min(self._look_at, found)

    def promise(
        self,
        key: tuple[str, int],
        required: int,
        deadline: float,
        frame: bytes,
        refuse: Callable[[int, ErrorCode], object],
    ) -> tuple[Unacknowledged, bool]:
        """The promise of an answer, once the offset ``required`` of a partition is reached; whether
        its deadline is to be armed."""
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = {}
        is_first = deadline < self._look_at
        if is_first:
            self._look_at = deadline
        return Unacknowledged(queue, key[1], required, deadline, frame, refuse), is_first

    def wake(self, *keys: Hashable) -> int:
        """As :class:`Purgatory` says."""
        return sum([self._settle(key) for key in keys if key in self._queues]) + super().wake(*keys)

    def _settle(self, key: Hashable) -> int:
        queue = self._queues[key]
        if not queue:
            return 0
        reached, code = self._standing(key)
        ready: list[Unacknowledged] = []
        for waiting in queue.values():
            if waiting.required > reached:
                break
            ready.append(waiting)
        for waiting in ready:
            queue.pop(id(waiting), None)
        for waiting in ready:
            self._answer(waiting, code)
        return len(ready)

    def _answer(self, waiting: Unacknowledged, code: ErrorCode) -> None:
        try:
            waiting.settle(code)
        except Exception as error:
            self._failed(error)

    def expire(self, now: float) -> int:
        """As :class:`Purgatory` says."""
        late: list[tuple[Hashable, Unacknowledged]] = []
        if now >= self._look_at:
            left = math.inf
            for key, queue in list(self._queues.items()):
                late += [(key, waiting) for waiting in queue.values() if waiting.deadline <= now]
                left = min([left, *(w.deadline for w in queue.values() if w.deadline > now)])
                if not queue:
                    del self._queues[key]
            self._look_at = left
        for key, waiting in late:
            reached, code = self._standing(key)
            self._queues[key].pop(id(waiting), None)
            late_code = code if waiting.required <= reached else ErrorCode.REQUEST_TIMED_OUT
            self._answer(waiting, late_code)
        return len(late) + super().expire(now)
