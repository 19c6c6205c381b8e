"""Many conversations on one thread: each is a generator that says what it waits for.

A generator yields ``(fd, events, until)``: resume it when the socket is ready, or throw
TimeoutError into it when ``until`` (monotonic seconds) passes. ``(-1, 0, until)`` is a plain pause.
"""

from __future__ import annotations

import select
import time
from collections.abc import Generator, Sequence
from typing import TypeVar

from pykafka_ops.errors import PkoError

T = TypeVar("T")
Want = tuple[int, int, float]
Steps = Generator[Want, None, T]

READ = select.POLLIN
WRITE = select.POLLOUT


def pause(seconds: float) -> Steps[None]:
    """Wait without a socket."""
    yield -1, 0, time.monotonic() + seconds


def run(steps: Steps[T]) -> T:
    """Drive one conversation to its end; raises what it raises."""
    (outcome,) = run_all([steps])
    if isinstance(outcome, PkoError):
        raise outcome
    return outcome


def run_all(conversations: Sequence[Steps[T]]) -> list[T | PkoError]:
    """Drive all side by side; for each its result or the PkoError that ended it.

    Anything else that is raised (a bug, Ctrl-C) ends all of them.
    """
    results: list[T | PkoError | None] = [None] * len(conversations)
    waiting: dict[int, Want] = {}
    try:
        for i in range(len(conversations)):
            _advance(conversations, i, results, waiting, late=False)
        while waiting:
            for i, late in _ready(waiting):
                _advance(conversations, i, results, waiting, late=late)
    finally:
        for steps in conversations:
            steps.close()
    return results  # type: ignore[return-value]  # every None was replaced


def _advance(
    conversations: Sequence[Steps[T]],
    i: int,
    results: list[T | PkoError | None],
    waiting: dict[int, Want],
    *,
    late: bool,
) -> None:
    """Resume one conversation up to its next wait or its end."""
    waiting.pop(i, None)
    try:
        if late:
            waiting[i] = conversations[i].throw(TimeoutError())
        else:
            waiting[i] = next(conversations[i])
    except StopIteration as end:
        results[i] = end.value
    except PkoError as error:
        results[i] = error


def _ready(waiting: dict[int, Want]) -> list[tuple[int, bool]]:
    """Wait until something can go on: (conversation, whether its time is up)."""
    poll = select.poll()
    events: dict[int, int] = {}
    for fd, mask, _ in waiting.values():
        if fd >= 0:
            events[fd] = events.get(fd, 0) | mask
    for fd, mask in events.items():
        poll.register(fd, mask)
    patience = min(want[2] for want in waiting.values()) - time.monotonic()
    open_fds = {fd for fd, _ in poll.poll(max(0, patience * 1000 + 1))}
    now = time.monotonic()
    found = []
    for i, (fd, _, until) in waiting.items():
        if fd in open_fds:
            found.append((i, False))
        elif until <= now:
            found.append((i, fd >= 0))
    return found
