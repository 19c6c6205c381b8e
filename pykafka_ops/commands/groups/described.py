"""Groups with their offsets, in a handful of requests for all groups together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.lag.standing import Partition, Standing
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, GroupDescription, describe_groups
from pykafka_ops.commands.framework.output import PLACE, Column, numbers
from pykafka_ops.commands.groups.positions import positions
from pykafka_ops.errors import KafkaError, PkoError

STANDING = (
    Column("group"),
    *PLACE,
    Column("current_offset", "CURRENT", right=True),
    Column("log_end_offset", "END", right=True),
    *numbers("lag"),
)


class GroupStandings(NamedTuple):
    """A group and, where offsets were asked for, its rows, and what could not be had of them."""

    group: GroupDescription
    rows: list[Standing]
    refused: Mapping[Partition, KafkaError] = {}


def with_offsets(
    cluster: Cluster, names: Sequence[str], *, every_kind: bool = False
) -> dict[str, GroupStandings | PkoError]:
    """Each group with its offsets and lags, or what the cluster says instead."""
    groups = describe_groups(cluster, names, every_kind=every_kind)
    alive = {n: g for n, g in groups.items() if isinstance(g, GroupDescription) and g.state != DEAD}
    found = positions(cluster, alive)
    known = {n: at for n, at in found.items() if not isinstance(at, PkoError)}
    places = {p for n, at in known.items() for p in at.places(alive[n])}
    ends = offsets_at(cluster, sorted(places), offsets.LATEST)
    result: dict[str, GroupStandings | PkoError] = {}
    for name, group in groups.items():
        at = found.get(name)
        if isinstance(group, PkoError):
            result[name] = group
        elif isinstance(at, PkoError):
            result[name] = at
        elif at is None:
            result[name] = GroupStandings(group, [])
        else:
            result[name] = GroupStandings(group, at.standings(group, ends), at.refused)
    return result


def offsets_at(
    cluster: Cluster, partitions: Iterable[Partition], moment: int
) -> dict[Partition, int]:
    """Offsets by time; partitions without one (of a deleted topic) are left out."""
    found = offsets.known_offsets(cluster, partitions, moment)
    return {p: o.offset for p, o in found.items()}
