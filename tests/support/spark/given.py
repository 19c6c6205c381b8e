"""Inputs made of given rows or frames: for tests, and for figures that come without a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, cast

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.engines import functions_of, made_frame
from pykafka_ops.spark.engines.local.frame import LocalFrame
from pykafka_ops.spark.inputs import InputQuery, Inputs
from pykafka_ops.spark.inputs.names import ALL, Names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Rows = Iterable[Mapping[str, object]]


class Frames(TypedDict, total=False):
    """What is given: rows (dicts; times in ms; what is left out is null) or whole frames."""

    batches: Rows | DataFrame
    records: Rows | DataFrame
    partitions: Rows | DataFrame
    brokers: Rows | DataFrame
    log_dirs: Rows | DataFrame
    configs: Rows | DataFrame
    groups: Rows | DataFrame
    commits: Rows | DataFrame
    committed: Rows | DataFrame
    ends: Rows | DataFrame
    times: Rows | DataFrame
    firsts: Rows | DataFrame
    cleaned: Rows | DataFrame


_SCHEMAS: Final = {
    "batches": schemas.BATCHES,
    "records": schemas.KEYS,
    "partitions": schemas.PARTITIONS,
    "brokers": schemas.BROKERS,
    "log_dirs": schemas.LOG_DIRS,
    "configs": schemas.CONFIGS,
    "groups": schemas.GROUPS,
    "commits": schemas.OFFSETS,
    "committed": schemas.COMMITTED,
    "ends": schemas.ENDS,
    "times": schemas.TIMES,
    "firsts": schemas.TIMES,
    "cleaned": schemas.CLEANED,
}


class FrameInputs(Inputs):
    """Each method gives what was given under its name, None where nothing was.

    ``ends`` gives its rows whatever the moments. Filters are carried for the report to see, not
    applied.
    """

    def __init__(
        self,
        spark: SparkSession,
        *,
        now: int,
        since: int | None = None,
        until: int | None = None,
        wanted_topics: Names = ALL,
        wanted_groups: Names = ALL,
        **frames: Unpack[Frames],
    ) -> None:
        query = InputQuery(now, since, until, wanted_topics, wanted_groups)
        super().__init__(spark, query, now, {"rows": sorted(frames)})
        for name, given in cast("Mapping[str, Rows | DataFrame]", frames).items():
            frame = frame_of(spark, given, _SCHEMAS[name])
            made = _lists(frame) if name == "ends" else frame
            setattr(self, name, lambda *_, made=made: made)

    def firsts(self) -> DataFrame | None:
        """TIMES of the first records, where they are given."""
        return None

    def pasts(self, *_: object) -> DataFrame | None:
        """LOG_PASTS of ``ends`` and ``firsts``, of every partition whatever is asked."""
        ends, firsts, partitions = self.ends([]), self.firsts(), self.partitions()
        if partitions is None or (ends is None and firsts is None):
            return None
        place, f = ["topic", "partition"], functions_of(partitions)
        found = partitions.select(*place)
        if ends is None:
            found = found.withColumn("ends", f.lit(None).cast("array<array<bigint>>"))
        else:
            found = found.join(ends, place, "left")
        if firsts is None:
            return found.withColumn("first", f.lit(None).cast("bigint"))
        stamps = firsts.select(*place, f.unix_millis("timestamp").alias("first"))
        return found.join(stamps, place, "left")


def _lists(ends: DataFrame) -> DataFrame:
    """LOG_ENDS of ENDS."""
    f = functions_of(ends)
    pair = f.array(f.unix_millis("at"), f.col("offset"))
    return ends.groupBy("topic", "partition").agg(f.sort_array(f.collect_set(pair)).alias("ends"))


def frame_of(spark: SparkSession, given: Rows | DataFrame, schema: pa.Schema) -> DataFrame:
    """Rows (dicts; times in ms, missing fields null) as a frame; a frame as it is.

    Raises UsageError for a field or column that the schema does not have.
    """
    from pyspark.sql import DataFrame

    if isinstance(given, (DataFrame, LocalFrame)):
        _check(given.columns, schema)
        return given
    import pyarrow as pa

    rows = [dict(row) for row in given]
    _check({name for row in rows for name in row}, schema)
    for field in schema:
        if pa.types.is_timestamp(field.type):
            for row in rows:
                row[field.name] = _micros(row.get(field.name))
    return made_frame(spark, pa.Table.from_pylist(rows, schema=schema), schema)


def _check(names: Iterable[str], schema: pa.Schema) -> None:
    unknown = sorted(set(names) - set(schema.names))
    if unknown:
        raise UsageError(f"no column {', '.join(unknown)}: they are {', '.join(schema.names)}")


def _micros(moment: object) -> object:
    if isinstance(moment, datetime):
        return int(moment.astimezone(UTC).timestamp() * 1_000_000)
    return None if moment is None else int(cast("int", moment)) * 1000
