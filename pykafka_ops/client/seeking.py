"""Where the offsets of a group are to go, worked out with what brokers say; and their commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.offset_reset import Clamped, Partition, clamp
from pykafka_ops.client import offsets
from pykafka_ops.client.answers import complete
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.offsets import Offset
from pykafka_ops.client.share_offsets import alter_share_offsets, fetch_share_offsets
from pykafka_ops.errors import KafkaError, PkoError

Offsets = dict[Partition, int]


class OffsetPlan(NamedTuple):
    """The offsets to commit, those committed now, and what to say about them.

    ``empty``: partitions without a record at or after the moment asked for. ``found`` is False
    where a plan file does not name the group.
    """

    offsets: Offsets
    committed: Offsets
    clamped: Sequence[Clamped] = ()
    empty: Sequence[Partition] = ()
    found: bool = True


def known_commits(found: Mapping[Partition, Committed | KafkaError]) -> Offsets:
    """The offsets committed, without what could not be had."""
    return {p: c.offset for p, c in found.items() if isinstance(c, Committed)}


def committed_by(cluster: Cluster, group: str) -> Offsets:
    """The committed offsets of a group. Raises KafkaError."""
    found = fetch_offsets(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    return known_commits(found)


def share_starts(cluster: Cluster, group: str) -> dict[Partition, int | None]:
    """Where a share group begins in each of its partitions; None: its members have not come there.
    Raises PkoError, also that of a partition."""
    found = fetch_share_offsets(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    starts: dict[Partition, int | None] = {}
    for place, value in found.items():
        if isinstance(value, KafkaError):
            raise value
        starts[place] = value.start
    return starts


def offsets_at(cluster: Cluster, wanted: Sequence[Partition], moment: int) -> Offsets:
    """The offset of every partition at a time (ms, or a special one). Raises PkoError for the first
    that cannot be had."""
    found = offsets.list_offsets(cluster, dict.fromkeys(wanted, moment)) if wanted else {}
    for value in found.values():
        if isinstance(value, PkoError):
            raise value
    return {p: v.offset for p, v in found.items() if isinstance(v, Offset)}


def within(cluster: Cluster, wishes: Mapping[Partition, int], committed: Offsets) -> OffsetPlan:
    """To these offsets, or the nearest that the logs have. Raises PkoError."""
    starts = offsets_at(cluster, list(wishes), offsets.EARLIEST)
    ends = offsets_at(cluster, list(wishes), offsets.LATEST)
    result, moved = clamp(wishes, starts, ends)
    return OffsetPlan(result, committed, clamped=moved)


def since(
    cluster: Cluster, moment: int, wanted: Sequence[Partition], committed: Offsets
) -> OffsetPlan:
    """To the first record at a moment (ms) or after it; to the end where there is none. Raises
    PkoError."""
    found = offsets_at(cluster, wanted, moment)
    empty = [p for p in wanted if found[p] < 0]
    found.update(offsets_at(cluster, empty, offsets.LATEST))
    return OffsetPlan({p: found[p] for p in wanted}, committed, empty=empty)


def commit(
    cluster: Cluster, group: str, offsets: Offsets, *, shared: bool = False
) -> dict[Partition, PkoError]:
    """Commit for a group without members (``shared``: let a share group begin there); the
    partitions that failed, or of which nothing was said. Raises what failed as a whole."""
    if not offsets:
        return {}
    if shared:
        return _failed(alter_share_offsets(cluster, group, offsets))
    wanted = {p: Committed(offset, -1, "") for p, offset in offsets.items()}
    results = commit_offsets(cluster, group, wanted)
    if isinstance(results, PkoError):
        raise results
    every = complete(results, offsets)
    return _failed(every)


def _failed(done: Mapping[Partition, PkoError | None]) -> dict[Partition, PkoError]:
    return {p: error for p, error in done.items() if error is not None}
