"""A made-up cluster with groups that do well and badly, and its lag by a plain loop."""

from __future__ import annotations

from bisect import bisect_left
from random import Random
from typing import Any

from pykafka_ops.analysis.commits.burrow import LEAST, Commit
from pykafka_ops.analysis.commits.history import Bucket, buckets
from pykafka_ops.analysis.lag.rows import (
    GroupLag,
    LagRow,
    PartitionFacts,
    Sample,
    by_group,
    lag_row,
)

NOW = 1_800_000_000_000
MINUTE = 60_000
WINDOW = 10 * MINUTE
SPAN = 4 * 60 * MINUTE
Key = tuple[str, str, int]
Place = tuple[str, int]


class World:
    """Commits of ``groups`` in partitions of two topics over four hours, by a seed."""

    def __init__(self, seed: int, moments: list[int]) -> None:
        self.random = Random(seed)
        self.places: list[Place] = [(t, p) for t in ("orders", "payments") for p in range(3)]
        self.groups = ["billing", "fraud", "search", "reports"]
        self.rates = {place: self.random.randint(0, 40) for place in self.places}
        self.moments = moments
        self.log: list[tuple[Key, Commit]] = []
        for group in self.groups:
            for place in self.places:
                self._commits((group, *place))
        self.log.sort(key=lambda row: row[1].timestamp)

    def end(self, place: Place, time: int) -> int:
        """Where the log ends at a time."""
        return 100_000 + self.rates[place] * (time - (NOW - SPAN)) // 1000

    def _commits(self, key: Key) -> None:
        group, place = key[0], key[1:]
        step = self.random.choice([5_000, 60_000, 600_000])
        time = NOW - SPAN - self.random.randint(1, step)
        stop = NOW - (SPAN // 2 if group == "search" else self.random.randint(0, 20_000))
        offset = self.end(place, time)
        while (time := time + step + self.random.randint(0, 999)) < stop:
            offset = self._next(group, place, time, offset)
            self.log.append((key, Commit(time, offset)))

    def _next(self, group: str, place: Place, time: int, offset: int) -> int:
        chance = self.random.random()
        if chance < 0.01:
            return -1
        if chance < 0.03:
            return max(0, offset - 500)
        if group == "fraud" and time > NOW - SPAN // 3:
            return offset
        return self.end(place, time) - self.random.choice([0, 0, 300, 4000])

    def committed(self) -> dict[Key, int]:
        """The last offset of each partition of a group, unless it was deleted."""
        last = {key: commit.offset for key, commit in self.log}
        return {key: offset for key, offset in last.items() if offset >= 0}

    def samples(self, place: Place) -> list[Sample]:
        """Ends of a log at the moments."""
        return [(moment, self.end(place, moment)) for moment in self.moments]

    def frames(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of ``FrameInputs``."""
        committed = self.committed()
        return {
            "partitions": [
                {"topic": t, "partition": p, "start_offset": 90_000, "end_offset":
                 self.end((t, p), NOW), "max_timestamp": NOW - 5}
                for t, p in [*self.places, ("unread", 0)]
                if (t, p) in self.rates or self.rates.setdefault((t, p), 3)
            ],
            "committed": [
                {"group": g, "topic": t, "partition": p, "offset": o}
                for (g, t, p), o in committed.items()
            ],
            "groups": [
                {"group": g, "state": "Stable", "member": "m", "client_id": f"c-{g}", "host": "h",
                 "topic": t, "partition": p}
                for g, t, p in {key for key, _ in self.log}
                if g != "search"
            ] + [{"group": "search", "state": "Empty"}],
            "commits": [
                {"group": g, "topic": t, "partition": p, "log_partition": 0, "log_offset": at,
                 "offset": c.offset if c.offset >= 0 else None, "tombstone": c.offset < 0,
                 "commit_timestamp": c.timestamp}
                for at, ((g, t, p), c) in enumerate(self.log)
            ],
            "ends": [
                {"topic": t, "partition": p, "at": at, "offset": offset}
                for t, p in self.places for at, offset in self.samples((t, p))
            ],
            "times": [
                {"topic": t, "partition": p, "offset": o, "timestamp": self.stamp(o)}
                for (g, t, p), o in committed.items()
            ],
        }  # fmt: skip

    @staticmethod
    def stamp(offset: int) -> int:
        """When the record at an offset was written, near enough."""
        return NOW - MINUTE - offset % 1000

    def history(self) -> dict[Key, list[Commit]]:
        """All commits by partition and group."""
        found: dict[Key, list[Commit]] = {}
        for key, commit in self.log:
            found.setdefault(key, []).append(commit)
        return found

    def rows(self) -> list[LagRow]:
        """Rows as ``pko groups lag`` makes them, of all commits of the window."""
        committed, made = self.committed(), []
        for (g, t, p), commits in sorted(self.history().items()):
            first = bisect_left(commits, NOW - WINDOW, key=lambda c: c.timestamp)
            recent, samples = commits[first:], self.samples((t, p))
            offset = committed.get((g, t, p))
            if offset is None and g == "search":
                continue
            made.append(lag_row(PartitionFacts(
                g, "Empty" if g == "search" else "Stable", t, p,
                None if g == "search" else f"c-{g}", offset, 90_000, self.end((t, p), NOW),
                None if offset is None else self.stamp(offset), NOW - 5,
                [s for s in samples if s[0] >= NOW - WINDOW], recent,
                [s for s in samples if s[0] < NOW - WINDOW],
                commits if len(recent) < LEAST else (),
            ), NOW))  # fmt: skip
        return made

    def totals(self) -> list[GroupLag]:
        """One row per group."""
        return by_group(self.rows())

    def over_time(self, times: list[int]) -> dict[str, list[Bucket]]:
        """The buckets of each group, as ``pko groups history`` makes them."""
        history = self.history()
        ends = {p: [*self.samples(p), (NOW, self.end(p, NOW))] for p in self.places}
        return {
            g: buckets({k[1:]: c for k, c in history.items() if k[0] == g}, ends, times)
            for g in self.groups
        }
