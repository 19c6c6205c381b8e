"""Work in the background: an error is logged with the job's name, and the work continues.

Counterpart of what ``KafkaScheduler`` does around each task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("org.apache.kafka.server.util.KafkaScheduler")

T = TypeVar("T")


def failed(name: str, error: BaseException) -> None:
    """Log that a job failed."""
    log.error("%s failed: %r", name, error, exc_info=error)


@contextmanager
def logged(name: str) -> Iterator[None]:
    """Around one round of a job, or one item of it: logs an error, so that the next one runs."""
    try:
        yield
    except KafkaError as error:  # foreseen, say of a log directory that is offline
        log.error("%s: %s", name, error.message or ErrorCode.of(error.code).name)
    except Exception as error:
        failed(name, error)


def attempt(name: str, action: Callable[[], object]) -> None:
    """Call ``action``; log an exception."""
    with logged(name):
        action()


def start(name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Run ``work`` beside others, on the running loop; an exception that ends it is logged."""
    task = asyncio.get_running_loop().create_task(work, name=name)
    task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        context = {"message": task.get_name(), "exception": error, "task": task}
        task.get_loop().call_exception_handler(context)


def uncaught(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For ``set_exception_handler``: what tasks and calls of the loop itself raise."""
    error = context.get("exception")
    if error is None:
        log.error("%s", context.get("message"))
    else:
        failed(str(context.get("handle") or context.get("message")), error)
