"""Slow work of the logs in other threads, and work for later; results come back on one thread."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pykafka_ops.broker import jobs
from pykafka_ops.broker.storage.log_home import Job


class Background:
    """Runs jobs. ``wake`` is called from any thread when :meth:`tick` has something to take in."""

    def __init__(self, workers: int, wake: Callable[[], None] | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="log-io")
        self._finished: deque[Job] = deque()
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._wake = wake
        self._stopped = False

    def submit(self, job: Job) -> None:
        """Run ``job`` in another thread; its ``done`` is called by :meth:`tick`. What others lead
        to when they are taken in at the end is done at once."""
        if self._stopped:
            self._work(job)
        else:
            self._pool.submit(self._work, job)

    def _work(self, job: Job) -> None:
        try:
            job.run()
        except Exception as error:  # it is not done: nobody knows what of it is
            jobs.failed(_name(job), error)
            return
        self._finished.append(job)
        if self._wake is not None:
            self._wake()

    def schedule(self, at: float, action: Callable[[], None]) -> None:
        """Call ``action`` from :meth:`tick` when it is ``at`` (ms) or later."""
        heapq.heappush(self._later, (at, next(self._numbers), action))

    def tick(self, now: float) -> None:
        """Take in what is finished, do what is due."""
        while self._finished:
            job = self._finished.popleft()
            jobs.attempt(_name(job), job.done)
        while self._later and self._later[0][0] <= now:
            jobs.attempt("work for later", heapq.heappop(self._later)[2])

    def stop(self) -> None:
        """Wait for the jobs under way and take them in; what was scheduled is dropped."""
        self._pool.shutdown()
        self._stopped = True
        self._wake = None
        self._later.clear()
        while self._finished:
            job = self._finished.popleft()
            jobs.attempt(_name(job), job.done)


def _name(job: Job) -> str:
    return type(job).__name__
