"""``pko spark forecast``: histories whose future is known."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pykafka_ops.cli import main
from pykafka_ops.spark.model import Report, Section
from pykafka_ops.spark.output.history import append
from pykafka_ops.spark.output.kept_runs import compact
from pykafka_ops.spark.output.stores import LocalStore
from pykafka_ops.spark.reports.retention.columns import DIRS, TOPICS
from pykafka_ops.spark.reports.skew.columns import TOPICS as SKEW_TOPICS

GIB = 1 << 30
DAY = 86_400_000
NOW = 20_000 * DAY
SOURCE = "aaaabbbb"
Captured = pytest.CaptureFixture[str]
Sizes = Mapping[tuple[int | None, str], int | None]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "PKO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def keep(
    root: Path,
    days: float,
    topics: Mapping[str, int],
    dirs: Sizes | None,
    *,
    source: str = SOURCE,
    kind: str = "retention",
    volume: tuple[int | None, int | None] = (1000 * GIB, None),
) -> None:
    """A run so many days ago; volumes have what their logs do not take."""
    total, usable = volume
    rows = [
        {"broker": b, "log_dir": d, "bytes": held, "total_bytes": total,
         "usable_bytes": usable if usable is not None or total is None or held is None
         else total - held}
        for (b, d), held in (dirs or {}).items()
    ]  # fmt: skip
    sections = [
        Section("topics", "Topics", TOPICS, [{"topic": t, "bytes": n} for t, n in topics.items()])
    ]
    if dirs is not None:
        sections.append(Section("dirs", "Directories", DIRS, rows))
    report = Report(kind, NOW - round(days * DAY), {}, {}, sections)
    append(LocalStore(root), report, source)


def forecast(captured: Captured, *words: object) -> tuple[int, str, str]:
    captured.readouterr()
    code = main(["spark", "forecast", *map(str, words)])
    out, err = captured.readouterr()
    return code, out, err


def rows(captured: Captured, section: str, *words: object) -> list[dict[str, Any]]:
    code, out, err = forecast(captured, *words, "-o", "json")
    assert (code, err) == (0, "")
    return json.loads(out)["sections"][section]["rows"]  # type: ignore[no-any-return]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Broker 1 gains 10 GiB a day and has 1000 GiB, 2 stands, 3 is new, 4 is no more; a day's runs
    are missing, as is once broker 2."""
    for day in (d for d in range(30, -1, -1) if d not in (11, 12)):
        dirs: dict[tuple[int | None, str], int | None] = {
            (1, "/data"): (800 - 10 * day) * GIB, (2, "/data"): 300 * GIB,
        }  # fmt: skip
        if day == 7:
            del dirs[2, "/data"]
        if day < 3:
            dirs[3, "/data"] = 5 * GIB
        if day > 20:
            dirs[4, "/data"] = 5 * GIB
        topics = {"orders": (400 - 8 * day) * GIB, "clicks": (100 + 2 * day) * GIB}
        keep(tmp_path / "h", day, topics | ({"old": 1} if day > 20 else {}), dirs)
    return tmp_path / "h"


def test_brokers_directories_and_topics_are_foretold(history: Path, capsys: Captured) -> None:
    brokers = {r["broker"]: r for r in rows(capsys, "brokers", "--history", history)}
    one = brokers[1]
    assert (one["bytes"], one["capacity"]) == (800 * GIB, 1000 * GIB)
    assert one["bytes_per_day"] == pytest.approx(10 * GIB)
    for name in ("days_earliest", "days_expected", "days_latest"):
        assert one[name] == pytest.approx(20, abs=0.01)
    assert [brokers[b]["status"] for b in (1, 2, 3, 4)] == [
        "within", "not-within", "too-few-runs", "gone",
    ]  # fmt: skip
    assert [brokers[b]["runs"] for b in (1, 2, 3, 4)] == [29, 28, 3, 10]
    assert brokers[3]["bytes_per_day"] is None and brokers[4]["ahead_bytes"] is None
    assert [r["log_dir"] for r in rows(capsys, "dirs", "--history", history)] == ["/data"] * 4
    topics = rows(capsys, "topics", "--history", history, "--days", 10)
    assert [(r["topic"], r["trend"]) for r in topics] == [
        ("orders", "growing"), ("clicks", "shrinking"),
    ]  # fmt: skip
    assert topics[0]["ahead_bytes"] == pytest.approx(480 * GIB)
    assert (topics[0]["growth_share"], topics[1]["growth_share"]) == (1.0, 0.0)
    asked = rows(capsys, "topics", "--history", history, "--topic", "clicks")
    assert [r["topic"] for r in asked] == ["clicks"]


def test_a_stated_capacity_and_a_nearer_end_decide(history: Path, capsys: Captured) -> None:
    words = "--history", history, "--capacity", "900GiB"
    one = rows(capsys, "brokers", *words)[0]
    assert (one["broker"], one["days_expected"]) == (1, pytest.approx(10, abs=0.01))
    assert {r["status"] for r in rows(capsys, "brokers", *words, "--days", 5)} == {
        "not-within", "too-few-runs", "gone",
    }  # fmt: skip
    full = rows(capsys, "brokers", "--history", history, "--capacity", "700GiB")[0]
    assert (full["status"], full["days_latest"]) == ("reached", 0.0)
    code, _, err = forecast(capsys, *words, "--fail-on", "days_earliest<15")
    assert code == 4
    assert "pko: broker 1: days_earliest 10" in err
    # What is not known meets every condition.
    assert "pko: broker 3: days_earliest not known" in err
    assert "broker 2" not in err


def test_every_form_has_the_same(history: Path, tmp_path: Path, capsys: Captured) -> None:
    places = [tmp_path / name for name in ("x.html", "csv", "parquet", "x.prom")]
    words = [w for pair in zip(("--html", "--csv", "--parquet", "--metrics"), places, strict=True)
             for w in pair]  # fmt: skip
    owners = tmp_path / "owners.toml"
    owners.write_text('orders = "shop"\n')
    code, out, _ = forecast(capsys, "--history", history, "--owners", owners, *words)
    assert code == 0
    said = "1 of 4 brokers will be full within 90 d: broker 1 in 20 d, 20 d at the earliest"
    assert said in out
    page = places[0].read_text()
    for text in (said, "Growth of broker 1", "What grows most", "Make room on broker 1"):
        assert text in page
    read = list(csv.DictReader(io.StringIO((places[1] / "topics.csv").read_text())))
    assert [(r["topic"], r["owner"]) for r in read] == [("orders", "shop"), ("clicks", "unowned")]
    table = pq.read_table(places[2] / "growth.parquet")
    ahead = [r for r in table.to_pylist() if r["forecast"] and r["name"] == "1"]
    assert ahead[-1]["bytes"] == pytest.approx(1700 * GIB)
    assert [r for r in ahead if not r["low"] <= r["bytes"] <= r["high"]] == []
    metrics = places[3].read_text()
    assert f'pko_kafka_broker_capacity_seconds{{cluster="{history}",broker="1"}} 17280' in metrics
    assert 'capacity_seconds{cluster="' + f'{history}",broker="3"' not in metrics


def test_directories_of_one_volume_share_its_room(tmp_path: Path, capsys: Captured) -> None:
    for day in range(9, -1, -1):
        held = (100 - day) * GIB
        keep(tmp_path, day, {}, {(1, "/a"): held, (1, "/b"): held}, volume=(400 * GIB, 50 * GIB))
    keep(tmp_path, 20, {"t": 1}, {(1, "/a"): 70 * GIB})  # before there was a second directory
    (one,) = rows(capsys, "brokers", "--history", tmp_path, "--kind", "retention")
    assert (one["bytes"], one["capacity"], one["log_dirs"]) == (200 * GIB, 250 * GIB, 2)
    assert (one["bytes_per_day"] // GIB, one["runs"]) == (2, 11)
    assert one["days_expected"] == pytest.approx(25, abs=0.5)


def test_runs_without_directories_do_not_say_when_brokers_are_full(
    tmp_path: Path, capsys: Captured
) -> None:
    for day in range(9):
        keep(tmp_path, day, {"t": (20 - day) * GIB}, None, kind="cost")
    code, out, err = forecast(capsys, "--history", tmp_path, "--fail-on", "days_earliest<9")
    assert code == 4
    assert "1 of 1 topic grows, t most: 1 GiB a day. What brokers hold is not in the runs." in out
    assert err == "pko: Brokers: not known: cost runs have no directories\n"


def test_volumes_nobody_knows_have_no_capacity(tmp_path: Path, capsys: Captured) -> None:
    for day in range(9):
        keep(tmp_path, day, {}, {(1, "/a"): day * GIB, (None, "/b"): None}, volume=(None, None))
        keep(tmp_path, day, {"t": 1}, None, kind="cost", source="ccccdddd")
    words = "--history", tmp_path, "--kind", "retention"
    (one,) = rows(capsys, "brokers", *words)
    assert (one["capacity"], one["status"]) == (None, "no-capacity")
    assert "nobody knows the capacity (--capacity)" in forecast(capsys, *words)[1]


def test_days_that_became_one_file_and_damage_are_read_as_before(
    tmp_path: Path, capsys: Captured
) -> None:
    for hour in range(36):
        keep(tmp_path, hour / 12, {"t": (900 - hour) * GIB}, {(1, "/a"): (900 - hour) * GIB})
    words = "--history", tmp_path
    before = rows(capsys, "brokers", *words)
    for _ in range(4):
        assert compact(LocalStore(tmp_path), "retention", SOURCE, "2024-10-04") == []
    assert rows(capsys, "brokers", *words) == before
    damaged = sorted((tmp_path / "kind=retention" / "section=topics").rglob("*.parquet"))[0]
    damaged.write_bytes(b"PAR1 not")
    code, out, err = forecast(capsys, *words)
    assert code == 1
    assert "left out of the history" in err and damaged.name in err
    assert "broker 1 in" in out or "will not be full" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "forecast of what? --history DIR names what reports with --history keep"),
        ("--history none", "none: there is no such directory"),
        ("--history empty", "empty: no runs of retention, skew, cost"),
        ("--history h --kind skew", "h: no runs of skew"),
        ("--history h --now 1970-01-02", "h: no runs of"),
        ("--history two", "two: runs over 2 clusters, directories or filters, choose with --source:"
         " aaaabbbb (1 runs, the last 2024-10-04T00:00:00Z), ccccdddd (1 runs,"),
        ("--history h --kind lag", "--kind lag: choose one of retention, skew, cost"),
        ("--history h --days 0", "--days 0: from 1 to 3650"),
        ("--history h --capacity 0", "--capacity: above 0 bytes"),
        ("--history h --capacity much", "--capacity: 'much' is not a size"),
        ("--history h --section lags", "--section lags: choose one of brokers, dirs, topics"),
        ("--history h --fail-on lag>1", "there is no field lag: choose from broker"),
        ("--history ftp://h/x", "ftp://h/x: cannot be opened"),
    ],
)  # fmt: skip
def test_what_cannot_be_foretold_is_told_in_a_line(
    words: str, said: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    keep(Path("h"), 0, {"t": 1}, {})
    keep(Path("two"), 0, {"t": 1}, {})
    keep(Path("two"), 1, {"t": 1}, {}, source="ccccdddd")
    code, out, err = forecast(capsys, *words.split())
    assert code in (1, 2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_history_that_may_only_be_read_is_enough(
    history: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("nothing is written to it")

    monkeypatch.setattr("pykafka_ops.spark.output.atomic.writable", refused)
    assert forecast(capsys, "--history", history)[0] == 0


def test_sums_that_lack_partitions_are_no_part_of_a_trend(tmp_path: Path, capsys: Captured) -> None:
    for day in range(10, -1, -1):
        part = day in (3, 0)
        row = {"topic": "orders", "bytes": (1 if part else 100 - day) * GIB,
               "unknown_partitions": 2 if part else 0}  # fmt: skip
        made = [Section("topics", "Topics", SKEW_TOPICS, [row])]
        append(LocalStore(tmp_path), Report("skew", NOW - day * DAY, {}, {}, made), SOURCE)
    (found,) = rows(capsys, "topics", "--history", tmp_path, "--now", NOW)
    assert (found["bytes"], found["runs"]) == (99 * GIB, 9)
