"""What brokers do not tell of their replicas: a cluster in fail-over is not known as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.spark import schemas
from pykafka_ops.spark.engines import functions_of, in_arrow
from pykafka_ops.spark.model import Problem, first_problems

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN: Final = 20
_COUNTS: Final = schemas.columns("broker int, replicas bigint")


def assigned(partitions: DataFrame) -> dict[int, int]:
    """How many replicas each broker should have, of a frame with the column ``replicas``."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            found = pc.value_counts(pc.list_flatten(batch.column(0)))
            brokers, counts = found.field("values"), found.field("counts")
            yield pa.RecordBatch.from_arrays([brokers, counts], schema=_COUNTS)

    return _sums(in_arrow(partitions.select("replicas"), task, _COUNTS))


def told(dirs: DataFrame) -> dict[int, int]:
    """How many replicas each broker tells of, of LOG_DIRS."""
    f = functions_of(dirs)
    own = f.col("broker").isNotNull() & ~f.coalesce("future", f.lit(False))
    there = f.col("topic").isNotNull().cast("bigint")
    return _sums(dirs.where(own).select("broker", there.alias("replicas")))


def _sums(frame: DataFrame) -> dict[int, int]:
    f = functions_of(frame)
    sums = frame.groupBy("broker").agg(f.sum("replicas").alias("replicas"))
    return {row["broker"]: row["replicas"] for row in sums.toArrow().to_pylist()}


def untold(wanted: Mapping[int, int], found: Mapping[int, int]) -> dict[int, str]:
    """By broker what is not known of it, where ``found`` has fewer replicas than ``wanted``: it is
    gone, does not answer, or lost a directory."""
    return {
        broker: f"tells of {found[broker]:,} of its {count:,} replicas"
        if found.get(broker)
        else f"does not tell of its directories: {count:,} replicas there are not known"
        for broker, count in sorted(wanted.items())
        if found.get(broker, 0) < count
    }


def problems(said: Mapping[int, str]) -> list[Problem]:
    """The first ``SHOWN`` brokers by name, and how many more there are."""
    made = [Problem(f"broker {broker}", text) for broker, text in said.items()]
    return first_problems(made, SHOWN, "brokers", "do not tell of all replicas")
