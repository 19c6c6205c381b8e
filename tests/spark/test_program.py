"""``pko spark submit``, and how a run ends before its time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.cli import main
from pykafka_ops.spark.failures import explained
from tests.spark.conftest import RECORDS
from tests.support.waiting import wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOB = """import sys
import helper
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
rows = spark.read.format("kafka-log").load(sys.argv[1]).where("topic = 'orders'")
print(helper.NAME, rows.groupBy().sum("records").first()[0], sys.argv[2:])
sys.exit(int(sys.argv[3]))
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("NAME = 'helped'\n")
    path = tmp_path / "job.py"
    path.write_text(JOB)
    return path


def test_a_program_has_a_session_its_arguments_and_its_exit_code(
    spark: SparkSession, job: Path, log_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv, path = sys.argv[:], sys.path[:]
    assert main(["spark", "submit", str(job), str(log_dir), "--help", "7"]) == 7
    assert capsys.readouterr().out == f"helped {RECORDS} ['--help', '7']\n"
    assert (sys.argv, sys.path) == (argv, path)
    assert spark.range(2).count() == 2


def test_what_a_program_raises_is_shown_with_its_own_lines(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "job.py"
    path.write_text("def work():\n    raise ValueError('no')\n\nwork()\n")
    assert main(["spark", "submit", str(path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "ValueError: no"
    assert [line.strip() for line in lines if line.startswith("  File")] == [
        f'File "{path}", line 4, in <module>',
        f'File "{path}", line 2, in work',
    ]
    path.write_text("import sys\nsys.exit('bad day')\n")
    assert main(["spark", "submit", str(path)]) == 1
    assert capsys.readouterr().err == "bad day\n"


def test_errors_of_ours_come_back_from_workers_as_what_they_were(spark: SparkSession) -> None:
    def fail(_: object) -> object:
        from pykafka_ops.errors import StorageError

        raise StorageError("/data/orders-0: the disk is gone")

    with pytest.raises(Exception, match="orders-0") as raised:
        spark.sparkContext.parallelize([1], 1).map(fail).collect()
    found = explained(raised.value)
    assert (type(found).__name__, str(found)) == (
        "StorageError",
        "/data/orders-0: the disk is gone",
    )
    with pytest.raises(Exception, match="boom") as raised:
        spark.range(1).selectExpr("raise_error('boom')").collect()
    line = str(explained(raised.value))
    assert line.startswith("Spark: ")
    assert "boom" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    "stage", ["lag: reading", "lag: judging partitions", "lag: adding up groups"]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_quietly_and_leaves_nothing(
    number: signal.Signals, stage: str, log_dir: Path, tmp_path: Path
) -> None:
    page, scratch = tmp_path / "lag.html", tmp_path / "tmp"
    scratch.mkdir()
    argv = [sys.executable, "-m", "pykafka_ops", "spark", "lag", str(log_dir), "--progress",
            "--html", str(page)]  # fmt: skip
    running = subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert running.stderr is not None
    lines = iter(running.stderr.readline, "")
    wait_for(lambda: stage in next(lines), what=stage)
    running.send_signal(number)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 128 + number
    assert out == ""
    assert [line for line in err.splitlines() if not line.startswith("pko: lag: ")] == []
    assert not page.exists()
    assert list(scratch.iterdir()) == []
