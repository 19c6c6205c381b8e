"""Where ``pko consume`` begins and ends in each partition: its last records, a time, offsets."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pykafka_ops.analysis.logs.query import offset_range, within
from pykafka_ops.analysis.moments import between
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import PkoError, UsageError

DOTS = ".."
LAST_OFFSET = 2**63 - 1


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

        def at(time: int) -> dict[Partition, int]:
            wanted = dict.fromkeys(partitions, time)
            return _known(list_offsets(cluster, wanted, read_committed=read_committed))

        since, until = self.times
        lows, highs = at(EARLIEST), at(LATEST)
        firsts = lows if since is None else at(since)
        ends = {} if until is None else at(until)
        return {p: self._span(lows[p], highs[p], firsts[p], ends.get(p, -1)) for p in partitions}

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


def _known(found: dict[Partition, Offset | PkoError]) -> dict[Partition, int]:
    offsets = {}
    for partition, value in found.items():
        if isinstance(value, PkoError):
            raise value
        offsets[partition] = value.offset
    return offsets


def bounds_of(args: Args, now: int) -> ReadBounds | None:
    """What the options ask for; None where reading begins and ends as in Kafka's tool.

    UsageError for what cannot be read or does not go together.
    """
    offset = args.text("offset") or ""
    given = [f"--{o}" for o in ("last", "since", "until") if args.has(o)]
    given += ["--offset FIRST..LAST"] if DOTS in offset else []
    if args.flags or not given:
        return None
    starts = [o for o in ("last", "since", "offset", "from-beginning") if args.has(o)]
    if len(starts) > 1:
        raise UsageError(f"{' and '.join('--' + o for o in starts)} exclude each other")
    if args.has("group"):
        raise UsageError(f"{given[0]} goes without --group, which goes on from its commits")
    return ReadBounds(
        last=args.number("last"),
        times=between(args.text("since"), args.text("until"), now),
        offsets=offset_range(offset) if DOTS in offset else None,
        follow=args.has("follow"),
    )
