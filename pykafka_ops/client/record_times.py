"""When records were written, read from the logs at single offsets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from pykafka_ops.analysis.lag.rows import end_at, spread
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import fetch, records_from
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError

TURNS: Final = 8
"""At how many offsets a partition is read, at most."""
FIRST_LOOK: Final = 64 << 10
SECOND_LOOK: Final = 2 << 20
"""Bytes to read for the record at an offset: most batches are small."""

Times = dict[tuple[Partition, int], int]


def record_times(
    cluster: Cluster,
    wanted: Collection[tuple[Partition, int]],
    leaders: Mapping[Partition, int] | None = None,
) -> Times:
    """The timestamp (ms) of the first record at or behind each offset; without those not found.

    A request reads a partition at one offset, so several offsets of a partition take turns; where
    they are more than ``TURNS``, the times of those in between follow in proportion. ``leaders`` as
    ``ask_leaders``.
    """
    stamps: Times = {}
    offsets_of: dict[Partition, list[int]] = {}
    for p, offset in sorted(wanted):
        offsets_of.setdefault(p, []).append(offset)
    turns = {p: spread(found, TURNS) for p, found in offsets_of.items()}
    while turns:
        now = {p: found.pop() for p, found in turns.items()}
        for size in (FIRST_LOOK, SECOND_LOOK):
            now = _look(cluster, now, size, stamps, leaders)
        turns = {p: found for p, found in turns.items() if found}
    for p, found in offsets_of.items():
        known = [(offset, stamps[p, offset]) for offset in found if (p, offset) in stamps]
        for offset in found:
            between = end_at(known, offset)
            if (p, offset) not in stamps and between is not None:
                stamps[p, offset] = between
    return stamps


def _look(
    cluster: Cluster,
    wanted: Mapping[Partition, int],
    size: int,
    stamps: Times,
    leaders: Mapping[Partition, int] | None,
) -> dict[Partition, int]:
    """Read ``size`` bytes at each offset; what is still not known."""
    left: dict[Partition, int] = {}
    while wanted:
        crowded = {}
        found = fetch(cluster, wanted, partition_bytes=size, leaders=leaders)
        for p, answer in found.items():
            if isinstance(answer, PkoError):
                continue
            if not answer.records and wanted[p] < answer.high_watermark:
                crowded[p] = wanted[p]  # the leader had no room left for it
                continue
            try:
                record = next(records_from(answer.records, wanted[p]), None)
            except PkoError:
                continue
            if record is None:
                left[p] = wanted[p]
            else:
                stamps[p, wanted[p]] = record.timestamp
        if len(crowded) == len(wanted):
            return {**left, **crowded}
        wanted = crowded
    return left
