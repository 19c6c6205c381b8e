"""Work that may be long, as a generator: it pauses where others may have a turn.

It pauses for the first time before it becomes long, and then takes little memory. A function that
it yields is for a thread; it is sent what that gives.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeAlias, TypeVar

from pykafka_ops.disk.batch import BatchHeader

T = TypeVar("T")
A = TypeVar("A")

Steps: TypeAlias = Generator[Callable[[], Any] | None, Any, T]

FEW = 512
"""Items that are made before the first pause: a ms or two of work."""
STEP = 64
"""And between two."""
SEVERAL = 2 * STEP
"""Items that are made before the first pause where each is work in steps itself."""

DENSE_RECORDS = 1000
DENSE_BYTES = 32 * 1024
"""Of a compressed batch: it may expand a thousandfold."""


def is_dense(header: BatchHeader) -> bool:
    """Whether looking at the records of a batch takes long."""
    compressed = header.attributes & 7 and header.size > DENSE_BYTES
    return bool(compressed) or header.record_count > DENSE_RECORDS


def begun(steps: Steps[T]) -> T | Steps[T]:
    """What the work gives, or the work itself if it turns out to be long."""
    try:
        next(steps)
    except StopIteration as end:
        found: T = end.value
        return found
    return steps


def each(make: Callable[[A], T], items: Iterable[A]) -> Steps[list[T]]:
    """What ``make`` gives for each item; there may be many."""
    made: list[T] = []
    for item in items:
        made.append(make(item))
        if len(made) >= FEW and not len(made) % STEP:
            yield None
    return made


def in_turn(make: Callable[[A], Steps[T]], items: Iterable[A]) -> Steps[list[T]]:
    """As :func:`each`, where what is made for an item may take long by itself."""
    made: list[T] = []
    for item in items:
        one = yield from make(item)
        made.append(one)
        if len(made) >= SEVERAL and not len(made) % STEP:
            yield None
    return made
