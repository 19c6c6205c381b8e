"""``kafka-log`` through Spark: what Apache Kafka wrote, as plain Python counts it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.disk.batch import BatchHeader, read_header
from pykafka_ops.disk.legacy import iter_message
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.disk.salvage import DamagedBytes, sound_batches
from tests.support.spark.log_tables import write_log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEADER = 17
"""Bytes that tell whether a batch begins."""
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "segments"


def shape(offset: int, time: int, key: object, value: object, headers: object) -> str:
    return repr((offset, time, key, value, headers))


def counted(folder: Path) -> tuple[int, int, list[Record]]:
    """(batches, stretches of damage, records) of a partition's directory, one by one."""
    batches, damage, records = 0, 0, []
    logs = sorted(folder.glob("*.log"))
    for path in logs:
        data = path.read_bytes()
        damage += not data and path.with_suffix(".index").stat().st_size > 0
        for found in sound_batches(data, base_offset=int(path.stem)):
            if isinstance(found, DamagedBytes):
                spare = path == logs[-1] and "only zeros" in found.reason
                damage += not (spare and found.size > HEADER)
                continue
            batches += 1
            head, at = found.header, found.position
            if not isinstance(head, BatchHeader):
                records += list(iter_message(data, at, head))
            elif not head.is_control:
                records += list(iter_records(data, at, read_header(data, at)))
    return batches, damage, records


def test_all_formats_and_damage_are_read_as_plain_python_reads_them(spark: SparkSession) -> None:
    folders = sorted(path for path in GOLDEN.iterdir() if path.is_dir())
    assert len(folders) > 50
    expected = {str(folder): counted(folder) for folder in folders}
    paths = json.dumps(list(expected))
    from pyspark.sql import functions as f

    batches = (
        spark.read.format("kafka-log")
        .schema("position bigint, problem string, control boolean, records int")
        .options(paths=paths, checkCrc="true", maxBytesPerPartition="3000")
        .load()
        .agg(
            f.count_if(f.col("problem").isNull()),
            f.count_if(f.col("problem").isNotNull()),
            f.sum(f.when(~f.col("control"), f.col("records"))),
        )
        .first()
    )
    assert batches is not None
    assert list(batches) == [
        sum(b for b, _, _ in expected.values()),
        sum(d for _, d, _ in expected.values()),
        sum(len(r) for _, _, r in expected.values()),
    ]
    rows = (
        spark.read.format("kafka-log")
        .options(mode="records", includeHeaders="true", paths=paths, maxBytesPerPartition="3000")
        .load()
        .select("offset", f.unix_millis("timestamp"), "key", "value", "headers")
        .collect()
    )

    found = sorted(
        shape(
            row[0],
            row[1],
            None if row[2] is None else bytes(row[2]),
            None if row[3] is None else bytes(row[3]),
            [(h["key"], None if h["value"] is None else bytes(h["value"])) for h in row[4] or ()],
        )
        for row in rows
    )
    wanted = sorted(
        shape(r.offset, r.timestamp, r.key, r.value, list(r.headers))
        for _, _, records in expected.values()
        for r in records
    )
    assert found == wanted


def test_filters_spare_files_and_give_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    write_log(tmp_path, "a", [[5, 5], [5, 5], [5]])
    write_log(tmp_path, "b", [[4]], partition=1)
    read = spark.read.format("kafka-log").options(mode="records", pushdown="true")
    rows = read.load(str(tmp_path))
    asked = rows.where("topic = 'a' and offset >= 12 and offset < 18").select("offset")
    assert sorted(row[0] for row in asked.collect()) == list(range(12, 18))
    shutil.rmtree(tmp_path / "b-1")  # what is spared is not even looked for
    late = rows.where("topic = 'a' and timestamp >= timestamp_millis(200)")
    assert sorted(row["offset"] for row in late.collect()) == list(range(20, 25))


def test_explain_shows_the_filters_that_the_source_took(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_log(tmp_path, "a", [[5, 5], [5, 5], [5]])
    write_log(tmp_path, "b", [[4]], partition=1)
    read = spark.read.format("kafka-log").options(mode="records", maxBytesPerPartition="1")
    every = read.load(str(tmp_path))
    pushing = read.option("pushdown", "true").load(str(tmp_path))
    asked = pushing.where(
        "topic = 'a' and partition in (0, 1) and offset > 11 and value > X'31'"
        " and timestamp < timestamp_millis(180)"
    )
    plan = explained(asked)
    (pushed,) = re.findall(r"PushedFilters: \[(.*)\]", plan)
    for said in (
        "EqualTo(topic,a)",
        "In(partition,",
        "GreaterThan(offset,11)",
        "LessThan(timestamp",
    ):
        assert said in pushed
    assert "GreaterThan(value" not in pushed
    assert "Filter" in plan, "of the value, which stays with Spark"
    assert asked.rdd.getNumPartitions() < every.rdd.getNumPartitions()
    assert sorted(row["offset"] for row in asked.collect()) == list(range(12, 18))
    assert "GreaterThan(offset,11)" not in explained(every.where("offset > 11"))
    assert [every.where("offset > 11").count(), every.count()] == [13, 29]
    late = every.where("offset < 3").union(every.where("offset >= 23"))
    assert late.count() == 8, "filters of one frame do not meet each other"


def explained(frame: DataFrame) -> str:
    """The formatted plan."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain("formatted")
    return said.getvalue()


def test_a_stream_goes_on_from_its_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", str(tmp_path / "out")
    write_log(logs, "a", [[5, 3]])

    def run() -> list[int]:
        rows = spark.readStream.format("kafka-log").options(mode="records").load(str(logs))
        query = (
            rows.select("offset")
            .writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(out)
        )
        try:
            assert query.awaitTermination(100)
        finally:
            query.stop()
        return sorted(row[0] for row in spark.read.parquet(out).collect())

    assert run() == list(range(8))
    write_log(logs, "a", [[4]], first=8)
    assert run() == list(range(12))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": "/no/such/place"}, "/no/such/place: no such directory"),
        ({"path": str(GOLDEN / "damage-bad-magic"), "strict": "true"}, "unknown magic 9"),
    ],
)
def test_what_stops_a_read_is_said_in_a_line(
    spark: SparkSession, options: dict[str, str], said: str
) -> None:
    with pytest.raises(Exception, match=r"PkoError|UsageError|CorruptError") as error:
        spark.read.format("kafka-log").options(**options).load().collect()
    assert said in str(error.value)
