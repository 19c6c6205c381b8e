"""Tables of a cluster's metadata: a function per table, from a cluster to columns."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

from pykafka_ops.client import configs as client_configs
from pykafka_ops.client import offsets as o
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.log_dirs import LogDirDescription, describe_log_dirs
from pykafka_ops.client.offsets import Offset
from pykafka_ops.client.quorum import controller_of
from pykafka_ops.errors import UsageError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.spark import schemas
from pykafka_ops.spark.inputs import moments
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.live._cluster import known, led, offsets_at, topics_in
from pykafka_ops.spark.sources.live.groups import committed, firsts, groups, times
from pykafka_ops.spark.sources.live.pages import (
    TablePage,
    of_brokers,
    of_groups,
    of_topics,
    one_page,
)
from pykafka_ops.spark.sources.options import SourceOptions, now_ms

Rows = Callable[[Cluster, SourceOptions, Container[str], TablePage], Iterator[Row]]
"""Rows of a page of a table, by a cluster, options, and the columns that are wanted."""
HOUR: Final = 3_600_000
MOST_MOMENTS: Final = 10_000
TOPICS_AT_ONCE: Final = 1000


def partitions(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """PARTITIONS; offsets and times are asked for only where they are wanted."""
    topics = topics_in(cluster, page)
    every = led(topics)

    def ask(column: str, time: int) -> dict[Partition, Offset]:
        return offsets_at(cluster, every, time, whole=page.whole) if column in wanted else {}

    starts = ask("start_offset", o.EARLIEST)
    ends = ask("end_offset", o.LATEST)
    newest = newest_of(cluster, every, whole=page.whole) if "max_timestamp" in wanted else {}
    for name, p in ((t.name, p) for t in topics for p in t.partitions):
        key = name, p.number
        leader = p.leader if p.leader >= 0 else None
        offsets = offset_of(starts.get(key)), offset_of(ends.get(key))
        yield *key, leader, p.replicas, p.isr, *offsets, newest.get(key)


def newest_of(cluster: Cluster, every: Iterable[Partition], **how: Any) -> dict[Partition, int]:
    """Times of the newest records; none where all brokers are older than 3.0."""
    try:
        found = offsets_at(cluster, every, o.MAX_TIMESTAMP, **how)
    except UnsupportedVersionError:
        return {}
    return {p: at.timestamp for p, at in found.items() if at.timestamp >= 0}


def offset_of(found: Offset | None) -> int | None:
    """The offset, where there is one."""
    return None if found is None or found.offset < 0 else found.offset


def brokers(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """BROKERS."""
    controller = controller_of(cluster)
    for n in sorted(cluster.brokers().values()):
        yield n.id, n.host, n.port, n.rack, n.id == controller


def log_dirs(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """LOG_DIRS, broker by broker; a directory that failed is left out."""
    names = options.names("subscribe", "subscribePattern")
    answers = describe_log_dirs(cluster, page.brokers)
    for broker, dirs in known(answers, whole=page.whole).items():
        for found in dirs:
            if found.error is None:
                yield from _replicas(broker, found, names)


def _replicas(broker: int, found: LogDirDescription, names: Container[str]) -> list[Row]:
    total, usable = (b if b >= 0 else None for b in (found.total_bytes, found.usable_bytes))
    rows: list[Row] = [
        (broker, found.path, r.topic, r.partition, r.size, r.lag, r.future, total, usable)
        for r in found.replicas
        if r.topic in names
    ]
    return rows or [(broker, found.path, None, None, None, None, None, total, usable)]


def configs(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """CONFIGS; ``names`` may say which settings."""
    keys = options.words("names") or None
    for begin in range(0, len(page.names), TOPICS_AT_ONCE):
        resources = [
            client_configs.ConfigResource(client_configs.TOPIC, name)
            for name in page.names[begin : begin + TOPICS_AT_ONCE]
        ]
        answers = client_configs.describe_configs(cluster, resources, keys=keys)
        described = known(answers, whole=page.whole)
        for resource, entries in described.items():
            for e in entries:
                yield resource.name, e.name, e.value, _source(e.source)


def _source(number: int) -> str:
    try:
        return ConfigSource(number).name
    except ValueError:
        return ConfigSource.UNKNOWN.name


def ends(
    cluster: Cluster, options: SourceOptions, wanted: Container[str], page: TablePage
) -> Iterator[Row]:
    """ENDS at the ``times`` given, or at the borders of ``steps`` from ``since`` to ``until``."""
    yield from ends_at(cluster, led(topics_in(cluster, page)), moments_of(options, now_ms()))


def moments_of(options: SourceOptions, now: int) -> list[int]:
    """The moments that the options mean; without any, seven from an hour ago until now."""
    if options.has("times"):
        try:
            return sorted({int(word) for word in options.words("times")})
        except ValueError:
            raise UsageError(f"option times={options.text('times')}: not times in ms") from None
    until = options.integer("until")
    last = now if until is None else until
    since = options.integer("since")
    first = last - HOUR if since is None else since
    steps = options.integer("steps", 6, lowest=1) or 6
    if first >= last or steps > MOST_MOMENTS:
        raise UsageError(
            f"options since={first}, until={last}, steps={steps}: since must be before until, "
            f"steps at most {MOST_MOMENTS}"
        )
    return moments(first, last, steps)


def ends_at(cluster: Cluster, every: Sequence[Partition], times_: Iterable[int]) -> Iterator[Row]:
    """ENDS of the partitions at each moment, a question per broker and moment."""
    latest = {p: at.offset for p, at in offsets_at(cluster, every, o.LATEST).items()}
    for moment in times_:
        for p, at in offsets_at(cluster, latest, max(0, moment)).items():
            yield *p, moment, at.offset if at.offset >= 0 else latest[p]


class LiveTable(NamedTuple):
    """``pages`` says what its tasks ask, ``rows`` asks."""

    columns: pa.Schema
    rows: Rows
    pages: Callable[[Cluster, SourceOptions], list[TablePage]]


TABLES: Final[dict[str, LiveTable]] = {
    "partitions": LiveTable(schemas.PARTITIONS, partitions, of_topics),
    "brokers": LiveTable(schemas.BROKERS, brokers, one_page),
    "log_dirs": LiveTable(schemas.LOG_DIRS, log_dirs, of_brokers),
    "configs": LiveTable(schemas.CONFIGS, configs, of_topics),
    "groups": LiveTable(schemas.GROUPS, groups, of_groups),
    "committed": LiveTable(schemas.COMMITTED, committed, of_groups),
    "times": LiveTable(schemas.TIMES, times, one_page),
    "firsts": LiveTable(schemas.TIMES, firsts, of_topics),
    "ends": LiveTable(schemas.ENDS, ends, of_topics),
}
"""By the option ``what``; the first is the default."""
