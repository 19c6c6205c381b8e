"""``pko spark serve`` and ``--remote``: reports and programs on one Spark that stays."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from pykafka_ops.cli import main
from pykafka_ops.spark.conf import JAVA_OPTIONS
from tests.spark.conftest import MUCH_CODE, RECORDS
from tests.support.java.java_kit import BRIEF_JVM
from tests.support.spark import connect_kit
from tests.support.spark.workload import Workload
from tests.support.waiting import free_port

SECONDS = 900
VOLUME = {"usable_bytes", "days_to_80", "days_to_full", "days_to_full_low", "days_to_full_high",
          "first_full_days"}  # fmt: skip
COUNT = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.read.format("kafka-log").option("mode", "records").load({path!r})
print(type(spark).__module__, rows.where("topic = 'orders'").count())
"""
REGISTERS = """
from pyspark.sql import SparkSession
from pykafka_ops.spark.sources import register
spark = SparkSession.builder.remote({url!r}).getOrCreate()
register(spark)
read = spark.read.format("kafka-log").options(columns="topic,records", pushdown="true")
rows = read.load({path!r})
orders = rows.where("topic = 'orders'")
orders.explain("formatted")
print(orders.agg({{"records": "sum"}}).toArrow().to_pylist())
"""

WHOLE = """
import sys
from pykafka_ops.cli import main
from pykafka_ops.spark.output.tables import CatalogTables
from pykafka_ops.spark.reports.lag import worst
worst.MOST_ROWS, worst._SOONEST = 4, 1
CatalogTables._is_in_memory = lambda _: False  # of this session alone
sys.exit(main(["spark", *sys.argv[1:]]))
"""


class Served:
    """A server on a free port, and commands that know where its token is."""

    def __init__(self, home: Path) -> None:
        self.tokens = home / "pko" / "spark"
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("PKO_", "SPARK_"))},
            "XDG_STATE_HOME": str(home), "PYTHONPATH": connect_kit.modules(),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pykafka_ops", "spark", "serve", "--port=0", "--cores=2",
             "--driver-memory=1g", f"--conf={JAVA_OPTIONS}={BRIEF_JVM[0]} {MUCH_CODE}"],
            env=self.env, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        self.url = self.said.removeprefix("ready: --remote ").strip()
        self.port = int(self.url.rpartition(":")[2])

    def run(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        """What a Python of its own makes of these words."""
        return subprocess.run(
            [sys.executable, *map(str, words)], env={**self.env, **env}, capture_output=True,
            text=True, timeout=SECONDS, check=False,
        )  # fmt: skip

    def pko(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        """``pko spark WORDS``."""
        return self.run("-m", "pykafka_ops", "spark", *words, **env)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all."""
    made = Served(tmp_path_factory.mktemp("state"))
    yield made
    made.process.terminate()
    assert made.process.wait(SECONDS) == 0
    assert list(made.tokens.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", made.port))


def _document(text: str) -> Any:
    """What a report says, but for its engine and what is free on the volume at the moment."""
    found = json.loads(text, object_pairs_hook=lambda pairs: {
        name: value for name, value in pairs if name not in VOLUME
    })  # fmt: skip
    for one in (found, *found.get("reports", ())):  # of several, each has one
        one.pop("source", None)
    return found


@pytest.mark.parametrize("kind", ["all", "cost", "slo"])
def test_a_report_on_the_server_is_that_of_this_process(
    served: Served, log_dir: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    price = ("--price-gib-month", "0.08") if kind == "cost" else ()
    words: Sequence[str] = (kind, str(log_dir), "--topics", "orders", "-o", "json", *price)
    done = served.pko(*words, "--remote", served.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert main(["spark", *words, "--engine", "local"]) == 0
    assert _document(done.stdout) == _document(capsys.readouterr().out)


def test_sections_are_written_whole_by_the_server_into_files_and_tables(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    work = Workload(tmp_path / "work", 1)
    words = ("lag", *work.places, "--configs", work.settings, "--now", "2030-01-01", "-o", "json")
    out = tmp_path / "out"
    done = served.run(
        "-c", WHOLE, *words, "--remote", served.url, "--parquet", out, "--csv", out / "csv",
        "--output-table", "whole.pko",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr  # batches are damaged
    section = json.loads(done.stdout)["sections"]["partitions"]
    count = section["total"]
    assert len(section["rows"]) < count
    for place in (out / "csv" / "partitions.csv", out / "partitions.parquet",
                  "spark_catalog.whole.pko_lag_partitions"):  # fmt: skip
        assert str(place) in section["note"]
    assert ds.dataset(out / "partitions.parquet", format="parquet").count_rows() == count
    parts = (out / "csv" / "partitions.csv").glob("part-*")
    assert len({line for part in parts for line in part.read_text().splitlines()}) == count + 1


def test_audit_counts_on_the_server(served: Served, log_dir: Path) -> None:
    done = served.pko("audit", log_dir, "--topics", "orders", "-o", "json", "--remote", served.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"]["records"] == RECORDS


def test_programs_find_the_sources_there(served: Served, log_dir: Path, tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text(COUNT.format(path=str(log_dir)))
    done = served.pko("submit", "--remote", served.url, job)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"pyspark.sql.connect.session {RECORDS}\n"
    token = (served.tokens / f"{served.port}.token").read_text()
    done = served.run("-c", REGISTERS.format(url=served.url, path=str(log_dir)),
                      SPARK_CONNECT_AUTHENTICATE_TOKEN=token)  # fmt: skip
    assert "PushedFilters: [IsNotNull(topic), EqualTo(topic,orders)]" in done.stdout, done
    assert done.stdout.endswith(f"[{{'sum(records)': {RECORDS}}}]\n")


def test_only_this_user_has_the_token_and_nothing_goes_without(
    served: Served, log_dir: Path
) -> None:
    path = served.tokens / f"{served.port}.token"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    done = served.pko("lag", log_dir, "--remote", served.url,
                      SPARK_CONNECT_AUTHENTICATE_TOKEN="guessed")  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"pko: --remote {served.url}: the server wants another token: set "
        "SPARK_CONNECT_AUTHENTICATE_TOKEN\n"
    )


def test_a_server_that_is_not_there_is_told_in_a_line(served: Served, log_dir: Path) -> None:
    url = f"sc://127.0.0.1:{free_port()}"
    done = served.pko("lag", log_dir, "--remote", f"{url}/;token=hush", "--progress")
    assert (done.returncode, done.stdout) == (3, "")
    assert "hush" not in done.stderr
    assert (
        done.stderr.splitlines(keepends=True)[-1]
        == f"pko: --remote {url}: no Spark Connect server answers there\n"
    )


def test_what_is_for_starting_spark_does_not_go_with_one_that_runs(
    served: Served, log_dir: Path
) -> None:
    done = served.pko("lag", log_dir, "--remote", served.url, "--cores", "1")
    assert done.returncode == 2
    assert "--cores is for starting Spark: --remote has it running" in done.stderr
    assert served.process.poll() is None


def test_without_the_client_the_extra_is_named(
    log_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spark", "lag", str(log_dir), "--remote", "sc://localhost"]) == 1
    assert "is not installed for" in (said := capsys.readouterr().err)
    assert said.endswith("pip install 'pykafka-ops[connect]'\n")
