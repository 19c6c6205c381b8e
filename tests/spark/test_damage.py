"""Every report counts what it cannot read of a directory, and goes on with the rest."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark import schemas
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from tests.support.spark.damaged import DAMAGED, SOUND, damaged_places, write_damaged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_damaged(tmp_path_factory.mktemp("damage"))


@pytest.fixture(scope="module")
def reports(engine: SparkSession, logs: Path) -> dict[str, Report]:
    inputs = open_inputs(engine, InputQuery(), locations=[str(logs)])
    try:
        return {
            kind: import_module(f"pykafka_ops.spark.reports.{kind}.report").build(
                inputs, ReportOptions()
            )
            for kind in ("lag", "skew", "retention")
        }
    finally:
        inputs.close()


@pytest.mark.parametrize("kind", ["lag", "skew", "retention"])
def test_each_place_is_counted_and_named_and_decides_the_exit_code(
    reports: dict[str, Report], logs: Path, kind: str
) -> None:
    report = reports[kind]
    places = {p.where for p in report.problems if str(logs) in p.where}
    assert places == damaged_places(logs)
    assert report.summary["damaged_places"] == len(DAMAGED)
    assert Judge(None, None).code([report], []) == 1


def test_what_is_sound_is_counted(reports: dict[str, Report]) -> None:
    rows = reports["skew"].section("partitions").rows
    nothing_sound = {partition: None for partition, count in SOUND.items() if not count}
    assert {r["partition"]: r["records"] for r in rows} == SOUND | nothing_sound
    assert reports["skew"].summary["records_read"] == sum(SOUND.values())


def test_a_frame_of_records_tells_damage_where_the_column_is_asked_for(
    spark: SparkSession, logs: Path
) -> None:
    reader = spark.read.format("kafka-log").options(mode="records", path=str(logs))
    rows = reader.schema(schemas.struct(schemas.KEYS_AND_DAMAGE)).load().collect()
    said = [row["problem"] for row in rows if row["problem"] is not None]
    assert len(said) == len(DAMAGED)
    assert len(rows) - len(said) == sum(SOUND.values())
