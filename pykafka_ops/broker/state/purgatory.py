"""Requests that wait: watched by key, bounded by a deadline, completed exactly once.

Counterpart of Kafka's ``DelayedOperationPurgatory``. Pure: deadlines are numbers in ms on
whatever clock the caller uses, and the caller calls :meth:`Purgatory.expire`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable


def _never() -> bool:
    return False


def _nothing(_: object) -> None:
    return None


class Waiter:
    """One waiting operation.

    ``ready()`` says whether it can be completed now; ``finish(expired)`` completes it and is
    called at most once. What either of them raises goes to ``fail(error)`` and to nobody else:
    the one who wakes or expires a waiter is at work for another client.
    """

    __slots__ = ("deadline", "done", "fail", "finish", "keys", "ready")

    def __init__(
        self,
        keys: Iterable[Hashable],
        deadline: float,
        ready: Callable[[], bool],
        finish: Callable[[bool], None],
        fail: Callable[[Exception], None],
    ) -> None:
        self.keys = tuple(keys)
        self.deadline = deadline
        self.ready = ready
        self.finish = finish
        self.fail = fail
        self.done = False


class Purgatory:
    """All waiters of one kind."""

    def __init__(self) -> None:
        self.watch: dict[Hashable, dict[int, Waiter]] = {}
        """Who waits, by key."""
        self._heap: list[tuple[float, int, Waiter]] = []
        self._sequence = 0
        self._live = 0

    def __len__(self) -> int:
        return self._live

    @property
    def next_deadline(self) -> float | None:
        """The earliest deadline of a live waiter, None if none waits."""
        while self._heap and self._heap[0][2].done:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def add(self, waiter: Waiter) -> None:
        """Watch ``waiter`` on its keys until it completes, expires or is dropped."""
        self._sequence += 1
        self._live += 1
        heapq.heappush(self._heap, (waiter.deadline, self._sequence, waiter))
        for key in waiter.keys:
            self.watch.setdefault(key, {})[id(waiter)] = waiter

    def watched(self, key: Hashable) -> bool:
        """Whether anybody waits on ``key``."""
        return key in self.watch

    def wake(self, *keys: Hashable) -> int:
        """Complete every waiter on ``keys`` that is ready (or fails); how many that were.

        Each is asked once, on however many of the keys it waits.
        """
        watch, watchers = self.watch, dict[int, Waiter]()
        if not watch:
            return 0
        for key in keys:
            if key in watch:
                watchers.update(watch[key])
        completed = 0
        for waiter in watchers.values():
            if waiter.done:
                continue
            if self._is_ready(waiter):
                self._complete(waiter, expired=False)
            completed += waiter.done
        return completed

    def expire(self, now: float) -> int:
        """Complete every waiter whose deadline has come; how many had."""
        completed = 0
        while self._heap and (self._heap[0][2].done or self._heap[0][0] <= now):
            waiter = heapq.heappop(self._heap)[2]
            if not waiter.done:
                self._complete(waiter, expired=True)
                completed += 1
        return completed

    def drop(self, waiter: Waiter) -> None:
        """Forget ``waiter`` without completing it (its client has gone)."""
        if not waiter.done:
            self._forget(waiter)

    def _is_ready(self, waiter: Waiter) -> bool:
        try:
            return waiter.ready()
        except Exception as error:
            fail = waiter.fail
            self._forget(waiter)
            fail(error)
            return False

    def _complete(self, waiter: Waiter, *, expired: bool) -> None:
        finish, fail = waiter.finish, waiter.fail
        self._forget(waiter)
        try:
            finish(expired)
        except Exception as error:
            fail(error)

    def _forget(self, waiter: Waiter) -> None:
        """Take it out; the heap may hold it until its deadline, but not what it refers to."""
        waiter.done = True
        waiter.ready, waiter.finish, waiter.fail = _never, _nothing, _nothing
        self._live -= 1
        for key in waiter.keys:
            watchers = self.watch.get(key)
            if watchers is not None:
                watchers.pop(id(waiter), None)
                if not watchers:
                    del self.watch[key]
        self._compact()

    def _compact(self) -> None:
        """Keep the heap in proportion: waiters that end long before their deadline add up."""
        if len(self._heap) > 64 and len(self._heap) > 4 * self._live:
            self._heap = [entry for entry in self._heap if not entry[2].done]
            heapq.heapify(self._heap)
