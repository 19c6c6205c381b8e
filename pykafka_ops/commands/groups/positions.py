"""Where groups of every kind are: committed offsets, or the starts of share groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.analysis.lag.standing import (
    AssignedMember,
    Partition,
    Standing,
    partitions_of,
    standings,
)
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import SHARE, STREAMS, GroupDescription
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.share_offsets import ShareStart, fetch_share_offsets
from pykafka_ops.errors import KafkaError, PkoError


class GroupPositions(NamedTuple):
    """A group's offset by partition; ``lags`` as its coordinator counts them, of share groups alone
    (None: it does not say); ``refused``: partitions whose offset could not be had."""

    offsets: dict[Partition, int]
    lags: dict[Partition, int | None]
    refused: dict[Partition, KafkaError]

    def places(self, group: GroupDescription) -> set[Partition]:
        """Every partition that has a row: where the group is, or what it reads."""
        known = {*self.offsets, *self.lags, *self.refused, *group.reads}
        return partitions_of(readers_of(group), known)

    def standings(self, group: GroupDescription, ends: Mapping[Partition, int]) -> list[Standing]:
        """A row per partition; those of a share group have no reader, since all its members may
        read them."""
        if group.type != SHARE:
            return standings(readers_of(group), self.offsets, ends, self.places(group))
        return [
            Standing(*p, self.offsets.get(p), ends.get(p), self.lags.get(p), None)
            for p in sorted(self.places(group))
        ]


def positions(
    cluster: Cluster, groups: Mapping[str, GroupDescription]
) -> dict[str, GroupPositions | PkoError]:
    """Each group's offsets, in a question or two per coordinator, or what it says instead."""
    shared = [name for name, group in groups.items() if group.type == SHARE]
    others = [name for name in groups if name not in set(shared)]
    found: dict[str, GroupPositions | PkoError] = {}
    for name, commits in (fetch_offsets(cluster, others) if others else {}).items():
        found[name] = commits if isinstance(commits, PkoError) else _of_commits(commits)
    for name, starts in (fetch_share_offsets(cluster, shared) if shared else {}).items():
        found[name] = starts if isinstance(starts, PkoError) else _of_starts(starts)
    return {name: found[name] for name in groups}


def _of_commits(commits: Mapping[Partition, Committed | KafkaError]) -> GroupPositions:
    offsets = {p: c.offset for p, c in commits.items() if isinstance(c, Committed)}
    return GroupPositions(offsets, {}, _refused(commits))


def _of_starts(starts: Mapping[Partition, ShareStart | KafkaError]) -> GroupPositions:
    known = {p: s for p, s in starts.items() if isinstance(s, ShareStart)}
    offsets = {p: s.start for p, s in known.items() if s.start is not None}
    return GroupPositions(offsets, {p: s.lag for p, s in known.items()}, _refused(starts))


def _refused(found: Mapping[Partition, object]) -> dict[Partition, KafkaError]:
    return {p: e for p, e in found.items() if isinstance(e, KafkaError)}


def readers_of(group: GroupDescription) -> list[AssignedMember]:
    """The members of a group with what they read."""
    return [AssignedMember(m.id, m.host, m.client_id, m.assigned) for m in group.members]


def why_nothing(group: GroupDescription) -> str:
    """Why a group has no partition that a lag could be of."""
    if group.type == STREAMS and group.topology is None and group.members:
        return "topics of its topology are missing or do not fit"
    if not group.members:
        return "it has no members and has committed no offsets"
    return "its members have no partitions and it has committed no offsets"
