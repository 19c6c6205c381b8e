"""Lag as a stream: for each window gone by a row per partition of each group.

Two streams go into it: the commits, and where the logs ended at the end of each window, which is
the clock, too: a group that stopped has rows all the same. What is known of each partition lies
beside the query's checkpoint, a directory per micro-batch. A micro-batch that is done again after a
crash begins with the state of the one before it and replaces what it wrote, so that no window is
lost or reported twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.reports.lag.advance import KEPT_ENDS, WINDOW, WindowStep, advanced
from pykafka_ops.spark.reports.lag.fold import KEY, PART, PARTS, folded, gathered, plain
from pykafka_ops.spark.reports.lag.state import ROWS, States, StreamState, numbers, pairs

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

Sink = Callable[["DataFrame", int], None]
"""Takes the windows of a micro-batch and its number: what it has under that number it replaces."""
MINUTE: Final = 60_000
DELAY: Final = 10_000
PLACE: Final = ("topic", "partition")


@dataclass(frozen=True, slots=True)
class LagStream:
    """``options`` are those of ``kafka-live`` and ``kafka-offsets``: ``kafka.bootstrap.servers``,
    ``subscribe``, ``groups``, ``since`` (ms: where the first window begins; now by default), ...

    ``window`` is the length of the windows, ``delay`` how long after its end (ms) a window is
    reported at the soonest: commits that arrive later count for the next. ``checkpoint`` is a
    directory or URI.
    """

    options: Mapping[str, str]
    checkpoint: str
    window: int = MINUTE
    delay: int = DELAY

    def start(
        self, spark: SparkSession, sink: Sink, *, every: str | None = None, once: bool = False
    ) -> StreamingQuery:
        """Start the query; ``every`` is Spark's processing time (``"10 seconds"``), ``once`` ends
        it when all that is there now is reported. UsageError for windows of no length."""
        if self.window < 1 or self.delay < 0:
            raise UsageError("a window is at least 1 ms long, and reported no earlier than its end")
        writer = self.rows(spark).writeStream.option("checkpointLocation", self.checkpoint)
        if once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=every)

        def step(batch: DataFrame, number: int) -> None:
            self.step(batch, number, sink)

        return writer.foreachBatch(step).start()

    def rows(self, spark: SparkSession) -> DataFrame:
        """Both streams in one: commits as ``plain`` has them; moments with time and ``end``."""
        commits = spark.readStream.format("kafka-offsets").options(**self._but("since"))
        moments = {**self._but("startingoffsets"), "what": "ends", "interval": str(self.window)}
        ends = spark.readStream.format("kafka-live").options(**moments).load()
        return plain(commits.load()).unionByName(
            ends.select(*PLACE, f.unix_millis("at").alias("time"), f.col("offset").alias("end")),
            allowMissingColumns=True,
        )

    def _but(self, name: str) -> dict[str, str]:
        return {k: v for k, v in self.options.items() if k.lower() != name}

    def step(self, batch: DataFrame, number: int, sink: Sink) -> None:
        """One micro-batch of ``rows``. Raises StorageError without the state of the one before."""
        states = States(batch.sparkSession, self.checkpoint)
        old = states.before(number, self.window)
        kept = batch.persist()
        try:
            found = kept.where("end is not null").agg(f.min("time"), f.max("time")).first()
            first, last = (None, None) if found is None else found
            base = old.closed if first is None or old.closed is not None else first // self.window
            newest = old.last if last is None else max(old.last or 0, last // self.window)
            self._go_on(kept, states, number, sink, (old, base, newest))
        finally:
            kept.unpersist()

    def _go_on(
        self,
        batch: DataFrame,
        states: States,
        number: int,
        sink: Sink,
        known: tuple[StreamState, int | None, int | None],
    ) -> None:
        """Output the windows that ended since ``base``, and save the present state."""
        old, base, newest = known
        moments = (*PLACE, "time", "end")
        is_moment = f.col("end").isNotNull()
        ends = old.rows.where(is_moment).select(*moments).unionByName(
            batch.where(is_moment).select(*moments)
        )  # fmt: skip
        step = self._step(base, newest)
        windows = range(step.base, (newest or 0) + 2) if base is not None else range(0)
        fresh = folded(batch.where(~is_moment).drop("end"), [n * self.window for n in windows])
        fresh = fresh.withColumn("bucket", f.col("bucket") + step.base)
        parts = old.rows.where(~is_moment).select(*PARTS.names).unionByName(fresh)
        advance = advanced(gathered(parts).join(pairs(ends), list(PLACE), "left"), step).persist()
        try:
            if step.closed > step.base:
                sink(_windows(advance), number)
            later = advance.select(*KEY, f.explode("state").alias("of"))
            kept = later.select(*KEY, *(f.col(f"of.{name}") for name in PART.names)).unionByName(
                ends.where(f.col("time") >= (step.closed - KEPT_ENDS) * self.window),
                allowMissingColumns=True,
            )
            closed = None if base is None else step.closed
            states.save(number, StreamState(closed, newest, self.window, kept.select(*ROWS.names)))
        finally:
            advance.unpersist()

    def _step(self, base: int | None, newest: int | None) -> WindowStep:
        if base is None or newest is None:
            return WindowStep(0, 0, self.window)
        return WindowStep(base, max(base, (newest * self.window - self.delay) // self.window),
                    self.window)  # fmt: skip


def _windows(advance: DataFrame) -> DataFrame:
    """A row per key and window; its times as timestamps."""

    def one(name: str) -> Column:
        column = f.col(f"of.{name}")
        return (f.timestamp_millis(column) if name in ("start", "end") else column).alias(name)

    each = advance.select(*KEY, f.explode("windows").alias("of"))
    return each.select(*KEY, *(one(name) for name in WINDOW.names))


def parquet(directory: str) -> Sink:
    """Windows as Parquet files, a directory ``batch=N`` per micro-batch; a path or URI.

    UsageError where a directory has later ones: they are of a run with another checkpoint.
    """
    root = directory.rstrip("/")

    def write(windows: DataFrame, number: int) -> None:
        if any(found > number for found in numbers(windows.sparkSession, root, "batch=")):
            raise UsageError(
                f"{directory}: there are windows of another run: choose another directory, or go "
                "on from its checkpoint"
            )
        windows.write.mode("overwrite").parquet(f"{root}/batch={number}")

    return write


def console(rows: int = 20) -> Sink:
    """Windows on the terminal, those with the largest lag first."""

    def show(windows: DataFrame, number: int) -> None:
        windows.orderBy("end", f.desc("lag"), *KEY).show(rows, truncate=False)

    return show
