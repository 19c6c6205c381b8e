"""The session that reports run in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.spark.session import close, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_job_runs_in_it_and_workers_find_the_package(spark: SparkSession) -> None:
    def directory(_: object) -> list[str]:
        import pykafka_ops

        return [str(Path(pykafka_ops.__file__).parent), os.environ["PYTHONPATH"]]

    found = spark.sparkContext.parallelize([0], 1).flatMap(directory).collect()
    assert found[0] == str(Path(session.__code__.co_filename).parents[1])


def test_there_is_one_session_and_its_last_user_ends_it(spark: SparkSession) -> None:
    again = session()
    assert again.sparkContext is spark.sparkContext
    close(again)
    assert spark.range(3).count() == 3
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled") == "true"
