"""Things to do at a time: one heap, on whatever clock (ms) the caller uses."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

FEW = 1024
"""Timers among which those that were cancelled do not matter."""


@dataclass(slots=True, eq=False)
class Timer:
    """One thing to do at ``deadline`` (ms); :meth:`cancel` forgets it."""

    deadline: float
    owner: object
    action: Callable[..., object] | None

    def cancel(self) -> None:
        """Do nothing at that time."""
        self.action = None
        self.owner = None


class Timers:
    """All timers; ``on_earlier(deadline)`` is called when a new one is the earliest of all."""

    def __init__(self, on_earlier: Callable[[float], None] = lambda _: None) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._sequence = 0
        self._compact_at = FEW
        self._on_earlier = on_earlier

    def __len__(self) -> int:
        return len(self._heap)

    def at(self, deadline: float, owner: object, action: Callable[..., object]) -> Timer:
        """Have ``action`` given out by :meth:`due` from ``deadline`` on, with its ``owner``."""
        timer = Timer(deadline, owner, action)
        self._sequence += 1
        if len(self._heap) >= self._compact_at:
            self._compact()
        heapq.heappush(self._heap, (deadline, self._sequence, timer))
        if self._heap[0][2] is timer:
            self._on_earlier(deadline)
        return timer

    def _compact(self) -> None:
        """Forget those that were cancelled long before their time: members that come and go."""
        self._heap = [entry for entry in self._heap if entry[2].action is not None]
        heapq.heapify(self._heap)
        self._compact_at = max(FEW, 2 * len(self._heap))

    @property
    def next_deadline(self) -> float | None:
        """The earliest deadline, None if there is none."""
        heap = self._heap
        while heap and heap[0][2].action is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: float) -> Timer | None:
        """Take out the earliest timer whose time has come; None if there is none."""
        heap = self._heap
        while heap and (heap[0][0] <= now or heap[0][2].action is None):
            timer = heapq.heappop(heap)[2]
            if timer.action is not None:
                return timer
        return None
