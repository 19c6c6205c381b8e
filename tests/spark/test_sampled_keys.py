"""Both engines read the same sample of real segments, and say the same of it, which is true."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.spark.key_logs import HOT, NOW, write_keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def made(session: SparkSession, place: Path) -> dict[str, Any]:
    inputs = open_inputs(session, InputQuery(now=NOW), locations=[str(place)])
    try:
        return document(skew.build(inputs, ReportOptions(key_sample=0.01, top=5)))
    finally:
        inputs.close()


def test_engines_agree_on_a_sample(spark: SparkSession, tmp_path: Path) -> None:
    """40 MiB in batches of 12 KB, of which 16 MiB are read; a partition has no index."""
    truth = write_keys(tmp_path, "orders", 1_700, indexed=1)
    write_keys(tmp_path, "small", 20, partitions=1)
    by_spark, here = (made(session, tmp_path) for session in (spark, local_session()))
    volume = {"total_bytes", "usable_bytes"}
    for found in (by_spark, here):
        for row in found["sections"]["log_dirs"]["rows"]:
            for name in volume:
                row[name] = None
    assert here == by_spark
    read = here["source"]["read"]["records"]
    assert 0.3 < read["bytes"] / read["of_bytes"] < 0.5
    keys = {row["key"]: row for row in here["sections"]["keys"]["rows"] if row["topic"] == "orders"}
    for key in HOT:
        row = keys[key.decode()]
        assert row["share_low"] <= truth.share(key) <= row["share_high"]
        assert row["share_high"] - row["share_low"] < 0.05
