"""FIGURES of partitions to sums of topics and directories, and to the rows that matter most: in
executors, so that what comes here grows with topics and directories, not with partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from pykafka_ops.analysis import compaction
from pykafka_ops.analysis.lag import unread
from pykafka_ops.spark.arrow import map_rows, row_batches, rows_of
from pykafka_ops.spark.engines import ArrowTask, first_rows, functions_of, in_arrow
from pykafka_ops.spark.model import Column, MetRows
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention.columns import AT_RISK, COMPACTION
from pykafka_ops.spark.reports.retention.fold import Directory, DirKey, Row, TopicSums
from pykafka_ops.spark.reports.retention.judge import RISK
from pykafka_ops.spark.reports.topics import added_by_topic
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS: Final = 20_000
"""Rows of a section about partitions that a report holds."""
_CHUNK: Final = 1000
_KINDS: Final[Mapping[str, pa.DataType]] = {
    "doubles": array_of(pa.float64()),
    "texts": array_of(pa.string()),
}
_TOPICS: Final = columns(
    "name string, bytes bigint, oldest bigint, newest bigint, late bigint, old bigint,"
    "overhang bigint, unknown bigint, steady bigint, statuses texts, rates rates, ages longs,"
    "left rates",
    rates=array_of(pa.int64(), nulls=True),
    **_KINDS,
)
"""The fields of TopicSums."""
_DIRS: Final = columns(
    "broker int, log_dir string, total bigint, usable bigint, bytes bigint, kept doubles,"
    "fresh doubles, days doubles, hours doubles, uncut doubles, growing_topics texts,"
    "growing_bytes doubles, oldest bigint, unforeseen boolean",
    **_KINDS,
)
"""The fields of Directory, ``growing`` as two lists."""
_OF_REPLICA: Final = ("kept", "fresh", "days", "hours", "uncut", "oldest")
_RISKS: Final = pa.schema([*columns("topic string, partition int"), *RISK, ("rank", pa.int64())])
_DEBT: Final = columns(
    "topic string, partition int, clean_bytes bigint, dirty_bytes bigint, dirty_ratio double,"
    "first_dirty_offset bigint, uncleanable bigint, oldest_dirty bigint"
)
_DEBTS: Final = pa.schema([*_DEBT, ("status", pa.string()), ("rank", pa.int64())])


class FirstRows(NamedTuple):
    """The ``rows`` of a section that come first, of ``total``; ``sums`` of all by name; which meet
    the condition, and where all are, where there are more."""

    rows: Sequence[Row] = ()
    total: int = 0
    sums: Mapping[str, int] = {}
    met: MetRows | None = None
    elsewhere: str = ""


NO_ROWS: Final = FirstRows()


def topic_sums(figures: DataFrame) -> dict[str, TopicSums]:
    """Sums by topic."""
    found = added_by_topic(figures, TopicSums, _of_topic, _TOPICS).toArrow()
    return {
        row["name"]: TopicSums(**{**row, "statuses": set(row["statuses"])})
        for batch in found.to_batches(max_chunksize=_CHUNK)
        for row in batch.to_pylist()
    }


def _of_topic(topic: TopicSums) -> Row:
    found = {name: getattr(topic, name) for name in _TOPICS.names}
    return {**found, "statuses": sorted(topic.statuses)}


def dir_sums(log_dirs: DataFrame, figures: DataFrame) -> dict[DirKey, Directory]:
    """Sums by directory, from LOG_DIRS without replicas that are still being copied. Of the topics
    that grow there only the fastest comes here: directories times topics may be millions."""
    f = functions_of(figures)
    known = figures.select("topic", "partition", f.col("bytes").alias("of_log"), *_OF_REPLICA)
    found = log_dirs.join(known, ["topic", "partition"], "left")
    parts = in_arrow(found, _dirs_task(_add_replica, lambda each: each.growing), _DIRS)
    whole = in_arrow(
        parts.repartition("log_dir", "broker"), _dirs_task(_add_part, Directory.fastest), _DIRS
    )
    return {(row["broker"], row["log_dir"]): _directory(row) for row in whole.toArrow().to_pylist()}


def _dirs_task(
    add: Callable[[Directory, Row], None], growing: Callable[[Directory], Mapping[str, float]]
) -> ArrowTask:
    """What a task does with rows of directories; ``growing`` is what is told of growing topics."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        dirs: dict[DirKey, Directory] = {}
        for row in rows_of(batches, _CHUNK):
            at = row["broker"], row["log_dir"]
            if at not in dirs:
                total, usable = (row.get(n, row.get(f"{n}_bytes")) for n in ("total", "usable"))
                dirs[at] = Directory(*at, total=total, usable=usable)
            add(dirs[at], row)
        yield from row_batches(_DIRS, (_of_directory(d, growing(d)) for d in dirs.values()))

    return task


def _add_replica(directory: Directory, row: Row) -> None:
    if row["topic"] is not None:
        directory.add({**row, "bytes": row["of_log"]}, row["size"] or 0)


def _add_part(directory: Directory, row: Row) -> None:
    directory.merge(_directory(row))


def _of_directory(directory: Directory, growing: Mapping[str, float]) -> Row:
    found = {name: getattr(directory, name, None) for name in _DIRS.names}
    return {**found, "growing_topics": [*growing], "growing_bytes": [*growing.values()]}


def _directory(row: Row) -> Directory:
    plain = {n: v for n, v in row.items() if not n.startswith("growing")}
    growing = dict(zip(row["growing_topics"], row["growing_bytes"], strict=True))
    return Directory(**plain, growing=growing)


def replica_bytes(log_dirs: DataFrame) -> dict[str, int]:
    """Bytes of all replicas by topic."""
    f = functions_of(log_dirs)
    held = log_dirs.where(f.col("topic").isNotNull())
    sums = held.groupBy("topic").agg(f.sum("size").alias("bytes")).toArrow().to_pylist()
    return {row["topic"]: row["bytes"] or 0 for row in sums}


def risks(figures: DataFrame, options: ReportOptions) -> FirstRows:
    """Rows of ``at_risk``, the worst first, then by when it goes, last those without a verdict;
    sums: groups with one, records."""
    f = functions_of(figures)
    some = figures.where(f.size("risks") > 0).select("topic", "partition", "risks")
    rows = map_rows(some, _risk_rows, _RISKS)
    sums = rows.groupBy("group").agg(
        f.count("*").alias("rows"),
        f.sum("records_lost").alias("records"),
        f.max("rank").alias("rank"),
    )
    groups = sums.toArrow().to_pylist()
    order = [("rank", "descending"), ("goes", "ascending")]
    order += [(name, "ascending") for name in ("group", "topic", "partition")]
    goes = f.coalesce("deleted_in_seconds", f.lit(0.0))
    found = FirstRows(
        _first(rows.withColumn("goes", goes), order, [n for n in _RISKS.names if n != "rank"]),
        sum(group["rows"] for group in groups),
        _risk_sums(groups),
    )
    return _judged(found, "at_risk", AT_RISK, rows, options)


def _risk_sums(groups: Sequence[Row]) -> dict[str, int]:
    """Of all that is known; nothing where there are groups, and nothing is known of them."""
    lost = [group for group in groups if group["rank"] > 0]
    if groups and not lost:
        return {}
    return {"groups": len(lost), "records": sum(group["records"] or 0 for group in lost)}


def _risk_rows(row: Row) -> Iterator[Row]:
    for risk in row["risks"]:
        yield {
            "topic": row["topic"],
            "partition": row["partition"],
            **risk,
            "rank": unread.ORDER.index(risk["status"] or unread.SAFE),
        }


def debts(figures: DataFrame, options: ReportOptions) -> FirstRows:
    """Rows of ``compaction``, the worst first, then the most bytes; sums: dirty (bytes), stuck."""
    f = functions_of(figures)
    some = figures.where(f.col("debt").isNotNull()).select(*_DEBT.names, "debt")
    rows = map_rows(some, _debt_rows, _DEBTS)
    sums = rows.groupBy("status").agg(
        f.count("*").alias("rows"), f.sum("dirty_bytes").alias("dirty")
    )
    found = sums.toArrow().to_pylist()
    order = [("rank", "descending"), ("dirty_bytes", "descending")]
    order += [("topic", "ascending"), ("partition", "ascending")]
    stuck = sum(row["rows"] for row in found if row["status"] == compaction.STUCK)
    held = FirstRows(
        _first(rows, order, [n for n in _DEBTS.names if n != "rank"]),
        sum(row["rows"] for row in found),
        {"dirty": sum(row["dirty"] or 0 for row in found), "stuck": stuck},
    )
    return _judged(held, "compaction", COMPACTION, rows, options)


def _debt_rows(row: Row) -> Iterator[Row]:
    yield {**row, "status": row["debt"], "rank": compaction.ORDER.index(row["debt"])}


def _judged(
    found: FirstRows,
    name: str,
    known: Sequence[Column],
    rows: DataFrame,
    options: ReportOptions,
) -> FirstRows:
    """With those of all rows that meet the condition, where it holds only the first, and where
    they are."""
    if found.total <= len(found.rows):
        return found
    asked = options.condition
    met = None if asked is None else asked.met(name, rows, known=known)
    return found._replace(met=met, elsewhere=options.all_rows(name, rows, known=known))


def _first(rows: DataFrame, order: Sequence[tuple[str, str]], names: Sequence[str]) -> list[Row]:
    found: list[Row] = first_rows(rows, order, MOST_ROWS).select(list(names)).to_pylist()
    return found
