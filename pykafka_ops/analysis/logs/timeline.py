"""Records and bytes by buckets of time, in bounded memory: buckets grow until few are left."""

from __future__ import annotations

from pykafka_ops.analysis.moments import STEPS, longer
from pykafka_ops.errors import UsageError

#: Most buckets kept at once: while the length is still open, and with a length given.
_OPEN, _FIXED = 4096, 1_000_000


class Timeline:
    """``buckets``: start of the bucket in ms -> [records, bytes]. ``step`` is its length in ms."""

    __slots__ = ("buckets", "fixed", "step")

    def __init__(self, step: int | None = None) -> None:
        """``step`` None finds the length by itself."""
        self.step, self.fixed = step or STEPS[0], step is not None
        self.buckets: dict[int, list[int]] = {}

    def add(self, timestamp: int, records: int, size: int) -> None:
        """Count ``records`` of ``size`` bytes at ``timestamp`` (ms).

        UsageError where a given length makes more buckets than can be kept.
        """
        start = timestamp - timestamp % self.step
        found = self.buckets.get(start)
        if found is not None:
            found[0] += records
            found[1] += size
            return
        self.buckets[start] = [records, size]
        if len(self.buckets) > (_FIXED if self.fixed else _OPEN):
            if self.fixed:
                raise UsageError(f"--every makes more than {_FIXED:,} buckets: choose a longer one")
            while len(self.buckets) > _OPEN // 2:
                self._grow()

    def _grow(self) -> None:
        """Go over to the next longer step."""
        self.step = longer(self.step)
        old, self.buckets = self.buckets, {}
        for start, (records, size) in old.items():
            found = self.buckets.setdefault(start - start % self.step, [0, 0])
            found[0] += records
            found[1] += size

    def rows(self, most: int) -> list[tuple[int, int, int]]:
        """(start, records, bytes) by time; buckets without records between them are there, too.

        Without a given length buckets grow until there are at most ``most``. With one, and more
        than ``most``, empty ones are left out.
        """
        if not self.buckets:
            return []
        first, last = min(self.buckets), max(self.buckets)
        while not self.fixed and (last - first) // self.step >= most:
            self._grow()
            first, last = min(self.buckets), max(self.buckets)
        if (last - first) // self.step >= most:
            return [(start, *self.buckets[start]) for start in sorted(self.buckets)]  # type: ignore[misc] # two of them
        none = [0, 0]
        return [
            (start, *self.buckets.get(start, none))  # type: ignore[misc] # two of them
            for start in range(first, last + 1, self.step)
        ]
