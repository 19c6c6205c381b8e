"""Groups with their offsets, in a handful of requests for all groups together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.lag.standing import (
    AssignedMember,
    Partition,
    Standing,
    partitions_of,
    standings,
)
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import fetch_offsets
from pykafka_ops.client.seeking import known_commits
from pykafka_ops.commands.framework.output import PLACE, Column, numbers
from pykafka_ops.errors import PkoError

STANDING = (
    Column("group"),
    *PLACE,
    Column("current_offset", "CURRENT", right=True),
    Column("log_end_offset", "END", right=True),
    *numbers("lag"),
)


class GroupStandings(NamedTuple):
    """A group and, where offsets were asked for, its rows."""

    group: GroupDescription
    rows: list[Standing]


def with_offsets(cluster: Cluster, names: Sequence[str]) -> dict[str, GroupStandings | PkoError]:
    """Each group with its offsets and lags, or what the cluster says instead."""
    groups = describe_groups(cluster, names)
    alive = [n for n, g in groups.items() if isinstance(g, GroupDescription) and g.state != DEAD]
    commits = fetch_offsets(cluster, alive)
    readers = {n: readers_of(g) for n, g in groups.items() if isinstance(g, GroupDescription)}
    committed = {
        n: known_commits(found) for n, found in commits.items() if not isinstance(found, PkoError)
    }
    places = {p for n in committed for p in partitions_of(readers[n], committed[n])}
    ends = offsets_at(cluster, sorted(places), offsets.LATEST)
    result: dict[str, GroupStandings | PkoError] = {}
    for name, group in groups.items():
        error = commits.get(name)
        if isinstance(group, PkoError):
            result[name] = group
        elif isinstance(error, PkoError):
            result[name] = error
        else:
            result[name] = GroupStandings(
                group, standings(readers[name], committed.get(name, {}), ends)
            )
    return result


def offsets_at(
    cluster: Cluster, partitions: Iterable[Partition], moment: int
) -> dict[Partition, int]:
    """Offsets by time; partitions without one (of a deleted topic) are left out."""
    found = offsets.known_offsets(cluster, partitions, moment)
    return {p: o.offset for p, o in found.items()}


def readers_of(group: GroupDescription) -> list[AssignedMember]:
    """The members of a group with what they read."""
    return [AssignedMember(m.id, m.host, m.client_id, m.assigned) for m in group.members]
