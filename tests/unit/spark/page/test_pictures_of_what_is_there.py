"""Pictures are of what there is; tables fold, keep the verdict in sight, say values plainly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pykafka_ops.spark.model import Column, Report, Row, Section
from pykafka_ops.spark.page import lag, render, retention, skew
from pykafka_ops.spark.page.parts import View
from pykafka_ops.spark.page.tables import OPEN, table
from pykafka_ops.spark.reports.lag import columns as of_lag
from pykafka_ops.spark.reports.retention import columns as of_retention
from pykafka_ops.spark.reports.skew import columns as of_skew
from tests.support.process.browser import Node, parse
from tests.support.spark import reports

PARTITIONS = 10_000
MOST = 2_000_000


def changed(report: Report, section: str, rows: list[Row]) -> Report:
    sections = [replace(s, rows=rows) if s.name == section else s for s in report.sections]
    return replace(report, sections=sections)


def titles(view: View) -> list[str]:
    return [p.title for p in view.pictures]


def headings(shown: Node) -> list[str]:
    return [h.attributes["data-c"] for h in shown.one("thead").all("th")]


def test_bars_are_only_where_there_is_lag() -> None:
    page = parse(render([reports.lag_report([("a", "OK", 0), ("b", "WARN", 9), ("c", "OK", 0)])]))
    figure = next(f for f in page.all("figure") if "Groups by lag" in f.text)
    assert len(figure.all("text", class_="name")) == 1
    assert figure.one("p", class_="more").text == "2 groups without lag"
    assert "Groups by lag" not in titles(lag.view(reports.lag_report([("a", "OK", 0)])))


def test_what_was_seen_once_is_a_number_and_no_line() -> None:
    made = reports.lag_report([("a", "WARN", 900)])
    once = changed(made, "over_time", [made.section("over_time").rows[-1]])
    page = parse(render([once]))
    figure = next(f for f in page.all("figure") if "Lag over time" in f.text)
    assert not figure.all("svg") and "a: " in figure.one("p", class_="figures").text
    assert "Groups over time" not in titles(lag.view(once))


def test_pictures_of_nothing_are_left_out() -> None:
    even = changed(reports.skew_report(), "topics", [{"topic": "a", "band": "even"}])
    assert "Topics by imbalance" not in titles(skew.view(even))
    assert "Heaviest keys" not in titles(skew.view(changed(even, "keys", [])))
    far = changed(reports.retention_report(), "dirs", [{"broker": 3, "log_dir": "/d"}])
    assert "Until disks are full" not in titles(retention.view(far))
    for kind in ("lag", "skew", "retention"):
        assert not parse(render([reports.empty_report(kind)])).all("figure")


def test_name_and_verdict_come_first_and_details_are_behind_a_switch() -> None:
    columns = (
        Column("group", "Group"), Column("lag", "Lag", "records"),
        Column("state", "State", detail=True), Column("client", "Client"),
        Column("status", "Verdict"),
    )  # fmt: skip
    rows: list[Row] = [{"group": "a", "lag": 1, "state": "Empty", "client": None, "status": "OK"}]
    shown = parse(table(Section("groups", "Groups", columns, rows), {"OK": "ok"}))
    assert headings(shown) == ["group", "status", "lag", "state", "client"]
    heads = shown.one("thead").all("th")
    assert [h.attributes.get("class", "") for h in heads] == [
        "name", "verdict", "num", "detail", "detail",
    ]  # fmt: skip
    assert shown.one("label").text == " 2 more columns"


def test_long_tables_and_the_glossary_are_folded_and_the_main_one_is_open() -> None:
    columns = (Column("topic", "Topic", doc="Its name."),)
    rows: list[Row] = [{"topic": str(i)} for i in range(OPEN + 1)]
    section = Section("topics", "Topics", columns, rows)
    assert "open" not in parse(table(section, {})).one("details").attributes
    assert "open" in parse(table(section, {}, main=True)).one("details").attributes
    short = replace(section, rows=rows[:OPEN])
    assert "open" in parse(table(short, {})).one("details").attributes
    page = parse(render([reports.skew_report()]))
    glossary = page.one("section", class_="definitions").one("details")
    assert "open" not in glossary.attributes


def test_the_hottest_come_first_and_settings_are_said_plainly() -> None:
    columns = (
        Column("partition", "Partition"), Column("bytes", "Bytes", "bytes"),
        Column("retention_bytes", "Size limit"), Column("segment_bytes", "Segment size"),
    )  # fmt: skip
    rows: list[Row] = [
        {"partition": 1000 + i, "bytes": i, "retention_bytes": -1, "segment_bytes": 1 << 30}
        for i in range(3)
    ]
    shown = parse(table(Section("partitions", "P", columns, rows), {}, hottest="bytes"))
    lines = shown.one("tbody").all("tr")
    assert [r.one("th").text for r in lines] == ["1002", "1001", "1000"]
    assert [c.text for c in lines[0].all("td")] == ["2 B", "none", "1 GiB"]


VALUES = {
    "ms": reports.NOW, "bytes": 123_456_789_012, "bytes/s": 12_345.678_901, "records": 987_654_321,
    "records/s": 1_234.567_89, "seconds": 123_456.789, "share": 0.123_456_789,
    "percent": 12.345_678_9, "days": 12.345_678_9,
}  # fmt: skip


def full(columns: Sequence[Column], count: int) -> list[Row]:
    """Rows as wide as they come, all of them in trouble."""

    def value(column: Column, i: int) -> object:
        if column.values:
            return column.values[-1 - i % 2]
        if column.unit or column.kind == "number":
            return VALUES.get(column.unit, 12_345 + i)
        return f"a-name-of-usual-length-{i:05}" if column.kind == "text" else bool(i % 2)

    return [{c.name: value(c, i) for c in columns} for i in range(count)]


def test_ten_thousand_partitions_are_less_than_two_megabytes() -> None:
    held = {
        "lag": {"groups": (of_lag.GROUPS, 1000), "partitions": (of_lag.PARTITIONS, PARTITIONS),
                "topics": (of_lag.TOPICS, 1000), "silent_groups": (of_lag.SILENT, 1000),
                "unread_topics": (of_lag.UNREAD, 1000), "over_time": (of_lag.OVER_TIME, 24_000)},
        "skew": {"topics": (of_skew.TOPICS, 1000), "partitions": (of_skew.PARTITIONS, PARTITIONS),
                 "windows": (of_skew.WINDOWS, 24_000), "brokers": (of_skew.BROKERS, 30),
                 "log_dirs": (of_skew.LOG_DIRS, 60), "keys": (of_skew.KEYS, 1000),
                 "moves": (of_skew.MOVES, 1000)},
        "retention": {"topics": (of_retention.TOPICS, 1000), "dirs": (of_retention.DIRS, 60),
                      "at_risk": (of_retention.AT_RISK, PARTITIONS),
                      "compaction": (of_retention.COMPACTION, PARTITIONS),
                      "ages": (of_retention.AGES, 7000), "leaving": (of_retention.LEAVING, 5000),
                      "growth": (of_retention.GROWTH, 2000)},
    }  # fmt: skip
    made = [
        Report(kind, reports.NOW, {"servers": "broker:9092"}, {}, [
            Section(name, name, columns, full(columns, count))
            for name, (columns, count) in sections.items()
        ]) for kind, sections in held.items()
    ]  # fmt: skip
    page = render(made)
    assert MOST / 4 < len(page.encode()) < MOST


def test_a_share_of_a_sample_is_a_short_number_with_its_band_below() -> None:
    made = replace(reports.skew_report(), source={"sample": 0.005})
    row = {"topic": "clicks", "key": "user-1", "share": 0.18, "share_low": 0.17, "share_high": 0.2}
    page = parse(render([changed(made, "keys", [row])]))
    tile = next(t for t in page.all("div", class_="tile") if "Heaviest key" in t.text)
    assert tile.one("p", class_="tile-value").text == "18 %"
    assert tile.one("p", class_="tile-note").text == "user-1 in clicks, 17 % to 20 %"
    assert "sample: 0.5 %" in page.one("p", class_="about").text
