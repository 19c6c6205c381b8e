"""Several links at once: a silent cluster is waited for once, not once for every link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pykafka_ops.errors import PkoError

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 16


def side_by_side(items: Sequence[T], work: Callable[[T], R]) -> list[R | PkoError]:
    """For each what ``work`` gives, or the PkoError that it raises, in their order."""

    def tried(item: T) -> R | PkoError:
        try:
            return work(item)
        except PkoError as error:
            return error

    if len(items) < 2:
        return [tried(item) for item in items]
    with ThreadPoolExecutor(min(AT_ONCE, len(items)), "link") as pool:
        return list(pool.map(tried, items))
