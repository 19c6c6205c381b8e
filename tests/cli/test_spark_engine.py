"""Which engine makes a report, and that the local one needs nothing of Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.analysis import sampled
from pykafka_ops.cli import main
from pykafka_ops.commands.spark import amount, engine, running, spark
from pykafka_ops.commands.spark.amount import ReadAmount
from pykafka_ops.commands.spark.ask import ask
from pykafka_ops.commands.spark.engine import EngineChoice, chosen, is_light
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.spark.inputs import planned
from pykafka_ops.spark.inputs.planned import PlannedReading
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.session import SessionOptions
from tests.support.memory.context import run_of
from tests.support.process.broker import BrokerProcess
from tests.support.spark.log_tables import write_log

WITHOUT = """
import sys
for name in ("pyspark", "py4j", "numba"):
    sys.modules[name] = None  # what imports it fails
from pykafka_ops.cli import main
code = main(sys.argv[1:])
assert sys.modules["pyspark"] is None
sys.exit(code)
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_log(tmp_path / "logs", "orders", [[10, 20], [30]])
    write_log(tmp_path / "logs", "payments", [[400]])
    return tmp_path / "logs"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker of which other tests ask nothing: some place topics of a shared one on brokers that
    do not exist, which every report of the whole cluster tells of."""
    made = BrokerProcess(tmp_path / "data")
    try:
        yield made.start()
    finally:
        made.close()


def choose(*words: object) -> EngineChoice:
    run = run_of(spark, [*map(str, words)])
    kinds = ("lag", "skew", "retention") if run.args.verb == "all" else (run.args.verb,)
    asked = ask(run, kinds)
    return chosen(run, asked, ReadAmount(asked))


def test_little_is_for_this_process_and_much_for_spark(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose("skew", logs).said == "local: at most 256.0 MiB to read"
    size = sum(f.stat().st_size for f in logs.rglob("*.log"))
    monkeypatch.setattr(engine, "LOCAL_BYTES", size)
    assert choose("skew", logs).local
    assert choose("skew", f"file://{logs}").local
    monkeypatch.setattr(engine, "LOCAL_BYTES", size - 1)
    assert not choose("skew", f"file://{logs}").local
    much = choose("skew", logs)
    assert not much.local
    assert much.why.startswith("more than ")
    assert choose("skew", logs, "--topic", "orders").local
    monkeypatch.setattr(sampled, "LEAST_BYTES", 1)
    assert choose("skew", logs, "--sample", "50%").local
    assert not choose("skew", logs, "--sample", "100%").local
    assert not choose("all", logs, "--sample", "50%").local
    forced = choose("skew", logs, "--engine", "local")
    assert (forced.local, forced.why) == (True, "asked for")
    assert forced.warning.endswith("to read: Spark takes all cores for it")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--master local[2]", "--master is for Spark"),
        ("--conf a=b", "--conf is for Spark"),
        ("--cores 1", "--cores is for Spark"),
        ("--deploy-mode cluster", "--deploy-mode cluster is for Spark"),
    ],
)
def test_what_only_spark_can_do_it_does(words: str, why: str, logs: Path) -> None:
    assert choose("lag", logs, *words.split()).said == f"spark: {why}"
    with pytest.raises(UsageError, match=f"--engine local: {why}".replace("[", r"\[")):
        choose("lag", logs, "--engine", "local", *words.split())


def light(*words: object) -> bool:
    run = run_of(spark, [*map(str, words)])
    asked = ask(run, (run.args.verb,))
    return is_light(run, asked, ReadAmount(asked))


def test_spark_plans_no_queries_for_little_unless_it_is_told_how_to_run(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in ((), ("--cores", 1, "--driver-memory", "1g"), ("--html", logs / "a.html")):
        assert light("lag", logs, *words)
    for words in (("--conf", "a=b"), ("--master", "local[2]"), ("--packages", "a:b:1"),
                  ("--output-table", "t"), ("--html", "s3://bucket/a.html"),
                  ("--deploy-mode", "cluster")):  # fmt: skip
        assert not light("lag", logs, *words)
    assert not light("lag", "s3://bucket/kafka")
    assert not light("audit", logs)
    size = sum(f.stat().st_size for f in logs.rglob("*.log"))
    for most in (size, size - 1):
        monkeypatch.setattr(engine, "LITTLE", most)
        assert light("skew", logs) == (most == size)


@pytest.fixture
def unstarted(monkeypatch: pytest.MonkeyPatch) -> list[SessionOptions]:
    """Reports too large for this process, of which Spark is not started: how it would have been."""
    asked_for: list[SessionOptions] = []

    @contextmanager
    def not_started(options: SessionOptions, *_: object) -> Iterator[None]:
        asked_for.append(options)
        raise PkoError("not started")
        yield

    monkeypatch.setattr(engine, "LOCAL_BYTES", -1)
    monkeypatch.setattr(running, "_started", not_started)
    return asked_for


@pytest.mark.parametrize("how", [(), ("--engine", "spark"), ("--cores", "2")])
def test_directories_are_listed_once_whatever_is_decided_by_their_size(
    how: tuple[str, ...],
    logs: Path,
    unstarted: list[SessionOptions],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed: list[str] = []
    scan = os.scandir

    def counting(path: str) -> Any:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", counting)
    assert main(["spark", "skew", str(logs), *how]) == 1
    assert [(options.brief, options.light) for options in unstarted] == [(True, True)]
    assert sorted(listed) == sorted(map(str, [logs, *logs.iterdir()]))


@pytest.mark.parametrize("how", [(), ("--engine", "spark")])
def test_brokers_are_asked_once_whatever_is_decided_by_what_they_hold(
    how: tuple[str, ...],
    alone: BrokerProcess,
    unstarted: list[SessionOptions],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    questions: list[object] = []
    ask_brokers = planned.describe_log_dirs

    def counting(*words: Any, **more: Any) -> Any:
        questions.append(words)
        return ask_brokers(*words, **more)

    monkeypatch.setattr(planned, "describe_log_dirs", counting)
    where = ["-b", alone.bootstrap]
    assert main(["topics", "create", "asked", *where]) == 0
    assert main(["spark", "skew", "--topic", "asked", "--records", "all", *where, *how]) == 1
    assert [options.light for options in unstarted] == [True]
    assert len(questions) == 1


def test_only_little_work_is_brief(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def brief(*words: object) -> bool:
        run = run_of(spark, [*map(str, words)])
        return ReadAmount(ask(run, (run.args.verb,))).is_brief

    assert brief("skew", logs)
    assert brief("lag", "-b", "127.0.0.1:1")
    assert not brief("skew", "-b", "127.0.0.1:1")
    assert not brief("skew", "s3://bucket/logs")
    size = sum(f.stat().st_size for f in logs.rglob("*.log"))
    for most in (size, size - 1):
        monkeypatch.setattr(amount, "LITTLE", most)
        assert brief("skew", f"file://{logs}") == (most == size)


def test_places_far_away_are_for_spark_unless_it_is_told_otherwise() -> None:
    far = "s3://bucket/kafka"
    assert choose("lag", far).said == f"spark: {far} is not on this machine"
    assert choose("lag", far, "--engine", "local").local


def test_without_pyspark_this_process_goes_on_and_without_arrow_it_says_what_to_install(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LOCAL_BYTES", 0)
    missing = {"pyspark"}
    monkeypatch.setattr(engine, "_has", lambda *names: not missing & set(names))
    found = choose("skew", logs)
    assert (found.local, found.why) == (True, "pyspark is not installed")
    assert found.warning
    missing.add("pyarrow")
    for words in ((), ("--engine", "local")):
        with pytest.raises(PkoError, match=r"pip install 'pykafka-ops\[reports\]'"):
            choose("skew", logs, *words)
    assert choose("skew", logs, "--engine", "spark").said == "spark: asked for"
    missing.remove("pyspark")
    assert choose("skew", logs).said == "spark: pyarrow is not installed"


def test_a_cluster_is_measured_by_its_brokers(
    alone: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("-b", alone.bootstrap)
    for verb in ("lag", "skew", "retention", "all"):
        assert choose(verb, *where).local
    assert main(["topics", "create", "measured", "-p", "2", *where]) == 0
    monkeypatch.setattr(amount, "LOCAL_PARTITIONS", 1)
    assert choose("lag", *where, "--topic", "measured").said.endswith(" partitions")
    monkeypatch.setattr(amount, "LOCAL_PARTITIONS", 10_000)
    monkeypatch.setattr(engine, "LOCAL_BYTES", -1)
    assert choose("skew", *where, "--records", "all", "--topic", "measured").said == (
        "spark: 0 B to read"
    )
    monkeypatch.setattr(amount, "of_cluster", lambda *_: PlannedReading(1, None))
    assert choose("lag", *where).said == "spark: brokers do not say how much there is to read"


def made(words: list[str], said: str = "") -> Any:
    """What a process without Spark and numba prints; ``said`` is the problem it tells of."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PKO_")}
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT, "spark", *words],
        env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (int(bool(said)), said)
    return json.loads(ran.stdout)


@pytest.mark.slow
def test_every_report_is_made_where_spark_and_numba_are_not(
    logs: Path, tmp_path: Path, alone: BrokerProcess
) -> None:
    files = [f"--history={tmp_path}/h", f"--html={tmp_path}/x.html", f"--csv={tmp_path}/csv",
             f"--parquet={tmp_path}/parquet", "-o", "json", "--yes"]  # fmt: skip
    skew = made(["skew", str(logs), *files])
    assert skew["source"]["engine"] == "local: at most 256.0 MiB to read"
    rows = skew["sections"]["topics"]["rows"]
    assert {r["topic"]: r["records"] for r in rows} == {"orders": 60, "payments": 400}
    whole = made(["all", str(logs), "-o", "json"], f"pko: offsets: {NO_OFFSETS}\n")
    assert [r["kind"] for r in whole["reports"]] == [
        "lag-report", "skew-report", "retention-report"
    ]  # fmt: skip
    for verb in ("lag", "retention", "skew"):
        found = made([verb, "-b", alone.bootstrap, "-o", "json", "--timeout", "60s"])
        assert found["source"]["engine"].startswith("local: ")


def test_the_engine_is_named_where_somebody_looks(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spark", "skew", str(logs), "--progress"]) == 0
    assert "pko: engine local: at most 256.0 MiB to read\n" in capsys.readouterr().err
    assert main(["spark", "skew", str(logs)]) == 0
    assert capsys.readouterr().err == ""
