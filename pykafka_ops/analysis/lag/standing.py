"""Where a group stands, partition by partition: the rows of ``--describe`` and of the lag reports.

Plain values in, plain values out; source: ConsumerGroupCommand (collectGroupOffsets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Partition = tuple[str, int]


class AssignedMember(NamedTuple):
    """A member with the partitions assigned to it."""

    id: str
    host: str
    client_id: str
    assigned: Sequence[Partition]


class Standing(NamedTuple):
    """One partition of a group; offsets are None where unknown, ``reader`` where nobody reads."""

    topic: str
    partition: int
    current: int | None
    end: int | None
    lag: int | None
    reader: AssignedMember | None


def lag_of(current: int | None, end: int | None) -> int | None:
    """Records between the committed offset and the end of the log; None if either is unknown.

    Negative where the log's end is before the commit (the log was truncated or made anew).
    """
    return None if current is None or end is None else end - current


def partitions_of(
    readers: Sequence[AssignedMember], committed: Mapping[Partition, int]
) -> set[Partition]:
    """Every partition that has a row: assigned, committed or both."""
    return {p for r in readers for p in r.assigned} | set(committed)


def standings(
    readers: Sequence[AssignedMember],
    committed: Mapping[Partition, int],
    ends: Mapping[Partition, int],
) -> list[Standing]:
    """Members with the most partitions first, then what is committed but read by nobody.

    ``committed`` and ``ends`` are offsets; a member without partitions has no row.
    """
    rows = []
    assigned: set[Partition] = set()
    busy = sorted((r for r in readers if r.assigned), key=lambda r: len(r.assigned), reverse=True)
    for reader in busy:
        assigned.update(reader.assigned)
        rows += [_standing(p, committed, ends, reader) for p in sorted(reader.assigned)]
    rows += [_standing(p, committed, ends, None) for p in sorted(set(committed) - assigned)]
    return rows


def _standing(
    partition: Partition,
    committed: Mapping[Partition, int],
    ends: Mapping[Partition, int],
    reader: AssignedMember | None,
) -> Standing:
    current, end = committed.get(partition), ends.get(partition)
    return Standing(*partition, current, end, lag_of(current, end), reader)
