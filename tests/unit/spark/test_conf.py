"""Settings, masters and Java, judged without Spark."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pykafka_ops.errors import ConnectError, PkoError, StorageError, UsageError
from pykafka_ops.local.java import feature_version
from pykafka_ops.spark import conf, package
from pykafka_ops.spark.failures import explained
from pykafka_ops.spark.jvm import cause_of, variables
from pykafka_ops.spark.master import check_master, standalone_hosts
from pykafka_ops.spark.session import SessionOptions, all_settings
from pykafka_ops.spark.submit import submit_argv
from tests.support.raising import raises_nothing

GIB = 1 << 30


def test_what_a_person_sets_wins_but_java_options_add_up() -> None:
    ours = conf.base("local[2]", 2, "1g", "/d")
    made = conf.merged(ours, {conf.SHUFFLE: "7", conf.JAVA_OPTIONS: "-Dx=y"})
    assert made[conf.SHUFFLE] == "7"
    assert made[conf.JAVA_OPTIONS] == f"{ours[conf.JAVA_OPTIONS]} -Dx=y"
    assert made["spark.driver.bindAddress"] == "127.0.0.1"


def test_java_collects_by_one_thread_where_it_has_little_to_do(tmp_path: Path) -> None:
    for light, collector in ((True, "Serial"), (False, "Parallel")):
        made = all_settings(SessionOptions(light=light), "local[2]", str(tmp_path))
        chosen = [w for w in made[conf.JAVA_OPTIONS].split() if w.endswith("GC")]
        assert chosen == [f"-XX:+Use{collector}GC"]


def test_a_real_master_gets_the_package_and_no_loopback(tmp_path: Path) -> None:
    wish = SessionOptions(
        conf={"spark.submit.pyFiles": "a.py"}, py_files=("b.zip",), archives=("e.tgz#e",)
    )
    made = all_settings(wish, "spark://host:7077", str(tmp_path))
    assert made["spark.submit.pyFiles"] == f"a.py,{tmp_path}/pykafka_ops.zip,b.zip"
    assert made["spark.archives"] == "e.tgz#e"
    assert "spark.driver.host" not in made
    with zipfile.ZipFile(tmp_path / "pykafka_ops.zip") as shipped:
        names = shipped.namelist()
    assert "pykafka_ops/spark/sources/__init__.py" in names
    assert not [n for n in names if n.endswith(".pyc")]


def test_workers_use_the_python_of_the_archive() -> None:
    made = variables({}, local=False, archives="e.tgz#env,x.zip#x")
    assert made["PYSPARK_PYTHON"] == "./env/bin/python"
    given = variables({"PYSPARK_PYTHON": "/p"}, local=False, archives="e.tgz#env")
    assert given["PYSPARK_PYTHON"] == "/p"
    assert variables({"PYTHONPATH": "/x"}, local=True, archives="")["PYTHONPATH"] == (
        f"{package.root()}:/x"
    )


@pytest.mark.parametrize(
    ("cores", "partitions"), [(1, 8), (4, 8), (16, 32), (100, 200), (1000, 200)]
)
def test_shuffles_fit_the_cores(cores: int, partitions: int) -> None:
    assert conf.shuffle(cores) == partitions


def test_the_driver_gets_a_quarter_within_bounds() -> None:
    assert [conf.driver_memory(n * GIB) for n in (1, 8, 64)] == ["512m", "2048m", "4096m"]


@pytest.mark.parametrize(
    "master",
    ["local", "local[4]", "local[*]", "local[2,3]", "k8s://https://h:6", "local-cluster[2,1,1024]"],
)
def test_masters_that_spark_knows(master: str) -> None:
    with raises_nothing():
        check_master(master, {})


@pytest.mark.parametrize(
    "master",
    ["", "Local", "local[0]", "local-cluster[0,1,512]", "mesos://h:1", "spark:/h", "k8s://"],
)
def test_masters_that_it_does_not(master: str) -> None:
    with pytest.raises(UsageError, match=r"write local, local\[4\]"):
        check_master(master, {})


def test_several_masters_and_addresses_are_read() -> None:
    found = standalone_hosts("spark://a:1,[::1]:2")
    assert found == [("a", 1), ("::1", 2)]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('JAVA_VERSION="17.0.15"', 17),
        ('openjdk version "1.8.0_402"', 8),
        ('java version "21" 2023', 21),
        ("no java", None),
    ],
)
def test_java_says_its_version(text: str, version: int | None) -> None:
    assert feature_version(text) == version


def test_the_log_of_a_driver_says_what_was_wrong() -> None:
    assert cause_of("Picked up _JAVA_OPTIONS: x\nError: Unrecognized option: --foo\n") == (
        "Unrecognized option: --foo"
    )
    text = 'Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: a#b;1]'
    assert cause_of(f":: loading\n{text}\n\tat x") == "[unresolved dependency: a#b;1]"
    assert cause_of("all fine") is None


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("x\npykafka_ops.errors.StorageError: /d: gone\n at y", StorageError, "/d: gone"),
        (
            "pyspark.errors.X: pykafka_ops.client.config.ClientConfigError: bad tls",
            UsageError,
            "bad tls",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", PkoError, "Spark ran out of memory"),
        (
            "An error occurred while calling o1.collect\n: org.apache.spark.SparkException: Job "
            "aborted due to stage failure: Task 0 failed 1 times, most recent failure: Lost task "
            "0.0 in stage 1.0 (TID 1): java.io.IOException: disk\n\tat x",
            PkoError,
            "Spark: disk",
        ),
        (
            ": org.apache.spark.SparkException: Exception thrown in awaitResult: \n\tat x.Y\n"
            "Caused by: a.B: first\nCaused by: java.io.IOException: No space left on device",
            PkoError,
            "Spark: No space left on device",
        ),
        ("", PkoError, "Spark: the job failed"),
        (
            "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)\n\tat x",
            PkoError,
            "Spark: a Python worker ended by itself; its executor's log says why: a module may be",
        ),
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "/x/worker.py", line 7, in main\n    func()\n'
            "ModuleNotFoundError: No module named 'pykafka_ops'\n\tat org.apache.spark.X",
            PkoError,
            "the executors' Python has no module pykafka_ops: PYSPARK_PYTHON must name one",
        ),
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "/x/judge.py", line 7, in one\n    a < b\n    ^^^^^\n'
            "TypeError: '<' not supported\n\n\tat org.apache.spark.X",
            PkoError,
            "Spark: TypeError: '<' not supported",
        ),
        *(
            (
                f": org.apache.spark.SparkException: {said}\n\tat x.Y",
                ConnectError,
                "Spark's master ended the application, or no longer answers",
            )
            for said in (
                "Job 3 cancelled because SparkContext was shut down",
                "Application application_1 has been killed. Reason: Master removed our application",
                "All masters are unresponsive! Giving up.",
            )
        ),
    ],
)
def test_failures_are_one_line(text: str, kind: type[PkoError], said: str) -> None:
    import pykafka_ops.client.config  # noqa: F401 - its errors are known once it is loaded

    found = explained(RuntimeError(text))
    assert type(found) is kind
    assert str(found).startswith(said)
    assert "\n" not in str(found)


def test_a_driver_that_ends_here_is_no_masters_doing() -> None:
    said = "org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down"
    found = explained(RuntimeError(said), has_master=False)
    assert type(found) is PkoError
    assert str(found).startswith("Spark's driver ended in the middle of the report: memory may be")


def test_spark_submit_is_told_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "bin" / "spark-submit"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    wish = SessionOptions(master="yarn", driver_memory="2g", conf={"a": "b"}, packages=("g:a:1",),
                archives=("e.tgz#e",), py_files=("x.zip",))  # fmt: skip
    argv = submit_argv(wish, "cluster", "p.zip", "job.py", ["spark", "lag"], ["f.py"])
    assert " ".join(argv).removeprefix(str(script)) == (
        " --master yarn --deploy-mode cluster --name pko --py-files p.zip,x.zip --driver-memory 2g"
        " --packages g:a:1 --archives e.tgz#e --files f.py --conf a=b job.py spark lag"
    )
