"""Sizes of replicas, summed up in five ways: ``SUMS``, by what ``--by`` says."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.output import PLACE, Cells, Column, numbers, rows_of

Dirs = Mapping[int, Sequence[LogDirDescription]]
"""Directories by broker."""
ROOM = (
    Column("usable_bytes", "FREE", right=True), Column("total_bytes", "TOTAL", right=True),
)  # fmt: skip
REPLICAS = (
    *PLACE, *numbers("broker", "bytes", "offset_lag"), Column("future", optional=True),
    Column("dir"),
)  # fmt: skip
DIRS = (
    *numbers("broker"), Column("dir"), *numbers("replicas", "bytes"), *ROOM,
    Column("error", optional=True, bad=bool),
)  # fmt: skip
BROKERS = (*numbers("broker", "dirs", "replicas", "bytes"), *ROOM)
TOPICS = (Column("topic"), *numbers("partitions", "replicas", "bytes"))
PARTITIONS = (
    *PLACE, *numbers("replicas", "bytes"), Column("largest_bytes", "LARGEST", right=True),
)  # fmt: skip


def _by_replica(dirs: Dirs) -> tuple[Sequence[Column], list[Cells]]:
    rows = [
        (r.topic, r.partition, broker, r.size, r.lag, r.future, d.path)
        for broker, found in dirs.items()
        for d in found
        for r in d.replicas
    ]
    rows.sort(key=lambda row: row[:3])
    return REPLICAS, rows_of(REPLICAS, rows)


def _by_dir(dirs: Dirs) -> tuple[Sequence[Column], list[Cells]]:
    rows: list[tuple[object, ...]] = []
    for broker, found in dirs.items():
        for d in found:
            size = sum(r.size for r in d.replicas)
            room = (n if n >= 0 else None for n in (d.usable_bytes, d.total_bytes))
            error = text_of(d.error) if d.error else None
            rows.append((broker, d.path, len(d.replicas), size, *room, error))
    return DIRS, rows_of(DIRS, rows)


def _by_broker(dirs: Dirs) -> tuple[Sequence[Column], list[Cells]]:
    rows: list[tuple[object, ...]] = []
    for broker, found in dirs.items():
        sizes = [r.size for d in found for r in d.replicas]
        known = [d for d in found if d.total_bytes >= 0]
        free = sum(d.usable_bytes for d in known) if known else None
        total = sum(d.total_bytes for d in known) if known else None
        rows.append((broker, len(found), len(sizes), sum(sizes), free, total))
    return BROKERS, rows_of(BROKERS, rows)


def _by_topic(dirs: Dirs) -> tuple[Sequence[Column], list[Cells]]:
    rows = []
    by_topic = sorted(_sizes(dirs).items())
    for topic, group in itertools.groupby(by_topic, key=lambda item: item[0][0]):
        found = [sizes for _, sizes in group]
        rows.append((topic, len(found), sum(map(len, found)), sum(map(sum, found))))
    return TOPICS, rows_of(TOPICS, rows)


def _by_partition(dirs: Dirs) -> tuple[Sequence[Column], list[Cells]]:
    found = sorted(_sizes(dirs).items())
    rows = ((*place, len(sizes), sum(sizes), max(sizes)) for place, sizes in found)
    return PARTITIONS, rows_of(PARTITIONS, rows)


def _sizes(dirs: Dirs) -> dict[tuple[str, int], list[int]]:
    """Bytes of each replica, by partition."""
    sizes: dict[tuple[str, int], list[int]] = {}
    for found in dirs.values():
        for d in found:
            for r in d.replicas:
                sizes.setdefault((r.topic, r.partition), []).append(r.size)
    return sizes


SUMS = {
    "replica": _by_replica,
    "dir": _by_dir,
    "broker": _by_broker,
    "topic": _by_topic,
    "partition": _by_partition,
}
