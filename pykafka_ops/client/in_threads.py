"""What blocks, for a conversation that must not: done in a thread of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from pykafka_ops.client.poller import READ, Steps

T = TypeVar("T")


def in_thread(work: Callable[[], T], until: float) -> Steps[T]:
    """What ``work`` returns, or raises; TimeoutError after ``until`` (monotonic seconds), when
    nobody waits for it any more."""
    done, end = os.pipe()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            os.close(end)

    try:
        threading.Thread(target=run, daemon=True).start()
        yield done, READ, until
    finally:
        os.close(done)
    if errors:
        raise errors[0]
    return results[0]
