"""``pko spark`` from its command line to its files and exit codes."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pykafka_ops.cli import main
from pykafka_ops.commands.spark import report as reading
from pykafka_ops.commands.spark.judge import SECTIONS, TOGETHER
from pykafka_ops.commands.spark.stages import Stages
from tests.spark.conftest import READ, RECORDS
from tests.support.process.broker import BrokerProcess
from tests.support.spark.log_tables import write_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LAG = RECORDS - 2 * READ
BRIEF = ("-X", "default.api.timeout.ms=2000")
"""Before a cluster is given up."""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(params=["spark", "auto"])
def run(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Run ``pko spark`` in the session of the tests, or by the engine it chooses; code, stdout,
    stderr."""
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "PKO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)

    def made(*words: object) -> tuple[int, str, str]:
        code = main(["spark", *map(str, words), "--engine", request.param])
        out, err = capsys.readouterr()
        return code, out, err

    return made


HERE = pytest.mark.parametrize("run", ["auto"], indirect=True)
"""For what is made of finished reports, which are the same by both engines."""


def by(rows: list[dict[str, Any]], name: str) -> dict[Any, dict[str, Any]]:
    return {row[name]: row for row in rows}


def test_every_form_tells_the_same(run: Run, log_dir: Path, tmp_path: Path) -> None:
    html, tables, frames = tmp_path / "all.html", tmp_path / "csv", tmp_path / "parquet"
    code, out, err = run("all", log_dir, "--topics", "orders", "-o", "json", "--html", html,
                         "--csv", tables, "--parquet", frames)  # fmt: skip
    assert code == 0, err
    whole = json.loads(out, parse_constant=pytest.fail)
    assert (whole["kind"], whole["version"]) == ("all-report", 1)
    reports = by(whole["reports"], "kind")
    assert list(reports) == ["lag-report", "skew-report", "retention-report"]
    for kind, names in ((kind, SECTIONS[kind]) for kind in TOGETHER):
        sections = reports[f"{kind}-report"]["sections"]
        assert sorted(sections) == sorted(names)
        for name, section in sections.items():
            path = tables / kind / f"{name}.csv"
            with path.open(encoding="utf-8", newline="") as file:
                header, *lines = csv.reader(file)
            assert header == [c["name"] for c in section["columns"]]
            assert len(lines) == len(section["rows"])
            assert pq.read_metadata(frames / kind / f"{name}.parquet").num_rows == len(lines)
    (group,) = reports["lag-report"]["sections"]["groups"]["rows"]
    assert (group["group"], group["lag"], group["partitions"]) == ("billing", LAG, 2)
    parts = reports["skew-report"]["sections"]["partitions"]["rows"]
    assert [p["records"] for p in parts] == [400, 200]
    assert [t["topic"] for t in reports["retention-report"]["sections"]["topics"]["rows"]] == [
        "orders"
    ]
    page = html.read_text()
    assert all(f'data-kind="{kind}"' in page for kind in TOGETHER)
    assert f">{LAG}<" in page


@HERE
def test_metrics_are_written_as_a_whole_or_not_at_all(
    run: Run, log_dir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "node_exporter" / "pko.prom"
    code, out, err = run("all", log_dir, "--topics", "orders", "--metrics", path, "-o", "json")
    assert (code, err) == (0, "")
    samples = {
        (s.name, *(v for k, v in sorted(s.labels.items()) if k != "cluster")): s.value
        for family in text_string_to_metric_families(path.read_text())
        for s in family.samples
    }
    assert samples["kafka_consumergroup_lag_sum", "billing", "orders"] == LAG
    assert samples["kafka_topic_partitions", "orders"] == 2
    assert samples["pko_report_figure", "records", "skew"] == RECORDS
    verdict = json.loads(out)["reports"][0]["sections"]["groups"]["rows"][0]["status"]
    assert samples["pko_kafka_group_verdict", "billing", verdict] == 1
    before = path.read_text()
    code, *_ = run("lag", tmp_path / "nowhere", "--metrics", path)
    assert code != 0 and path.read_text() == before
    code, *_ = run("lag", log_dir, "--metrics", path, "--fail-on", "lag>1", "-o", "json")
    assert code == 4 and "pko_report_condition_rows{" in path.read_text()
    assert [p.name for p in path.parent.iterdir()] == ["pko.prom"]
    path.write_text("# of somebody else\n")
    code, out, err = run("lag", log_dir, "--metrics", path)
    assert code == 2 and "was not made by pko: give --yes to write over it" in err


@HERE
def test_history_shows_what_changed_and_a_condition_decides(
    run: Run, log_dir: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(log_dir, data)
    history = ("--history", tmp_path / "history", "--topics", "orders")
    code, out, err = run("lag", data, *history, "--fail-on", f"lag>{LAG}", "--now", "2030-01-01")
    assert (code, err) == (0, "")
    assert re.search(rf"^billing +2 +{LAG} ", out, re.M), out
    damaged = next((tmp_path / "history").rglob("section=topics/*/*.parquet"))
    damaged.write_bytes(b"PAR1")
    words = (*history, "--fail-on", "lag_change=0 & lag>=500", "--now", "2030-01-02", "-o", "csv")
    code, out, err = run("lag", data, *words)
    assert code == 4
    problem, met = err.splitlines()
    assert problem.startswith(f"pko: {damaged}: left out of the history: ")
    assert met == f"pko: group billing: lag {LAG}, lag_change 0"
    (row,) = csv.DictReader(out.splitlines())
    assert (row["group"], row["lag"], row["lag_change"]) == ("billing", str(LAG), "0")


@pytest.mark.parametrize(
    ("run", "scheme"), [("auto", "file"), ("spark", "viewfs")], indirect=["run"]
)
def test_outputs_behind_uris_are_written_there(
    run: Run, log_dir: Path, tmp_path: Path, spark: SparkSession, scheme: str
) -> None:
    """``viewfs`` is a file system of Hadoop's own with its names for what others hold."""
    root = f"file://{tmp_path}/far"
    if scheme == "viewfs":
        mounts = f"mounts{os.getpid()}"
        link = f"fs.viewfs.mounttable.{mounts}.link./out"
        spark._jsc.hadoopConfiguration().set(link, f"{root}/")
        (tmp_path / "far").mkdir()
        root = f"viewfs://{mounts}/out"
    words = ("retention", log_dir, "--topics", "orders", "--history", f"{root}/history",
             "-o", "json", "--output-file", f"{root}/r.json", "--html", f"{root}/pages/r.html",
             "--csv", f"{root}/csv", "--now", "2030-01-01")  # fmt: skip
    for expected in (None, 0):
        assert run(*words) == (0, "", "")
        (row,) = json.loads((tmp_path / "far/r.json").read_text())["sections"]["topics"]["rows"]
        assert (row["topic"], row["bytes_change"]) == ("orders", expected)
        words = (*words[:-1], "2030-01-02")
    assert 'data-kind="retention"' in (tmp_path / "far/pages/r.html").read_text()
    assert (tmp_path / "far/csv/topics.csv").read_text().startswith("topic,")
    assert len(list(tmp_path.glob("far/history/kind=retention/section=topics/*/*.parquet"))) == 2
    hidden = [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
    assert not [path for path in hidden if scheme == "file" or path.suffix != ".crc"]
    (tmp_path / "far/pages/r.html").write_text("mine")
    (tmp_path / "far/pages/.r.html.crc").unlink(missing_ok=True)  # it would not fit any more
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "was not made by pko: give --yes to write over it" in err


NOWHERE = "endpoint_override=127.0.0.1:1&scheme=http&region=us-east-1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"--history s3://bucket/h?{NOWHERE}", "us-east-1: the store does not answer"),
        (f"--history s3a://bucket/h?{NOWHERE}", "us-east-1: the store does not answer"),
        ("--html nofs://bucket/x.html", "Spark has no file system for nofs://"),
        ("--csv hdfs://127.0.0.1:1/csv", "cannot look at hdfs://127.0.0.1:1/csv: the store"),
    ],
)
def test_a_uri_that_cannot_be_written_is_refused_before_anything_is_read(
    run: Run, log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "open_inputs", pytest.fail)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    code, out, err = run("lag", log_dir, *words.split())
    assert (code in (1, 2), out, err.count("\n")) == (True, "", 1)
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_damage_is_told_counted_and_with_strict_the_end(
    run: Run, log_dir: Path, tmp_path: Path
) -> None:
    data, out_file = tmp_path / "data", tmp_path / "report.json"
    shutil.copytree(log_dir, data)
    segment = data / "orders-0" / f"{0:020}.log"
    bytes_there = bytearray(segment.read_bytes())
    bytes_there[16] = 9  # the magic of the first batch
    segment.write_bytes(bytes_there)
    words = ("skew", data, "--topics", "orders", "--records", "none")
    code, out, err = run(*words, "-o", "json", "--output-file", out_file)
    assert (code, out) == (1, "")
    assert re.search(r"^pko: .*orders-0.*: ", err, re.M), err
    whole = json.loads(out_file.read_text())
    assert len(whole["problems"]) == 1
    parts = whole["sections"]["partitions"]["rows"]
    assert [p["records"] for p in parts][1] == 200
    before = out_file.read_bytes()
    code, out, err = run(*words, "--strict", "-o", "json", "--output-file", out_file)
    assert (code, out) == (1, "")
    assert err.startswith("pko: ")
    assert "orders-0" in err
    assert err.count("\n") == 1
    assert out_file.read_bytes() == before


def test_a_group_that_is_nowhere_is_told(run: Run, log_dir: Path) -> None:
    code, out, err = run("lag", log_dir, "--groups", "nobody", "-o", "name")
    assert (code, out) == (1, "")
    assert "pko: there is no group nobody here\n" in err


@HERE
def test_a_directory_without_commits_is_not_known_to_be_well(run: Run, tmp_path: Path) -> None:
    write_log(tmp_path / "logs", "orders", [[50], [50]])
    code, out, err = run("lag", tmp_path / "logs", "--fail-on", "lag_seconds>300")
    assert code == 4
    assert "Not known: neither a cluster nor __consumer_offsets was read." in out
    assert "Unread data safe for –" in out
    assert "pko: Groups: not known: neither a cluster nor __consumer_offsets was read\n" in err
    risk = ("--section", "at_risk", "--fail-on", "status=LOSING", "-o", "json")
    code, out, err = run("retention", tmp_path / "logs", *risk)
    assert (code, err.count("\n")) == (4, 1)
    heard = json.loads(out)
    assert heard["summary"]["groups_at_risk"] is None
    assert "neither a cluster" in heard["sections"]["at_risk"]["unknown"]


@HERE
def test_a_condition_names_the_rows_that_meet_it(run: Run, log_dir: Path, tmp_path: Path) -> None:
    words = ("lag", log_dir, "--output-file", tmp_path / "lag.txt", "--topics", "orders")
    assert run(*words, "--fail-on", f"lag>{LAG} | status=STOP") == (0, "", "")
    code, out, err = run(*words, "--fail-on", f"lag>={LAG} | status=STOP")
    assert (code, out, err) == (4, "", f"pko: group billing: lag {LAG}, status UNKNOWN\n")


def test_a_cluster_that_is_not_there_is_told_in_a_line(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "lag.html"
    code, out, err = run("lag", "-b", "127.0.0.1:1", *BRIEF, "--html", page)
    assert (code, out) == (3, "")
    assert "127.0.0.1:1" in err
    assert err.count("\n") == 1
    assert not page.exists()


def test_a_cluster_that_goes_away_ends_the_report_in_a_line(
    run: Run, make_broker: Callable[..., BrokerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = make_broker().start()

    def stage(stages: Stages, text: str) -> None:
        if text == "skew: reading":
            broker.kill()

    monkeypatch.setattr(Stages, "__call__", stage)
    code, out, err = run("skew", "-b", broker.bootstrap, *BRIEF)
    while broker.running.alive():  # its time was too short to get so far
        code, out, err = run("skew", "-b", broker.bootstrap, *BRIEF)
    assert (code, out) == (3, "")
    assert broker.bootstrap in err
    assert err.count("\n") == 1


def test_lag_of_a_live_cluster_is_what_groups_lag_tells(
    run: Run, make_broker: Callable[..., BrokerProcess], log_dir: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(log_dir, tmp_path / "copy")
    broker = make_broker(data_dir=tmp_path / "copy").start()
    code, out, err = run("lag", "-b", broker.bootstrap, "--section", "partitions", "-o", "csv")
    assert code == 0, err
    ours = {(r["topic"], int(r["partition"])): int(r["lag"]) for r in csv.DictReader(out.split())}
    assert main(["groups", "lag", "--partitions", "-b", broker.bootstrap, "-o", "json"]) == 0
    heard = json.loads(capsys.readouterr().out)["items"]
    assert ours == {(r["topic"], r["partition"]): r["lag"] for r in heard}
    assert sum(ours.values()) == LAG


@HERE
def test_owners_stand_beside_topics_and_one_without_can_be_asked_for(
    run: Run, tmp_path: Path
) -> None:
    logs, owners, history = tmp_path / "logs", tmp_path / "owners.toml", tmp_path / "history"
    write_log(logs, "orders", [[10]])
    write_log(logs, "payments.eu", [[20]])
    owners.write_text('"payments.*" = { owner = "finance", team = "pay", tags = ["pii"] }\n')
    html = tmp_path / "x.html"
    words = ("skew", logs, "--owners", owners, "--history", history)
    code, out, err = run(*words, "-o", "json", "--html", html)
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert made["summary"]["unowned_topics"] == 1
    for name in ("topics", "partitions", "windows", "keys"):
        found = {row["topic"]: row["owner"] for row in made["sections"][name]["rows"]}
        assert found == {"orders": "unowned", "payments.eu": "finance"}, name
    first = by(made["sections"]["topics"]["rows"], "topic")["payments.eu"]
    assert (first["team"], first["tags"], first["records"]) == ("pay", ["pii"], 20)
    assert "finance" in html.read_text()
    code, out, err = run(*words, "-o", "table", "--fail-on", "owner=unowned")
    assert (code, err) == (4, "pko: topic orders: owner unowned\n")
    assert "finance" in out
    code, _, err = run(*words, "--fail-on", "owner=nobody")
    assert (code, err) == (0, "")
    code, _, err = run("skew", logs, "--fail-on", "owner=unowned")
    assert code == 2
    assert "there is no field owner" in err
