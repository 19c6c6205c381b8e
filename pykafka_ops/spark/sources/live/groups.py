"""Tables about consumer groups: members, committed offsets, and when what is there was written."""

from __future__ import annotations

from collections.abc import Container, Iterator

from pykafka_ops.client import offsets as o
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.record_times import record_times
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.live._cluster import known, led, offsets_at, topics_in, topics_of
from pykafka_ops.spark.sources.live.pages import TablePage, of_groups
from pykafka_ops.spark.sources.options import SourceOptions


def groups(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """GROUPS; a group that may not be described is left out."""
    topics = options.names("subscribe", "subscribePattern")
    for group in known(describe_groups(cluster, page.names), whole=page.whole).values():
        yield from _rows(group, topics)


def _rows(group: GroupDescription, topics: Container[str]) -> Iterator[Row]:
    if not group.members:
        yield group.id, group.state, None, None, None, None, None
    for member in group.members:
        start = group.id, group.state, member.id, member.client_id, member.host
        assigned = [p for p in member.assigned if p[0] in topics]
        for topic, partition in assigned:
            yield *start, topic, partition
        if not assigned:
            yield *start, None, None


def _commits(
    cluster: Cluster, options: SourceOptions, page: TablePage
) -> Iterator[tuple[str, Partition, Committed]]:
    """The offsets in force."""
    topics = options.names("subscribe", "subscribePattern")
    for group, offsets in known(fetch_offsets(cluster, page.names), whole=page.whole).items():
        for p, value in offsets.items():
            if isinstance(value, Committed) and p[0] in topics:
                yield group, p, value


def committed(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """COMMITTED."""
    for group, p, c in _commits(cluster, options, page):
        yield group, *p, c.offset, c.leader_epoch if c.leader_epoch >= 0 else None, c.metadata


def firsts(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """TIMES of the first record of each log that has one."""
    every = sorted(set(led(topics_in(cluster, page))))
    starts, ends = (
        offsets_at(cluster, every, time, whole=page.whole) for time in (o.EARLIEST, o.LATEST)
    )
    places = {(p, at.offset) for p, at in starts.items() if p in ends}
    inside = {(p, offset) for p, offset in places if 0 <= offset < ends[p].offset}
    for (p, at), stamp in record_times(cluster, inside).items():
        yield *p, at, stamp


def times(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """TIMES at every committed offset that lies inside its log."""
    pages = of_groups(cluster, options)
    places = {(p, c.offset) for part in pages for _, p, c in _commits(cluster, options, part)}
    every = sorted({p for p, _ in places} & set(led(topics_of(cluster, options))))
    starts, ends = (offsets_at(cluster, every, time) for time in (o.EARLIEST, o.LATEST))
    inside = {
        (p, offset)
        for p, offset in places
        if p in starts and p in ends and starts[p].offset <= offset < ends[p].offset
    }
    for (p, at), stamp in record_times(cluster, inside).items():
        yield *p, at, stamp
