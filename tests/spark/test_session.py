"""The session that reports run in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pykafka_ops.spark.engines import in_arrow
from pykafka_ops.spark.schemas import columns
from pykafka_ops.spark.session import close, session
from pykafka_ops.spark.workers import COLLECT_AFTER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_job_runs_in_it_and_workers_find_the_package(spark: SparkSession) -> None:
    def directory(_: object) -> list[str]:
        import pykafka_ops

        return [str(Path(pykafka_ops.__file__).parent), os.environ["PYTHONPATH"]]

    found = spark.sparkContext.parallelize([0], 1).flatMap(directory).collect()
    assert found[0] == str(Path(session.__code__.co_filename).parents[1])


def test_workers_look_for_garbage_as_seldom_as_pko(spark: SparkSession) -> None:
    def thresholds(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"after": list(gc.get_threshold())}, schema=schema)

    schema = columns("after bigint")
    asked = in_arrow(spark.range(0, 1, 1, 1), thresholds, schema)
    assert asked.toArrow()["after"].to_pylist() == list(COLLECT_AFTER)


def test_there_is_one_session_and_its_last_user_ends_it(spark: SparkSession) -> None:
    again = session()
    assert again.sparkContext is spark.sparkContext
    close(again)
    assert spark.range(3).count() == 3
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled") == "true"
