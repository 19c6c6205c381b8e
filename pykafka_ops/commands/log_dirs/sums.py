"""Sizes of replicas, summed up in five ways: ``SUMS``, by what ``--by`` says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.output import Column

Dirs = Mapping[int, Sequence[LogDirDescription]]
"""Directories by broker."""
Row = dict[str, object]


def _by_replica(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partition", right=True), Column("broker", right=True),
        Column("bytes", right=True), Column("offset_lag", right=True),
        Column("future", optional=True), Column("dir"),
    )  # fmt: skip
    rows: list[Row] = [
        {
            "topic": r.topic,
            "partition": r.partition,
            "broker": broker,
            "bytes": r.size,
            "offset_lag": r.lag,
            "future": r.future,
            "dir": d.path,
        }
        for broker, found in dirs.items()
        for d in found
        for r in d.replicas
    ]
    rows.sort(key=lambda r: (str(r["topic"]), int(str(r["partition"])), int(str(r["broker"]))))
    return columns, rows


def _by_dir(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("broker", right=True), Column("dir"), Column("replicas", right=True),
        Column("bytes", right=True), Column("usable_bytes", "FREE", right=True),
        Column("total_bytes", "TOTAL", right=True), Column("error", optional=True, bad=bool),
    )  # fmt: skip
    rows: list[Row] = [
        {
            "broker": broker,
            "dir": d.path,
            "replicas": len(d.replicas),
            "bytes": sum(r.size for r in d.replicas),
            "usable_bytes": d.usable_bytes if d.usable_bytes >= 0 else None,
            "total_bytes": d.total_bytes if d.total_bytes >= 0 else None,
            "error": text_of(d.error) if d.error else None,
        }
        for broker, found in dirs.items()
        for d in found
    ]
    return columns, rows


def _by_broker(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("broker", right=True), Column("dirs", right=True), Column("replicas", right=True),
        Column("bytes", right=True), Column("usable_bytes", "FREE", right=True),
        Column("total_bytes", "TOTAL", right=True),
    )  # fmt: skip
    rows: list[Row] = []
    for broker, found in dirs.items():
        known = [d for d in found if d.total_bytes >= 0]
        rows.append(
            {
                "broker": broker,
                "dirs": len(found),
                "replicas": sum(len(d.replicas) for d in found),
                "bytes": sum(r.size for d in found for r in d.replicas),
                "usable_bytes": sum(d.usable_bytes for d in known) if known else None,
                "total_bytes": sum(d.total_bytes for d in known) if known else None,
            }
        )
    return columns, rows


def _by_topic(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partitions", right=True), Column("replicas", right=True),
        Column("bytes", right=True),
    )  # fmt: skip
    rows: dict[str, Row] = {}
    numbers: dict[str, set[int]] = {}
    for found in dirs.values():
        for d in found:
            for r in d.replicas:
                row = rows.setdefault(
                    r.topic, {"topic": r.topic, "partitions": 0, "replicas": 0, "bytes": 0}
                )
                numbers.setdefault(r.topic, set()).add(r.partition)
                row["partitions"] = len(numbers[r.topic])
                row["replicas"] = int(str(row["replicas"])) + 1
                row["bytes"] = int(str(row["bytes"])) + r.size
    return columns, [rows[t] for t in sorted(rows)]


def _by_partition(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partition", right=True), Column("replicas", right=True),
        Column("bytes", right=True), Column("largest_bytes", "LARGEST", right=True),
    )  # fmt: skip
    sizes: dict[tuple[str, int], list[int]] = {}
    for found in dirs.values():
        for d in found:
            for r in d.replicas:
                sizes.setdefault((r.topic, r.partition), []).append(r.size)
    rows: list[Row] = [
        {
            "topic": topic,
            "partition": number,
            "replicas": len(found),
            "bytes": sum(found),
            "largest_bytes": max(found),
        }
        for (topic, number), found in sorted(sizes.items())
    ]
    return columns, rows


SUMS = {
    "replica": _by_replica,
    "dir": _by_dir,
    "broker": _by_broker,
    "topic": _by_topic,
    "partition": _by_partition,
}
