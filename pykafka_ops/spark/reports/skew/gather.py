"""All that was counted of a topic's partitions in one row, where executors make figures of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.spark.engines import functions_of, kept
from pykafka_ops.spark.reports.damage import DamageTally, problem_of
from pykafka_ops.spark.reports.skew.key_tree import merged, task_count
from pykafka_ops.spark.reports.skew.keys import counted
from pykafka_ops.spark.schemas import array_of, columns, sql_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLACE: Final = ("topic", "partition")
_COUNTS: Final = columns(
    "records bigint, bytes bigint, nulls bigint, unique_keys bigint, size_p50 bigint,"
    "size_p95 bigint, size_p99 bigint, rate double"
)
_KEYS: Final = columns("key binary, bytes bigint, rate double, share double, share_low double")


class CountedRecords:
    """What was counted of records, which stays in executors; ``read``: whether any were to be.

    ``records``: how many were read, None: none. ``close`` frees what is kept.
    """

    def __init__(self, frame: DataFrame | None, counts: DataFrame | None = None) -> None:
        self.frame, self.read = frame, frame is not None
        self._counts = counts
        self._payload: dict[str, int] = {}
        self.records: int | None = None
        if frame is None:
            return
        f = functions_of(frame)
        of_partitions = frame.where(f.col("partition").isNotNull()).groupBy("topic")
        sums = of_partitions.agg(f.sum("bytes").alias("bytes"), f.sum("records").alias("records"))
        for row in sums.toArrow().to_pylist():
            self._payload[row["topic"]] = row["bytes"]
            self.records = (self.records or 0) + row["records"]

    @classmethod
    def of(cls, records: DataFrame | None, top: int) -> CountedRecords:
        """Count records, with the ``top`` heaviest keys of each topic."""
        if records is None:
            return cls(None)
        counts = kept(counted(records))
        return cls(kept(merged(counts, task_count(counts), top)), counts)

    def heavy(self) -> Iterator[tuple[str, int, Sequence[Mapping[str, Any]]]]:
        """Topics with their bytes of keys and values, and their heaviest keys, the first first."""
        if self.frame is None:
            return
        f = functions_of(self.frame)
        rows = self.frame.where(f.col("key").isNotNull()).toArrow().to_pylist()
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            found.setdefault(row["topic"], []).append(row)
        for topic in sorted(found):
            ranked = sorted(found[topic], key=lambda r: (-r["bytes"], r["key"]))
            yield topic, self._payload.get(topic, 0), ranked

    def add_damage(self, tally: DamageTally) -> None:
        """Add what cannot be read."""
        if self.frame is None:
            return
        f = functions_of(self.frame)
        broken = self.frame.where(f.col("problem").isNotNull()).select("problem")
        for row in broken.toArrow().to_pylist():
            tally.add(problem_of(row["problem"]))

    def close(self) -> None:
        """Free what executors keep."""
        for frame in (self.frame, self._counts):
            if frame is not None:
                frame.unpersist()


def gathered(
    volumes: DataFrame,
    hosted: DataFrame | None,
    counts: CountedRecords,
    sizes: DataFrame | None = None,
) -> DataFrame:
    """A row per topic with ``parts`` (volumes, leader and counts of each partition) and ``keys``.

    Partitions of ``hosted`` without a volume are there, too: empty where their offsets, or
    ``sizes`` of logs (PLACE, bytes), say so; else what they hold is null.
    """
    f = functions_of(volumes)
    if hosted is None:
        found = volumes.withColumn("leader", f.lit(None).cast("int"))
    else:
        found = _with_hosted(volumes, hosted, sizes)
    if counts.frame is None:
        found = found.withColumn("counts", f.lit(None).cast(_struct(_COUNTS)))
    else:
        of_partition = counts.frame.where(f.col("partition").isNotNull())
        counted_ = of_partition.select(*PLACE, f.struct(*_COUNTS.names).alias("counts"))
        found = found.join(counted_, list(PLACE), "left")
    part = f.struct("partition", "leader", "records", "bytes", "first", "last", "codecs", "counts")
    topics = found.groupBy("topic").agg(f.collect_list(part).alias("parts"))
    if counts.frame is None:
        return topics.withColumn("keys", f.lit(None).cast(sql_type(array_of(_KEYS))))
    keyed = counts.frame.where(f.col("key").isNotNull()).groupBy("topic")
    keys = keyed.agg(f.collect_list(f.struct(*_KEYS.names)).alias("keys"))
    return topics.join(keys, ["topic"], "left")


def _with_hosted(volumes: DataFrame, hosted: DataFrame, sizes: DataFrame | None) -> DataFrame:
    """VOLUMES and ``leader`` of all partitions."""
    f = functions_of(volumes)
    told = hosted.select(
        *PLACE,
        f.when(f.col("leader") >= 0, f.col("leader")).alias("leader"),
        f.coalesce(f.col("start_offset") >= f.col("end_offset"), f.lit(False)).alias("is_empty"),
    )
    if sizes is None:
        told = told.withColumn("size", f.lit(None).cast("bigint"))
    else:
        told = told.join(sizes.select(*PLACE, f.col("bytes").alias("size")), list(PLACE), "left")
    found = volumes.join(told, list(PLACE), "full")
    none, size = f.lit(0).cast("bigint"), f.col("size")
    no_records = f.when(f.col("is_empty") | (size == 0), none)
    no_bytes = f.when(size.isNotNull() & (f.col("is_empty") | (size == 0)), none)
    return found.select(
        *PLACE,
        f.coalesce(f.col("records"), no_records).alias("records"),
        f.coalesce(f.col("bytes"), no_bytes).alias("bytes"),
        "first", "last", "codecs", "leader",
    )  # fmt: skip


def _struct(schema: Any) -> str:
    return sql_type(array_of(schema)).removeprefix("array<").removesuffix(">")
