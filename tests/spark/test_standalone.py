"""The reports and a job of the user's own on a real standalone master with two workers."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pykafka_ops.spark import package
from pykafka_ops.spark.submit import JOB, spark_submit
from tests.spark.conftest import READ, RECORDS
from tests.support.java.java_kit import BRIEF_JVM
from tests.support.process.process import Process
from tests.support.waiting import free_port, wait_for, wait_for_port

PATIENCE = """import sys
from pykafka_ops.cli import main
from pykafka_ops.spark import session
session.ANSWER_SECONDS = {answer}
session.EXECUTOR_SECONDS = {executor}
sys.exit(main(sys.argv[1:]))
"""
"""``pko`` that gives up sooner than people would have it, or on a busy machine later."""
PATIENT = {"answer": 240, "executor": 240}
GOING = """import os, signal, sys
from pykafka_ops.cli import main
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.spark import master, session
session.ANSWER_SECONDS = session.EXECUTOR_SECONDS = 240
master.LOST_SECONDS = 1
def stage(self, text):
    if text == "skew: counting batches":
        for pid in {pids}:
            os.kill(pid, signal.SIGKILL)
Stages.__call__ = stage
sys.exit(main(sys.argv[1:]))
"""
"""``pko`` that sees its master and worker go while it counts."""

BRIEF = " ".join(BRIEF_JVM)
CONFS = [
    word
    for conf in (
        "spark.executor.memory=512m",
        "spark.sql.shuffle.partitions=1",
        f"spark.driver.extraJavaOptions={BRIEF_JVM[0]}",
        f"spark.executor.extraJavaOptions={BRIEF}",
    )
    for word in ("--conf", conf)
]
EXECUTOR = (*CONFS, "--driver-memory", "512m")


class Standalone:
    """A master, and workers once they are asked for."""

    def __init__(self, directory: Path) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        self.spark_class = str(home / "bin" / "spark-class")
        self.directory, self.port = directory, free_port()
        self.env = {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(directory / "work"),
            "SPARK_DAEMON_JAVA_OPTS": BRIEF,
        }
        self.master = self._start("master", "--port", str(self.port), "--webui-port", "0")
        master = self.master
        wait_for_port("127.0.0.1", self.port, alive=master.alive, said=master.log_tail)
        self.workers: list[Process] = []

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def _start(self, kind: str, *words: str, log: str = "") -> Process:
        name = f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
        argv = [self.spark_class, "-Xmx256m", name, "--host", "127.0.0.1", *words]
        return Process(argv, self.directory / f"{log or kind}.log", self.env)

    def add_workers(self, count: int = 2) -> None:
        """Have so many, of a core each."""
        words = ("--cores", "1", "--memory", "1g", "--webui-port", "0", self.url)
        for number in range(len(self.workers), count):
            self.workers.append(self._start("worker", *words, log=f"worker-{number}"))
        for worker in self.workers:
            wait_for(partial(_is_registered, worker), what="a registered worker")

    def close(self) -> None:
        for process in (*self.workers, self.master):
            process.stop()


def _is_registered(worker: Process) -> bool:
    return "Successfully registered with master" in worker.log.read_text()


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    made = Standalone(tmp_path_factory.mktemp("standalone"))
    yield made
    made.close()


def run(*words: str, program: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", program or PATIENCE.format(**PATIENT), "spark", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=900)


def test_a_master_without_workers_is_told_in_a_line(standalone: Standalone, log_dir: Path) -> None:
    program = PATIENCE.format(**PATIENT | {"executor": 1})
    done = run("lag", str(log_dir), "--master", standalone.url, *EXECUTOR, program=program)
    assert (done.returncode, done.stdout) == (3, "")
    assert re.fullmatch(
        rf"pko: {standalone.url} gave no executor within 1 s: are workers registered there.*\n",
        done.stderr,
    )


def test_what_is_no_spark_master_is_told_in_a_line(log_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"spark://127.0.0.1:{silent.getsockname()[1]}"
        program = PATIENCE.format(answer=4, executor=1)
        done = run("lag", str(log_dir), "--master", url, program=program)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"pko: --master {url} does not answer as Spark of this version")
    assert done.stderr.count("\n") == 1


def test_the_three_reports_run_on_two_workers(
    standalone: Standalone, log_dir: Path, tmp_path: Path
) -> None:
    standalone.add_workers()
    done = run("all", str(log_dir), "--topics", "orders", "--master", standalone.url, *EXECUTOR,
               "-o", "json", "--html", str(tmp_path / "all.html"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    lag, skew, retention = json.loads(done.stdout)["reports"]
    assert lag["sections"]["groups"]["rows"][0]["lag"] == RECORDS - 2 * READ
    assert [p["records"] for p in skew["sections"]["partitions"]["rows"]] == [400, 200]
    assert retention["sections"]["topics"]["rows"][0]["topic"] == "orders"
    assert (tmp_path / "all.html").stat().st_size > 10_000
    (app,) = (standalone.directory / "work").glob("app-*")
    executors = sorted(app.iterdir())
    assert len(executors) == 2
    for executor in executors:
        assert list(executor.rglob("pykafka_ops.zip")), "the package was not shipped along"


def test_a_master_that_is_gone_with_its_executors_is_told_in_a_line(
    tmp_path: Path, log_dir: Path
) -> None:
    made = Standalone(tmp_path)
    try:
        made.add_workers()
        pids = [process.pid for process in (*made.workers, made.master)]
        program = GOING.format(pids=pids)
        done = run("skew", str(log_dir), "--master", made.url, *EXECUTOR, program=program)
    finally:
        made.close()
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"pko: {made.url} is gone, and all its executors: is the master still running there?\n"
    )


def test_spark_submit_runs_it_too(standalone: Standalone, log_dir: Path, tmp_path: Path) -> None:
    """As Airflow's operator or a driver in a cluster would."""
    standalone.add_workers()
    job = tmp_path / "job.py"
    job.write_text(JOB)
    argv = [spark_submit({}), "--master", standalone.url, "--py-files", package.ship(tmp_path)]
    argv += [*CONFS, str(job), "spark", "lag", str(log_dir), "-o", "name"]
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=900, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "billing"
