"""Reports in tables of Spark's catalogs: Parquet in Hive's, and Apache Iceberg."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.spark.conftest import READ, RECORDS
from tests.support.java.java_kit import ROOT, iceberg_jar, pyspark_of

LAG = RECORDS - 2 * READ
ICEBERG = {
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
}
SPARK_OF_ICEBERG = "4.1.4"


def program(
    conf: dict[str, str], runs: Sequence[Sequence[object]], queries: Sequence[str], path: str = ""
) -> tuple[list[tuple[int, str]], list[Any]]:
    """Exit codes and standard errors of the runs, and the rows of each query; ``path`` is for
    another PySpark."""
    asked = {"conf": conf, "runs": [[str(w) for w in run] for run in runs], "queries": queries}
    argv = [sys.executable, "-m", "tests.support.spark.table_program", json.dumps(asked)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [path, str(ROOT)]))}
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return [tuple(r) for r in found["runs"]], found["rows"]


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


def test_runs_stand_once_each_in_iceberg_whatever_columns_are_new(
    log_dir: Path, tmp_path: Path
) -> None:
    conf = {
        "spark.jars": str(iceberg_jar()),
        "spark.sql.catalog.ice.warehouse": str(tmp_path / "ice"),
        **ICEBERG,
    }
    ran, (rows, snapshots) = program(
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
        ],
        [
            "SELECT run_date, `group`, lag, lag_change FROM ice.kafka.pko_lag_groups ORDER BY 1",
            "SELECT count(*) FROM ice.kafka.pko_lag_groups.snapshots",
        ],
        str(pyspark_of(SPARK_OF_ICEBERG)),
    )
    assert ran == [(0, "")] * 4
    assert rows == [
        ["2030-11-21", "billing", LAG, None],
        ["2030-11-22", "billing", LAG, None],
        ["2030-11-23", "billing", LAG, 0],
    ]
    assert snapshots == [[4]]
