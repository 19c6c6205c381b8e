"""Where a group stands, partition by partition: the rows of ``--describe`` and of the lag reports.

Plain values in, plain values out; source: ConsumerGroupCommand (collectGroupOffsets).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Partition = tuple[str, int]
_new = tuple.__new__


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
    readers: Sequence[AssignedMember], committed: Iterable[Partition]
) -> set[Partition]:
    """Every partition that has a row: assigned, committed or both."""
    return {p for r in readers for p in r.assigned} | set(committed)


def standings(
    readers: Sequence[AssignedMember],
    committed: Mapping[Partition, int],
    ends: Mapping[Partition, int],
    others: Iterable[Partition] = (),
) -> list[Standing]:
    """Members with the most partitions first, then what is committed or among ``others``, but read
    by nobody.

    ``committed`` and ``ends`` are offsets; a member without partitions has no row.
    """
    rows = []
    assigned: set[Partition] = set()
    busy = sorted((r for r in readers if r.assigned), key=lambda r: len(r.assigned), reverse=True)
    for reader in busy:
        assigned.update(reader.assigned)
        rows += _standings(sorted(reader.assigned), committed, ends, reader)
    left = {*committed, *others} - assigned
    rows += _standings(sorted(left), committed, ends, None)
    return rows


def _standings(
    partitions: Sequence[Partition],
    committed: Mapping[Partition, int],
    ends: Mapping[Partition, int],
    reader: AssignedMember | None,
) -> list[Standing]:
    rows = []
    for partition in partitions:  # there may be many: no call for each that can be spared
        current, end = committed.get(partition), ends.get(partition)
        lag = lag_of(current, end)
        rows.append(_new(Standing, (*partition, current, end, lag, reader)))
    return rows
