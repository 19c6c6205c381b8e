"""How much each partition holds, and when it was written: from batches, or from sizes and offsets.

Batches are folded in executors to a row per partition, codec and minute or window, which stays
there, as rows of partitions do; the driver gets rows of windows of the topics that are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.moments import STEPS, UNITS
from pykafka_ops.spark.engines import functions_of, kept, made_frame
from pykafka_ops.spark.inputs import Inputs, moments
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.damage import DamageTally, damaged_place, problem_of
from pykafka_ops.spark.schemas import array_of, columns, sql_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Key = tuple[str, int]
"""Topic, partition."""
_MINUTE: Final = UNITS["m"]
#: Windows that a report shows unless it is asked for others.
WINDOWS: Final = 48
#: Most rows of windows the driver takes.
MOST_ROWS: Final = 20_000


@dataclass(slots=True)
class Volume:
    """What a partition holds: records, bytes, ms of its first and last record (None: unknown, as
    each of them may be), bytes by codec."""

    records: int | None = None
    bytes: int | None = None
    first: int | None = None
    last: int | None = None
    codecs: dict[str, int] = field(default_factory=dict)


VOLUMES: Final = columns(
    "topic string, partition int, records bigint, bytes bigint, first bigint, last bigint,"
    "codecs codecs",
    codecs=array_of(columns("codec string, held bigint"), nulls=True),
)
"""A row for each partition: the fields of Volume, ``codecs`` as pairs; null is not known."""


def extent(held: Collection[Volume]) -> tuple[int, int] | None:
    """When the first and the last record was written (ms); None where that is not known."""
    firsts = [v.first for v in held if v.first is not None]
    lasts = [v.last for v in held if v.last is not None]
    return (min(firsts), max(lasts)) if firsts and lasts else None


class FromBatches:
    """Volumes from a frame with BATCHES' columns, read once; ``close`` frees what is kept."""

    def __init__(self, inputs: Inputs, batches: DataFrame, options: ReportOptions) -> None:
        self._inputs, self._window = inputs, options.window
        self._f = functions_of(batches)
        step, span = options.window or _MINUTE, (inputs.since, inputs.until)
        self._folded = kept(folded(batches, step, span))
        self.damage = DamageTally()

    def volumes(self) -> DataFrame:
        """VOLUMES; what is damaged is in ``damage``."""
        f = self._f
        broken = self._folded.where(f.col("damage").isNotNull()).groupBy("damage")
        for row in broken.agg(f.sum("bytes").alias("bytes")).toArrow().to_pylist():
            self.damage.add(problem_of(row["damage"]), row["bytes"] or 0)
        by_codec = (
            self._folded.where(f.col("damage").isNull())
            .groupBy("topic", "partition", "codec")
            .agg(
                f.sum("records").alias("records"),
                f.sum("bytes").alias("bytes"),
                f.min("first").alias("first"),
                f.max("last").alias("last"),
            )
        )
        pair = f.when(f.col("codec").isNotNull(), f.struct("codec", f.col("bytes").alias("held")))
        return by_codec.withColumn("pair", pair).groupBy("topic", "partition").agg(
            f.sum("records").alias("records"),
            f.sum("bytes").alias("bytes"),
            f.min("first").alias("first"),
            f.max("last").alias("last"),
            f.collect_list("pair").alias("codecs"),
        )  # fmt: skip

    def window(self, covered: tuple[int, int] | None) -> int | None:
        """The length of the windows in ms, where batches are of that stretch of time; None where no
        batch has a time."""
        if covered is None:
            return None
        since, until = self._inputs.since, self._inputs.until
        first = covered[0] if since is None else since
        last = covered[1] if until is None else until
        return self._window or window_for(last - first)

    def peaks(self, window: int, topics: Sequence[str]) -> dict[str, int]:
        """Bytes of the fullest window of each topic."""
        f = self._f
        sums = self._windowed(window).groupBy("topic", "start").agg(f.sum("bytes").alias("bytes"))
        most = sums.groupBy("topic").agg(f.max("bytes").alias("bytes"))
        return {row["topic"]: row["bytes"] for row in most.toArrow().to_pylist()}

    def windows(self, window: int, topics: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of ``windows`` of these topics."""
        if not topics:
            return []
        f = self._f
        rows = self._windowed(window).where(f.col("topic").isin(list(topics)))
        sums = rows.groupBy("topic", "partition", "start").agg(
            f.sum("records").alias("records"), f.sum("bytes").alias("bytes")
        )
        return ordered(sums.toArrow().to_pylist())

    def _windowed(self, window: int) -> DataFrame:
        f = self._f
        rows = self._folded.where(f.col("damage").isNull() & f.col("slot").isNotNull())
        return rows.withColumn("start", _begin(f, f.col("slot"), window))

    def close(self) -> None:
        """Free what executors keep."""
        self._folded.unpersist()


def folded(batches: DataFrame, step: int, span: tuple[int | None, int | None]) -> DataFrame:
    """BATCHES by topic, partition, codec, ``slot`` (buckets of ``step`` ms of the greatest
    timestamp; null without one, and outside of ``span``: since and until in ms) and ``damage``
    (where and what, null for sound ones): records, bytes, and ms of the first and last one."""
    f = functions_of(batches)
    millis = f.unix_millis("max_timestamp")
    since, until = span
    inside = millis.isNotNull()
    if since is not None:
        inside = inside & (millis >= since)
    if until is not None:
        inside = inside & (millis < until)
    return batches.groupBy(
        "topic",
        "partition",
        "codec",
        f.when(inside, _begin(f, millis, step)).alias("slot"),
        damaged_place(batches).alias("damage"),
    ).agg(
        f.sum(f.when(f.col("control"), 0).otherwise(f.col("records")))
        .cast("long")
        .alias("records"),
        f.sum("size").cast("long").alias("bytes"),
        f.min(f.unix_millis("first_timestamp")).alias("first"),
        f.max(millis).alias("last"),
    )


def _begin(f: Any, millis: Any, step: int) -> Any:
    return (millis - f.pmod(millis, f.lit(step))).cast("long")


def window_for(span: int) -> int:
    """The shortest usual length of a minute or more of which WINDOWS cover the span (ms); of a
    longer span as many minutes as that takes."""
    usual = (step for step in STEPS if step >= _MINUTE and span // step < WINDOWS)
    return next(usual, -(-span // (WINDOWS * _MINUTE)) * _MINUTE)


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of windows by topic, partition and time."""
    return sorted(rows, key=lambda r: (r["topic"], r["partition"], r["start"]))


class FromEnds:
    """Volumes where no batch is read: sizes of logs, offsets by time."""

    def __init__(
        self,
        inputs: Inputs,
        partitions: DataFrame | None,
        sizes: DataFrame | None,
        options: ReportOptions,
    ) -> None:
        """``partitions`` is a frame of PARTITIONS, ``sizes`` one of bytes of one replica each."""
        self._inputs, self._options = inputs, options
        self._partitions, self._sizes = partitions, sizes
        self._rows: list[dict[str, Any]] | None = None
        self.damage = DamageTally()

    def volumes(self) -> DataFrame:
        """VOLUMES: offsets between start and end, bytes of the log; null where no broker tells."""
        if self._partitions is None:
            return made_frame(self._inputs.spark, [], VOLUMES)
        f = functions_of(self._partitions)
        found = self._partitions.select(
            "topic", "partition",
            f.col("start_offset").alias("start"), f.col("end_offset").alias("end"),
            f.unix_millis("max_timestamp").alias("last"),
        )  # fmt: skip
        if self._sizes is None:
            found = found.withColumn("bytes", f.lit(None).cast("bigint"))
        else:
            found = found.join(self._sizes, ["topic", "partition"], "left")
        held = f.col("end") - f.col("start")
        return found.select(
            "topic", "partition",
            f.when(held > 0, held).when(held <= 0, f.lit(0)).cast("bigint").alias("records"),
            f.col("bytes").cast("bigint").alias("bytes"),
            f.lit(None).cast("bigint").alias("first"), "last",
            f.lit(None).cast(sql_type(VOLUMES.field("codecs").type)).alias("codecs"),
        )  # fmt: skip

    def window(self, covered: tuple[int, int] | None) -> int | None:
        """The length of the windows in ms: that asked for, or an hour of a day."""
        return self._options.window or window_for(self._last() - self._first())

    def _last(self) -> int:
        now, until = self._inputs.now, self._inputs.until
        return now if until is None else min(now, until)

    def _first(self) -> int:
        since = self._inputs.since
        if since is not None:
            return min(since, self._last() - 1)
        window = self._options.window
        return self._last() - (UNITS["d"] if window is None else window * WINDOWS)

    def windows(self, window: int, topics: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of ``windows``: records by the ends of the log, bytes in proportion to the log's,
        None where those are not known."""
        wanted = set(topics)
        return [row for row in self._asked(window, topics) if row["topic"] in wanted]

    def peaks(self, window: int, topics: Sequence[str]) -> dict[str, int]:
        """Bytes of the fullest window of each of these topics, as far as they are known."""
        sums: dict[tuple[str, int], int] = {}
        for row in self._asked(window, topics):
            if row["bytes"] is None:
                continue
            at = row["topic"], row["start"]
            sums[at] = sums.get(at, 0) + row["bytes"]
        most: dict[str, int] = {}
        for (topic, _), size in sums.items():
            most[topic] = max(most.get(topic, 0), size)
        return most

    def _asked(self, window: int, topics: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of windows of these topics, which are asked for once."""
        if self._rows is None:
            self._rows = self._ask(window, topics) if topics else []
        return self._rows

    def _ask(self, window: int, topics: Sequence[str]) -> list[dict[str, Any]]:
        count = min(WINDOWS, max(1, -(-(self._last() - self._first()) // window)))
        last = self._last()
        asked, partitions = moments(last - count * window, last, count), self._inputs.partitions()
        if partitions is None:
            return []
        f = functions_of(partitions)
        wanted = f.col("topic").isin(list(topics))
        since = f.lit(asked[0]).alias("since")
        frame = self._inputs.ends(
            asked, partitions.where(wanted).select("topic", "partition", since)
        )
        if frame is None:
            return []
        ends: dict[Key, list[tuple[int, int]]] = {
            (row["topic"], row["partition"]): [(at, offset) for at, offset in row["ends"]]
            for row in frame.where(wanted).toArrow().to_pylist()
        }
        held = self.volumes().where(wanted).select("topic", "partition", "records", "bytes")
        volumes = {
            (row["topic"], row["partition"]): Volume(row["records"], row["bytes"])
            for row in held.toArrow().to_pylist()
        }
        return ordered([r for key, at in ends.items() for r in _windows(key, at, volumes)])

    def close(self) -> None:
        """Nothing is kept."""


def _windows(
    key: Key, ends: list[tuple[int, int]], volumes: Mapping[Key, Volume]
) -> list[dict[str, Any]]:
    volume = volumes.get(key, Volume())
    average = None
    if volume.bytes is not None and volume.records:
        average = volume.bytes / volume.records
    ends.sort()
    return [
        {
            "topic": key[0],
            "partition": key[1],
            "start": start,
            "records": after - before,
            "bytes": None if average is None else round((after - before) * average),
        }
        for (start, before), (_, after) in pairwise(ends)
        if after > before
    ]
