"""Reports whose work is done by executors of their own (``local-cluster``), not by the driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.java.java_kit import BRIEF_JVM
from tests.support.spark.damaged import DAMAGED, damaged_places, write_damaged

MASTER = "local-cluster[2,1,1024]"
CONFS = (
    "spark.executor.memory=512m",
    "spark.sql.shuffle.partitions=1",
    f"spark.driver.extraJavaOptions={BRIEF_JVM[0]}",
    f"spark.executor.extraJavaOptions={' '.join(BRIEF_JVM)}",
)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_damaged(tmp_path_factory.mktemp("damage"))


def pko(*words: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **({"PYSPARK_PYTHON": python} if python else {})}
    argv = [sys.executable, "-m", "pykafka_ops", "spark", *words, "--master", MASTER]
    argv += ["--driver-memory", "512m", *(word for conf in CONFS for word in ("--conf", conf))]
    return subprocess.run(argv, capture_output=True, text=True, timeout=300, env=env)


def test_damage_that_executors_meet_is_counted_named_and_decides_the_exit_code(logs: Path) -> None:
    done = pko("all", str(logs), "-o", "json")
    assert done.returncode == 1, done.stderr
    for report in json.loads(done.stdout)["reports"]:
        assert report["summary"]["damaged_places"] == len(DAMAGED)
        named = {problem["where"] for problem in report["problems"]}
        assert damaged_places(logs) == {where for where in named if str(logs) in where}
        assert all(where in done.stderr for where in named)


def test_a_worker_python_without_the_modules_is_named_and_what_it_lacks(
    logs: Path, tmp_path: Path
) -> None:
    made = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")]
    subprocess.run(made, check=True, timeout=300)
    python = str(tmp_path / "bare" / "bin" / "python")
    done = pko("lag", str(logs), python=python)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    version = ".".join(map(str, sys.version_info[:2]))
    assert done.stderr.startswith(
        f"pko: the Python of the executors, {python} ({version}), has no numpy, pyarrow, numba, "
        "cramjam, google_crc32c: pip install 'pykafka-ops[spark]' for it there, "
    )


def test_a_worker_python_that_is_not_there_is_named(logs: Path, tmp_path: Path) -> None:
    python = str(tmp_path / "python")
    done = pko("lag", str(logs), python=python)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(
        f"pko: the executors cannot run {python}, which is to be their Python: "
    )
