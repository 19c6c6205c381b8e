"""``pko spark compare``: two runs of a workload whose change is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.cli import main
from tests.support.spark.log_tables import write_log

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reports of two days lie: orders grows from 10 records to 30, clicks goes, ids comes."""
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "PKO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    logs = tmp_path / "logs"
    write_log(logs, "orders", [[10]])
    write_log(logs, "same", [[7]])
    gone = write_log(logs, "clicks", [[5]])
    _report(tmp_path, "1000", "before.json")
    for file in gone.iterdir():
        file.unlink()
    gone.rmdir()
    write_log(logs, "orders", [[10, 20]])
    write_log(logs, "ids", [[4]])
    _report(tmp_path, "90000000", "after.json")
    return tmp_path


def _report(place: Path, now: str, name: str) -> None:
    words = ["skew", place / "logs", "--engine", "local", "--now", now, "--history", place / "h",
             "-o", "json", "--output-file", place / name]  # fmt: skip
    assert main(["spark", *map(str, words)]) == 0


def compare(captured: Captured, *words: object) -> tuple[int, str, str]:
    captured.readouterr()
    code = main(["spark", "compare", *map(str, words)])
    out, err = captured.readouterr()
    return code, out, err


def states(document: dict[str, Any], section: str) -> dict[str, tuple[str, float]]:
    rows = document["sections"]["changes"]["rows"]
    return {r["row"]: (r["state"], r["change"]) for r in rows if r["section"] == section}


def test_files_and_times_of_a_history_say_the_same(place: Path, capsys: Captured) -> None:
    files = place / "before.json", place / "after.json"
    code, out, err = compare(capsys, *files, "-o", "json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    sizes = {
        name: {r["topic"]: r["bytes"] for r in
               json.loads(file.read_text())["sections"]["topics"]["rows"]}
        for name, file in zip(("before", "after"), files, strict=True)
    }  # fmt: skip
    assert states(made, "topics") == {
        "orders": ("changed", sizes["after"]["orders"] - sizes["before"]["orders"]),
        "clicks": ("gone", -sizes["before"]["clicks"]),
        "ids": ("new", sizes["after"]["ids"]),
    }
    counted = {r["section"]: r for r in made["sections"]["sections"]["rows"]}
    assert {k: counted["topics"][k] for k in ("rows_before", "rows_after", "new", "gone")} == {
        "rows_before": 3, "rows_after": 3, "new": 1, "gone": 1,
    }  # fmt: skip
    assert counted["topics"]["sum_after"] == sum(sizes["after"].values())
    orders = next(r for r in made["sections"]["changes"]["rows"]
                  if (r["section"], r["row"]) == ("topics", "orders"))  # fmt: skip
    assert "records: 10 → 30" in orders["fields"]
    assert made["summary"] == {
        "before": "1970-01-01T00:00:01Z", "after": "1970-01-02T01:00:00Z",
        **{s: sum(r[s] for r in counted.values()) for s in ("new", "gone", "changed")},
        "better": 0, "worse": 0,
    }  # fmt: skip
    code, out, err = compare(
        capsys, "--history", place / "h", "1970-01-01", "1970-01-02", "-o", "json"
    )
    assert (code, err) == (0, "")
    again = json.loads(out)
    for section in ("topics", "partitions", "keys", "log_dirs"):
        assert states(again, section) == states(made, section)


def test_a_condition_over_changes_decides(place: Path, capsys: Captured) -> None:
    files = place / "before.json", place / "after.json"
    html, owners = place / "x.html", place / "owners.toml"
    owners.write_text('orders = "shop"\n')
    code, out, err = compare(
        capsys, *files, "--fail-on", "state=gone & owner=unowned & section=topics",
        "--owners", owners, "--html", html,
    )  # fmt: skip
    assert code == 4
    assert err == "pko: section topics, row clicks, topic clicks: owner unowned, state gone\n"
    assert "clicks" in out
    assert "The largest changes" in html.read_text()
    assert compare(capsys, *files, "--fail-on", "state=gone & change>0")[0] == 0
    code, out, _ = compare(capsys, files[0], files[0])
    assert code == 0
    assert "Nothing changed between" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "which RUN?"),
        ("before.json", "which RUN?"),
        ("before.json none.json", "none.json: cannot be read: No such file or directory"),
        ("before.json other.json", "other.json: not a report: it takes what -o json"),
        ("before.json broken.json", "broken.json: not JSON"),
        ("before.json newer.json", "newer.json: version 9 of reports is not known here"),
        ("before.json half.json", "half.json: no whole report"),
        ("before.json after.json --kind lag", "before.json: no lag report, but skew"),
        ("before.json after.json --html http://h/x.html", "nothing can be written to http://"),
        ("ftp://h/before.json after.json", "ftp://h: cannot be opened"),
        ("before.json after.json --section topics", "--section topics: choose one of changes,"),
        ("--history h 1970-01-02 1970-01-02", "no run lies between"),
        ("--history h 1969-12-31 1970-01-02", "no skew up to 1969-12-31"),
        ("--history none 1d 0s", "none: there is no such directory"),
        ("--history h yesterday 0s", "'yesterday' is not a time"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_line(
    words: str, said: str, place: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    Path("other.json").write_text('{"kind": "something"}')
    Path("broken.json").write_text("{")
    Path("newer.json").write_text('{"kind": "skew-report", "version": 9}')
    Path("half.json").write_text('{"kind": "skew-report", "version": 1}')
    code, out, err = compare(capsys, *words.split())
    assert code in (1, 2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_of_several_reports_one_is_chosen(place: Path, capsys: Captured) -> None:
    both = place / "all.json"
    parts = [json.loads((place / name).read_text()) for name in ("before.json", "after.json")]
    parts[1] = {**parts[1], "kind": "retention-report"}
    both.write_text(json.dumps({"kind": "all-report", "version": 1, "reports": parts}))
    code, _, err = compare(capsys, both, place / "after.json")
    assert code == 2
    assert "which report? --kind takes one of skew, retention" in err
    assert compare(capsys, both, place / "after.json", "--kind", "skew")[0] == 0
