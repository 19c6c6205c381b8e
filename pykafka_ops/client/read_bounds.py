"""Where reading begins and ends in each partition: its last records, a time, offsets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from pykafka_ops.analysis.logs.query import within
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, list_offsets
from pykafka_ops.errors import PkoError

LAST_OFFSET: Final = 2**63 - 1


class OffsetSpan(NamedTuple):
    """The first offset of a partition that is read, and the first that is not (None: no end)."""

    start: int
    end: int | None


class ReadBounds(NamedTuple):
    """``last``: so many records. ``times``: [first, end) in ms, a side may be open. ``offsets``:
    first and last. ``follow``: go on behind the present end."""

    last: int | None
    times: tuple[int | None, int | None]
    offsets: tuple[int, int] | None
    follow: bool

    def spans(
        self, cluster: Cluster, partitions: Collection[Partition], *, read_committed: bool
    ) -> dict[Partition, OffsetSpan]:
        """Where each partition is read, as it stands now. Raises PkoError."""
        found = {}
        for p, span in self.look(cluster, partitions, read_committed=read_committed).items():
            if isinstance(span, PkoError):
                raise span
            found[p] = span
        return found

    def look(
        self, cluster: Cluster, partitions: Collection[Partition], *, read_committed: bool
    ) -> dict[Partition, OffsetSpan | PkoError]:
        """As ``spans``, with the error of a partition in its place."""
        failed: dict[Partition, PkoError] = {}

        def at(time: int) -> dict[Partition, int]:
            wanted = {p: time for p in partitions if p not in failed}
            offsets = {}
            for p, found in list_offsets(cluster, wanted, read_committed=read_committed).items():
                if isinstance(found, PkoError):
                    failed[p] = found
                else:
                    offsets[p] = found.offset
            return offsets

        since, until = self.times
        lows, highs = at(EARLIEST), at(LATEST)
        firsts = lows if since is None else at(since)
        ends = {} if until is None else at(until)
        return {
            p: failed[p]
            if p in failed
            else self._span(lows[p], highs[p], firsts[p], ends.get(p, -1))
            for p in partitions
        }

    def _span(self, low: int, high: int, first: int, until: int) -> OffsetSpan:
        """``first`` and ``until`` are -1 where no record is as late as that."""
        ends = [] if self.follow else [high]
        if self.offsets is not None and self.offsets[1] < LAST_OFFSET:
            ends.append(self.offsets[1] + 1)
        if until >= 0:
            ends.append(until)
        end = min(ends, default=None)
        start = high if first < 0 else max(low, first)
        if self.offsets is not None:
            start = max(start, self.offsets[0])
        if self.last is not None:
            start = max(start, (high if end is None else end) - self.last)
        return OffsetSpan(start, end)

    def holds(self, timestamp: int) -> bool:
        """Whether a record of that time (ms) is wanted."""
        return self.times == (None, None) or within(timestamp, self.times)

    def is_over(self, timestamp: int) -> bool:
        """Whether a record of that time (ms) is behind the last one wanted."""
        return self.times[1] is not None and timestamp >= self.times[1]
