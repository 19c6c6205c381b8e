"""Where a group's offsets are to go: clamped into the log, compared with where they are.

Source: ConsumerGroupCommand (prepareOffsetsToReset, checkOffsetsRange).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Partition = tuple[str, int]


class Clamped(NamedTuple):
    """A requested offset outside the log and its replacement; ``high``: it was beyond the end."""

    partition: Partition
    wanted: int
    offset: int
    high: bool


def clamp(
    requested: Mapping[Partition, int],
    starts: Mapping[Partition, int],
    ends: Mapping[Partition, int],
) -> tuple[dict[Partition, int], list[Clamped]]:
    """The offsets within [log start offset, log end offset], and which had to be moved there."""
    result: dict[Partition, int] = {}
    moved = []
    for partition, wanted in requested.items():
        offset = min(max(wanted, starts[partition]), ends[partition])
        result[partition] = offset
        if offset != wanted:
            moved.append(Clamped(partition, wanted, offset, wanted > offset))
    return result, moved


class OffsetChange(NamedTuple):
    """One partition of a plan; ``current`` None where nothing was committed.

    ``records`` is how many offsets are skipped (positive) or read again (negative).
    """

    topic: str
    partition: int
    current: int | None
    new: int
    records: int | None


def moves(plan: Mapping[Partition, int], committed: Mapping[Partition, int]) -> list[OffsetChange]:
    """The plan beside what is committed now, by topic and partition."""
    found = []
    for (topic, index), new in sorted(plan.items()):
        current = committed.get((topic, index))
        found.append(
            OffsetChange(topic, index, current, new, None if current is None else new - current)
        )
    return found
