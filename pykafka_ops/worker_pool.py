"""Worker processes for a while: gone at Ctrl-C, and missed when one is killed."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from pykafka_ops.errors import StorageError


@contextmanager
def worker_pool(
    workers: int, what: str, begin: Callable[..., None] | None = None, *given: Any
) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes, in each of which ``begin(*given)`` was called.

    Raises StorageError if one dies; ``what`` says in one word what they do.
    """
    pool = ProcessPoolExecutor(workers, initializer=_begin, initargs=(begin, given))
    try:
        yield pool
    except BrokenProcessPool:
        raise StorageError(f"a {what} process died, was it killed? Try --workers 1") from None
    finally:
        for child in multiprocessing.active_children():  # Ctrl-C: do not wait for their work
            child.terminate()
        pool.shutdown(cancel_futures=True)


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """In each process: Ctrl-C ends it without a word, the parent speaks."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if begin is not None:
        begin(*given)
