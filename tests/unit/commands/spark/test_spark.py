"""``pko spark``: what is refused before Spark starts, in one line and with which exit code."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.cli import main
from pykafka_ops.commands.spark import spark
from pykafka_ops.commands.spark.ask import ReportRequest, rate
from pykafka_ops.commands.spark.cluster_mode import words_of
from pykafka_ops.commands.spark.judge import Judge, missing
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.model import Column, Problem, Report, Section
from pykafka_ops.spark.output.document import document
from tests.support.memory.context import run_of
from tests.support.waiting import free_port


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log directory with nothing in it; no settings of a person count."""
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PKO_COMMAND_CONFIG", "")
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("lag --fail-on lags>3", 2, "there is no field lags: choose from group,"),
        ("lag --fail-on lag!", 2, "'lag!' is not a condition"),
        ("skew --fail-on cv>x", 2, "cv > x: x is not a number"),
        ("lag --fail-on status=BANANA", 2, "status = BANANA: choose one of OK, UNKNOWN, WARN,"),
        ("lag --fail-on status>OK", 2, "status > OK: status is not a number: write = or !="),
        ("lag --fail-on lag_change>1", 2, "there is no field lag_change"),
        ("lag --history h --fail-on lead_change>1", 2, "there is no field lead_change"),
        ("skew --section keys --fail-on partitions=1", 2, "there is no field partitions"),
        ("retention --fail-on status=full", 2, "choose one of empty, ok, compact, forever"),
        ("lag --section windows", 2, "--section windows: choose one of groups, partitions"),
        ("lag --since yesterday", 2, "--since: 'yesterday' is not a time"),
        ("lag --since 2026-11-21 --until 2026-11-20", 2, "--until 2026-11-20 is before --since"),
        ("lag --window 5y", 2, "--window: '5y' is not a length of time"),
        ("lag --top 0", 2, "--top 0: from 1 to 10000"),
        *(
            (
                f"skew /tmp --sample {bad}",
                2,
                f"--sample {bad}: write a percentage above 0 and up to 100",
            )
            for bad in ("0%", "101%", "nan%", "inf%", "1", "%", "a%")
        ),
        ("skew /tmp --sample 1% --records none", 2, "--sample is of records, which --records none"),
        ("lag --topics [ -e", 2, "[ is an invalid regex"),
        ("lag --target 5", 2, "--target does not go with 'pko spark lag'"),
        ("skew --target fast", 2, "--target fast: write bytes per second"),
        ("skew --configs /none", 2, "/none: cannot be read: No such file or directory"),
        ("skew --cores 0", 2, "--cores: at least 1"),
        ("skew --conf x", 2, "--conf x: write KEY=VALUE"),
        ("skew --driver-memory lots", 2, "--driver-memory: 'lots' is not a size: write "),
        ("skew --driver-memory 512", 2, "--driver-memory 512: Spark takes 512m or more"),
        ("skew --master sparkk://x:1", 2, "--master sparkk://x:1: write local, local[4], spark://"),
        ("skew --master spark://x", 2, "'x' is no HOST:PORT"),
        ("skew --master yarn", 2, "--master yarn: set HADOOP_CONF_DIR"),
        ("skew --master spark://127.0.0.1:1", 3, "127.0.0.1:1 connection refused"),
        ("skew --master spark://a.invalid:7077", 3, "a.invalid:7077 is no known host"),
        ("skew --deploy-mode cluster", 2, "only YARN and Kubernetes do that for Python"),
        ("cost", 2, "what does a GiB cost? give --price-gib-month PRICE"),
        ("cost --price-gib-month -1", 2, "--price-gib-month -1: write an amount of money"),
        ("cost --price-in-gib nan", 2, "--price-in-gib nan: write an amount of money"),
        ("cost --price-gib-month 1 --replication-factor 0", 2, "--replication-factor: at least 1"),
        ("cost --price-gib-month 1 --owners /none", 2, "/none: cannot be read"),
        (
            "cost --price-gib-month 1 --section owners --fail-on topic=x",
            2,
            "there is no field topic",
        ),
        ("lag --price-gib-month 1", 2, "--price-gib-month does not go with 'pko spark lag'"),
        ("slo --objective 100", 2, "--objective 100: a percentage above 0 and below 100"),
        ("slo --objective most", 2, "--objective most: a percentage above 0 and below 100"),
        ("slo --slo soon", 2, "--slo: 'soon' is not a length of time"),
        ("all --fail-on lag>1", 2, "--fail-on does not go with 'pko spark all'"),
        ("audit /tmp --engine local", 2, "without it 'pko audit' counts the same"),
        ("lag --history s3://key:secret@b/h?x=1 --engine local", 2, "s3://***@b/h?x=1: cannot be"),
        ("lag --html https://h/x.html", 2, "nothing can be written to https://"),
        ("lag --csv x --parquet x", 2, "two outputs have the same name"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(
    words: str, code: int, said: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *rest = words.split()
    assert main(["spark", verb, str(logs), *rest]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pko: ")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lag"], "read what? give -b HOST:PORT, log directories, or both"),
        (["skew", "/no/such"], "/no/such: no such directory"),
        (
            ["skew", "-b", "h:1", "--sample", "1%"],
            "--sample is of segments in log directories: nam",
        ),
        (["formats", "/no/such", "--sample", "1%"], "--sample 1%: from 1 to 10000000 records"),
        (["skew", "--log-dirs", "/no/such,/dev"], "/no/such: no such directory"),
        (["submit", "/no/such.py"], "/no/such.py: No such file or directory"),
        (["submit"], "which FILE?"),
    ],
)
def test_what_is_not_there_is_named(
    words: list[str], said: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spark", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_cluster_that_does_not_answer_is_told_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)  # importing it would fail
    config = tmp_path / "client.properties"
    config.write_text("default.api.timeout.ms=300\nrequest.timeout.ms=200\n")
    nobody = f"127.0.0.1:{free_port()}"
    assert main(["spark", "lag", "-b", nobody, "--command-config", str(config)]) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"pko: cluster at {nobody}: ")
    assert said.count("\n") == 1


def test_without_java_it_says_what_to_install(
    logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/none")
    assert main(["spark", "lag", str(logs), "--engine", "spark"]) == 1
    assert "Spark needs Java, and there is none on the PATH: install Java 17" in (
        capsys.readouterr().err
    )
    java = tmp_path / "jdk8" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (tmp_path / "jdk8" / "release").write_text('JAVA_VERSION="1.8.0_402"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk8"))
    assert main(["spark", "lag", str(logs), "--engine", "spark"]) == 1
    assert f"Spark needs Java 17, but {java} is Java 8: install" in capsys.readouterr().err


def test_without_pyspark_it_says_what_to_install(
    logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyspark" else real(name)
    )
    assert main(["spark", "lag", str(logs), "--engine", "spark"]) == 1
    assert "pip install 'pykafka-ops[spark]'" in capsys.readouterr().err


def test_files_of_somebody_else_are_not_written_over(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    notes.write_text("mine")
    for option in (["--html", str(notes)], ["--output-file", str(notes), "-o", "json"]):
        assert main(["spark", "lag", str(logs), *option]) == 2
        assert "was not made by pko: give --yes to write over it" in capsys.readouterr().err
    assert main(["spark", "lag", str(logs), "--csv", str(notes)]) == 1
    assert "is no directory" in capsys.readouterr().err
    assert notes.read_text() == "mine"


def test_help_needs_no_spark() -> None:
    program = (
        "import sys; from pykafka_ops.cli import main; main(['spark', 'lag', '--help']);"
        "sys.exit(any(m.split('.')[0] in ('pyspark', 'pyarrow', 'numpy', 'rich')"
        " for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage: pko spark lag [DIR...]" in done.stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1000", 1000),
        ("50MiB", 50 << 20),
        ("1.5GB/s", 1.5e9),
        ("2k", 2048),
        ("2kB", 2000),
        ("10 MiB/s", 10 << 20),
    ],
)
def test_rates_are_read_as_people_write_them(text: str, expected: float) -> None:
    assert rate("target", text) == expected


def test_a_rate_of_nothing_is_none() -> None:
    with pytest.raises(UsageError, match="--target 0"):
        rate("target", "0")


def asked(**changes: object) -> ReportRequest:
    fields: dict[str, object] = {
        "kinds": ("lag",), "dirs": (), "properties": {}, "now": None, "since": None,
        "until": None, "topics": Names(), "groups": Names(), "configs": None, "section": None,
        "condition": None, "history": None,
    }  # fmt: skip
    return ReportRequest(**{**fields, **changes})  # type: ignore[arg-type]


def lag_report(*rows: dict[str, object], problems: tuple[Problem, ...] = ()) -> Report:
    columns = (Column("group", "Group"), Column("lag", "Lag", "records"))
    return Report("lag", 0, {}, {}, [Section("groups", "Groups", columns, rows)], problems)


def test_a_row_that_meets_the_condition_outweighs_what_could_not_be_read() -> None:
    problem = Problem("x", "torn")
    judge = Judge.of(asked(condition="lag>10"))
    assert judge.code([lag_report({"group": "a", "lag": 11}, problems=(problem,))], []) == 4
    assert judge.code([lag_report({"group": "a", "lag": 10}, problems=(problem,))], []) == 1
    assert judge.code([lag_report({"group": "a", "lag": 10})], []) == 0
    assert judge.code([lag_report()], ["there is no group b here"]) == 1


def test_rows_that_meet_the_condition_are_told_in_a_line() -> None:
    judge = Judge.of(asked(condition="lag>10"))
    rows = ({"group": "a", "lag": 11}, {"group": "b\x1b[1m", "lag": None}, {"group": "c", "lag": 1})
    assert judge.met([lag_report(*rows)]) == ["group a: lag 11", "group b\\x1b[1m: lag not known"]
    assert Judge.of(asked()).met([lag_report(*rows)]) == []


def test_what_nobody_knows_meets_every_condition() -> None:
    judge = Judge.of(asked(condition="lag>10"))
    report = lag_report()
    (section,) = report.sections
    section.unknown = "no offsets"
    assert judge.met([report]) == ["Groups: not known: no offsets"]
    assert judge.code([report], []) == 4
    lost = lag_report({"group": "a", "lag": 1, "status": "LOST"})
    assert judge.code([lost], []) == 4


def test_a_group_asked_for_by_name_must_be_there() -> None:
    report = lag_report({"group": "a", "lag": 1})
    assert missing(asked(groups=Names.of(["a", "b"])), [report]) == ["there is no group b here"]
    assert missing(asked(groups=Names.of(["b.*"], regex=True)), [report]) == []


def test_a_topic_that_the_groups_asked_for_do_not_read_may_be_there() -> None:
    columns = (Column("group", "Group"), Column("topic", "Topic"))
    section = Section("partitions", "Partitions", columns, [])
    report, topics = Report("lag", 0, {}, {}, [section]), Names.of(["t"])
    assert missing(asked(topics=topics), [report]) == ["there is no topic t here"]
    assert missing(asked(topics=topics, groups=Names.of(["g"])), [report]) == [
        "no group that was asked for reads topic t",
        "there is no group g here",
    ]


def test_nothing_is_said_to_be_missing_where_no_one_knows_what_there_is() -> None:
    section = Section("partitions", "Partitions", (Column("topic", "Topic"),), [], unknown="gone")
    assert missing(asked(topics=Names.of(["t"])), [Report("lag", 0, {}, {}, [section])]) == []


def test_histories_of_different_questions_are_told_apart() -> None:
    one = asked(dirs=("/a", "/b"), since=1)
    assert one.source == asked(dirs=("/b", "/a"), since=2).source
    assert one.source != asked(dirs=("/a",)).source
    assert one.source != asked(dirs=("/a", "/b"), topics=Names.of(["x"])).source


def test_a_driver_in_the_cluster_gets_the_same_words() -> None:
    words = ["lag", "-b", "h:1", "--master", "yarn", "--conf", "a=b", "--strict",
             "--topics", "x", "--fail-on", "lag>1", "-o", "json"]  # fmt: skip
    name, verb, *options = words_of(run_of(spark, words))
    assert (name, verb) == ("spark", "lag")
    assert sorted(options) == [
        "--bootstrap-server=h:1", "--fail-on=lag>1", "--output=json", "--strict", "--topic=x",
    ]  # fmt: skip


def test_the_document_is_known_again_as_ours(tmp_path: Path) -> None:
    from pykafka_ops.commands.spark.places import _MARKS
    from pykafka_ops.spark.output.atomic import foreign

    path = tmp_path / "x"
    path.write_text(json.dumps(document(lag_report())))
    assert not foreign(path, _MARKS["json"])
