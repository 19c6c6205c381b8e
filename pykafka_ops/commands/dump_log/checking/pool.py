"""Directories checked by several processes; results in order, progress as it comes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.commands.dump_log.paths import CheckJob
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.worker_pool import worker_pool

_REDRAW_SECONDS = 0.2
_done: Any = None


def run(
    jobs: list[CheckJob], how: How, workers: int, progress: ProgressBar
) -> Iterator[list[FileReport]]:
    """Check every job; StorageError if a process dies."""
    done = multiprocessing.Value("q", 0)
    with worker_pool(workers, "checking", _count_in, done) as pool:
        # The biggest first, so that no process is left alone with one at the end.
        order = sorted(range(len(jobs)), key=lambda n: -jobs[n].size)
        futures = {n: pool.submit(_check, jobs[n], how) for n in order}
        for n in range(len(jobs)):
            future = futures.pop(n)
            while True:
                try:
                    reports = future.result(_REDRAW_SECONDS)
                    break
                except NotYet:
                    progress.set(done.value)
            progress.set(done.value)
            yield reports


def _count_in(done: Any) -> None:
    """In each process: bytes that are done are added to ``done``."""
    global _done
    _done = done


def _tell(size: int) -> None:
    with _done.get_lock():
        _done.value += size


def _check(job: CheckJob, how: How) -> list[FileReport]:
    return PartitionCheck(job, how, _tell).run()
