"""Frames of the sources as plain rows, and streams run to their end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]


def frame(
    spark: SparkSession, source: str, bootstrap: str | None, schema: Any = None, **options: object
) -> DataFrame:
    """A frame of a source; ``kafka.`` options by ``kafka_``, with ``_`` for their dots."""
    reader = spark.read.format(source)
    if schema is not None:
        reader = reader.schema(schema)
    return reader.options(**texts(bootstrap, options)).load()


def texts(bootstrap: str | None, options: Mapping[str, object]) -> dict[str, str]:
    """Options as texts."""
    found = {
        key.replace("_", ".") if key.startswith("kafka_") else key: str(value)
        for key, value in options.items()
    }
    return found if bootstrap is None else {"kafka.bootstrap.servers": bootstrap, **found}


def rows(frame: DataFrame) -> list[Row]:
    """Sorted; moments in ms, arrays as tuples."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import TimestampType

    plain = frame.select(
        *(
            f.unix_millis(c.name).alias(c.name) if isinstance(c.dataType, TimestampType) else c.name
            for c in frame.schema
        )
    )
    found = [tuple(tuple(v) if isinstance(v, list) else v for v in row) for row in plain.collect()]
    return sorted(found, key=lambda row: [(v is not None, v) for v in row])


def run_stream(
    spark: SparkSession,
    source: str,
    bootstrap: str | None,
    folder: Path,
    **options: object,
) -> int:
    """Run a stream over all that is there now, appending to ``folder``/out from the checkpoint in
    ``folder``/checkpoint; how many micro-batches it took."""
    reader = spark.readStream.format(source).options(**texts(bootstrap, options))
    query = (
        reader.load()
        .writeStream.format("parquet")
        .option("path", str(folder / "out"))
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(90), "the stream does not end"
    if query.exception() is not None:
        raise query.exception()
    return sum(1 for progress in query.recentProgress if progress["numInputRows"])
