"""Where the logs ended at the last rounds: how fast they grow, how far behind a commit was."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from pykafka_ops.analysis.lag.rows import Sample, growth

UNKNOWN: Final = -1
"""Nobody said where the log ends."""
KEPT: Final = 41
"""Rounds that are remembered: ten minutes at 15 s."""
NEAR_MS: Final = 30_000
"""Rounds further apart do not show when a record between them came."""
Offsets = Mapping[str, "array[int]"]
"""By topic and partition; ``UNKNOWN`` where nobody knows."""


class LogEnds:
    """End offsets of all topics, round by round; times in ms."""

    def __init__(self, kept: int = KEPT) -> None:
        self._rounds: deque[tuple[int, dict[str, array[int]]]] = deque(maxlen=kept)

    def record(self, at: int, ends: Offsets) -> None:
        """The ends of a round. A clock that went back makes the rounds behind it worthless."""
        while self._rounds and self._rounds[-1][0] >= at:
            self._rounds.pop()
        self._rounds.append((at, dict(ends)))

    def forget(self, topic: str) -> None:
        """A topic was deleted, or made anew: its old offsets say nothing."""
        for _, ends in self._rounds:
            ends.pop(topic, None)

    def latest(self, topic: str, partition: int) -> int | None:
        """The end in the last round; None where no broker gave it."""
        if not self._rounds:
            return None
        found = self._rounds[-1][1].get(topic)
        if found is None or partition >= len(found) or found[partition] < 0:
            return None
        return found[partition]

    def all_latest(self, topic: str) -> array[int]:
        """The ends in the last round by partition, ``UNKNOWN`` where no broker gave it."""
        return self._rounds[-1][1].get(topic, array("q")) if self._rounds else array("q")

    def samples(self, topic: str, partition: int) -> list[Sample]:
        """The ends of a partition that are known, by time."""
        return [
            (at, found[partition])
            for at, ends in self._rounds
            if (found := ends.get(topic)) is not None
            and partition < len(found)
            and found[partition] >= 0
        ]

    def time_of(self, topic: str, partition: int, offset: int) -> int | None:
        """About when the record at ``offset`` was written: None where it did not come between two
        rounds that are at most ``NEAR_MS`` apart."""
        for (t0, o0), (t1, o1) in pairwise(self.samples(topic, partition)):
            if o0 <= offset < o1:
                if t1 - t0 > NEAR_MS:
                    return None
                return t0 + round((t1 - t0) * (offset - o0) / (o1 - o0))
        return None

    def rates(self, topic: str) -> list[float | None]:
        """Records per second into each partition over all rounds that are remembered."""
        found = self._rounds[-1][1].get(topic, ()) if self._rounds else ()
        samples = (self.samples(topic, n) for n in range(len(found)))
        return [growth([s[0], s[-1]]) if s else None for s in samples]

    def rate(self, topic: str, window_ms: int) -> float | None:
        """Records per second into a topic over the last ``window_ms``; None where it is not known
        of all its partitions."""
        if len(self._rounds) < 2:
            return None
        last_at, last = self._rounds[-1]
        since = next(r for r in self._rounds if r[0] >= last_at - window_ms)
        first, now = since[1].get(topic), last.get(topic)
        if first is None or now is None or len(first) != len(now) or since[0] == last_at:
            return None
        if any(offset < 0 for offset in (*first, *now)):
            return None
        return growth([(since[0], sum(first)), (last_at, sum(now))])
