"""Which keys weigh most, in bounded memory: Misra-Gries with weights, pruned by halves.

J. Misra and D. Gries, "Finding repeated elements" (1982); pruning many counters at once as in
Apache DataSketches' frequent items. With at most ``capacity`` different keys all weights are exact.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class HeavyHitters(Generic[Key]):
    """Weights by key. ``counts`` may be added to directly; call ``prune`` when it is over capacity.

    ``error``: a key's true weight is at least its count and at most its count plus ``error``; a key
    that is not there weighs at most ``error``, which never exceeds the total / (capacity / 2).
    """

    __slots__ = ("capacity", "counts", "error")

    def __init__(self, capacity: int) -> None:
        self.capacity, self.error = capacity, 0
        self.counts: dict[Key, int] = {}

    def add(self, key: Key, weight: int) -> None:
        """Count ``weight`` (0 or more) for ``key``."""
        self.counts[key] = self.counts.get(key, 0) + weight
        if len(self.counts) > self.capacity:
            self.prune()

    def prune(self) -> None:
        """Take the weight of the middle counter from all, and drop those that have nothing left."""
        cut = sorted(self.counts.values(), reverse=True)[self.capacity // 2]
        self.error += cut
        self.counts = {key: count - cut for key, count in self.counts.items() if count > cut}

    def merge(self, other: HeavyHitters[Key]) -> None:
        """Add all that ``other`` counted; the errors add up."""
        for key, count in other.counts.items():
            self.counts[key] = self.counts.get(key, 0) + count
        self.error += other.error
        if len(self.counts) > self.capacity:
            self.prune()

    def top(self, most: int) -> list[tuple[Key, int]]:
        """The ``most`` heaviest keys with their counts, the heaviest first."""
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], repr(item[0])))
        return ranked[:most]

    @property
    def exact(self) -> bool:
        """Whether nothing was ever dropped: counts are true and all keys are there."""
        return self.error == 0
