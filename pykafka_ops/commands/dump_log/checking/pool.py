"""Directories checked by several processes; results in order, progress as it comes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.commands.dump_log.paths import CheckJob
from pykafka_ops.commands.dump_log.progress import ProgressBar
from pykafka_ops.errors import StorageError

_REDRAW_SECONDS = 0.2
_done: Any = None


def run(
    jobs: list[CheckJob], how: How, workers: int, progress: ProgressBar
) -> Iterator[list[FileReport]]:
    """Check every job; StorageError if a process dies."""
    done = multiprocessing.Value("q", 0)
    pool = ProcessPoolExecutor(workers, initializer=_begin, initargs=(done,))
    try:
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
    except BrokenProcessPool:
        raise StorageError("a checking process died, was it killed? Try --workers 1") from None
    finally:
        for child in multiprocessing.active_children():  # Ctrl-C: do not wait for their work
            child.terminate()
        pool.shutdown(cancel_futures=True)


def _begin(done: Any) -> None:
    """In each process: Ctrl-C ends it without a word, the parent speaks."""
    global _done
    _done = done
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _tell(size: int) -> None:
    with _done.get_lock():
        _done.value += size


def _check(job: CheckJob, how: How) -> list[FileReport]:
    return PartitionCheck(job, how, _tell).run()
