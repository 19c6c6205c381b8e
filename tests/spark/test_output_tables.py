"""Reports in tables of Spark's catalogs: Parquet in Hive's, and Apache Iceberg."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.spark.conftest import READ, RECORDS
from tests.support.java.java_kit import SPARK_OF_ICEBERG, iceberg_jar, pyspark_of
from tests.support.spark.table_program import SECONDS, program
from tests.support.spark.workload import Workload

pytestmark = pytest.mark.timeout(SECONDS)
LAG = RECORDS - 2 * READ
ICEBERG = {
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
}
MOST = 4
"""Rows of partitions that a report holds."""


def words(log_dir: Path, table: str, *more: str) -> list[object]:
    base = ["lag", log_dir, "--topic", "orders", "--engine", "spark", "--output-table", table]
    return [*base, *more]


def test_runs_stand_once_each_in_a_catalog_of_hive_and_wrong_catalogs_are_a_line(
    log_dir: Path, tmp_path: Path
) -> None:
    metastore = f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true"
    conf = {
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": str(tmp_path / "tables"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={tmp_path}/derby.log",
        "spark.jars": str(iceberg_jar()),
        "spark.sql.catalog.gone": "org.example.NoCatalog",
        "spark.sql.catalog.ice.warehouse": str(tmp_path / "ice"),
        **ICEBERG,
    }
    ran, (rows, parts, runs) = program(
        conf,
        [
            words(log_dir, "kafka.pko", "--now", "2030-11-21"),
            words(log_dir, "kafka.pko", "--now", "2030-11-21"),
            words(log_dir, "kafka.pko", "--now", "2030-11-22"),
            words(log_dir, "kafka.pko", "--now", "2030-11-22", "--group", "nobody"),
            words(log_dir, "nowhere.kafka.pko"),
            words(log_dir, "gone.kafka.pko"),
            words(log_dir, "ice.kafka.pko"),
            words(log_dir, "pko"),
        ],
        [
            "SELECT `group`, lag FROM kafka.pko_lag_groups WHERE run_date = '2030-11-21'",
            "SHOW PARTITIONS kafka.pko_lag_groups",
            "SELECT run_time, count(DISTINCT run_id) FROM kafka.pko_lag_partitions GROUP BY 1",
        ],
    )
    assert [code for code, _ in ran] == [0, 0, 0, 1, 2, 2, 2, 2]
    assert rows == [["billing", LAG]]
    assert len(parts) == 3  # of two runs, and one over other groups that has no rows
    assert sorted(count for _, count in runs) == [1, 1]
    for (_, said), expected in zip(
        ran[4:],
        (
            "Spark has no catalog nowhere: give --conf spark.sql.catalog.nowhere=",
            "Spark does not find org.example.NoCatalog: give the jar",
            "is not for Spark",
            "write CATALOG.DATABASE.NAME",
        ),
        strict=True,
    ):
        assert expected in said
        assert said.count("\n") == 1


def test_runs_stand_once_each_and_whole_in_iceberg_whatever_columns_are_new(
    log_dir: Path, tmp_path: Path
) -> None:
    work = Workload(tmp_path, 1)
    (owners := tmp_path / "owners.json").write_text('{"*": "shop"}')
    large = ["lag", *work.places, "--configs", work.settings, "--engine", "spark", "--now",
             "2030-01-01", "--output-table", "ice.whole.pko", "--owners", owners, "-o", "json",
             "--output-file", tmp_path / "large.json"]  # fmt: skip
    conf = {
        "spark.jars": str(iceberg_jar()),
        "spark.sql.catalog.ice.warehouse": str(tmp_path / "ice"),
        **ICEBERG,
    }
    ran, (rows, snapshots, whole, replaced) = program(
        conf,
        [
            words(log_dir, "ice.kafka.pko", "--now", "2030-11-21"),
            words(log_dir, "ice.kafka.pko", "--now", "2030-11-21"),
            words(
                log_dir, "ice.kafka.pko", "--now", "2030-11-22", "--history", str(tmp_path / "h")
            ),
            words(
                log_dir, "ice.kafka.pko", "--now", "2030-11-23", "--history", str(tmp_path / "h")
            ),
            large,
            large,
        ],
        [
            "SELECT run_date, `group`, lag, lag_change FROM ice.kafka.pko_lag_groups ORDER BY 1",
            "SELECT count(*) FROM ice.kafka.pko_lag_groups.snapshots",
            "SELECT count(*), count(DISTINCT run_id, `group`, topic, `partition`), "
            "count(DISTINCT run_id), count(owner) FROM ice.whole.pko_lag_partitions",
            "SELECT count(*) FROM ice.whole.pko_lag_partitions.snapshots",
        ],
        path=str(pyspark_of(SPARK_OF_ICEBERG)),
        most=MOST,
    )
    assert ran[:4] == [(0, "")] * 4
    assert [code for code, _ in ran[4:]] == [1, 1]  # batches are damaged
    shown = json.loads((tmp_path / "large.json").read_text())["sections"]["partitions"]
    assert whole == [[shown["total"], shown["total"], 1, shown["total"]]]
    assert replaced == [[2]]
    assert len(shown["rows"]) < shown["total"]
    assert "all are in ice.whole.pko_lag_partitions" in shown["note"]
    assert rows == [
        ["2030-11-21", "billing", LAG, None],
        ["2030-11-22", "billing", LAG, None],
        ["2030-11-23", "billing", LAG, 0],
    ]
    assert snapshots == [[4]]
