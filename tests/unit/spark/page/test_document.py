"""The page: headlines, tiles, trends, problems, definitions; complete without scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from pykafka_ops.page.look import shared_style
from pykafka_ops.spark import page as package
from pykafka_ops.spark.model import Column, Report, Row, Section
from pykafka_ops.spark.page import lag, render, retention, skew
from pykafka_ops.spark.page.document import earlier
from pykafka_ops.spark.page.tables import ROWS, table
from tests.support.process.browser import Node, parse
from tests.support.spark import reports

STYLE = shared_style() + Path(package.__file__).with_name("style.css").read_text(encoding="utf-8")


def only(report: Report, section: str, rows: list[Row]) -> Report:
    """The report with other rows in a section."""
    sections = [replace(s, rows=rows) if s.name == section else s for s in report.sections]
    return Report(report.kind, report.now, report.source, report.summary, sections)


def test_the_headline_of_lag_says_who_is_in_trouble_and_what_is_lost_first() -> None:
    groups = [("payments", "STALL", 9), ("audit", "STALL", 5), ("billing", "OK", 0)]
    assert lag.headline(reports.lag_report(groups)) == (
        "2 of 3 groups need attention: payments and audit are stalled."
        " payments may lose unread data of orders as soon as in 3 h."
    )


def test_the_headline_of_lag_without_trouble_says_so() -> None:
    calm = reports.lag_report([("a", "OK", 0), ("b", "OK", 100)])
    assert lag.headline(calm) == "2 groups keep up; b is 100 records, 2 s, behind."
    assert lag.view(calm).tone == "ok"
    assert lag.headline(reports.empty_report("lag")) == "No consumer group has committed anything."


def test_the_headline_of_skew_names_topic_partition_and_key() -> None:
    assert skew.headline(reports.skew_report()) == (
        "1 of 3 topics is skewed: clicks. Partition 0 of clicks holds 30.1 % of its bytes;"
        " key user-1 alone makes 18 % of the topic."
    )
    even = only(reports.skew_report(), "topics", [{"topic": "a", "band": "even"}])
    assert skew.headline(even) == "1 topic is spread evenly enough."


def test_the_headline_of_retention_says_what_is_lost_full_and_kept() -> None:
    report = reports.retention_report()
    assert retention.headline(report) == (
        "payments is losing unread data of orders. Broker 1 /data1 is full in 12 d 10 h."
        " clicks keeps data for longer than the policy says. The cleaner does not get to profiles."
    )
    later = only(report, "at_risk", list(report.section("at_risk").rows[:1]))
    assert retention.headline(later).startswith("payments loses unread data of orders in 3 h. ")
    assert retention.headline(reports.empty_report("retention")) == (
        "There are no topics, and no disk fills up soon."
    )


@pytest.mark.parametrize("kind", ["lag", "skew", "retention"])
def test_a_report_of_nothing_is_a_page_that_says_so(kind: str) -> None:
    page = parse(render([reports.empty_report(kind)]))
    assert not page.all("table") and not page.all("section", class_="card")
    assert not page.all("figure")
    said = page.one("p", class_="empty").text
    assert all(s.title in said for s in reports.empty_report(kind).sections)


def test_the_page_says_when_of_what_and_what_was_left_out() -> None:
    page = parse(render([reports.lag_report(problems=60)], generated=reports.NOW + 1000))
    about = page.one("p", class_="about")
    assert about.one("time").attributes["datetime"] == "2025-11-22T08:26:40Z"
    assert "bootstrap server: 127.0.0.1:9092" in about.text and "topics" not in about.text
    assert "2025-11-22 08:26:41" in page.one("footer").text
    problems = page.one("details", class_="problems")
    assert problems.one("summary").text.startswith("60 things could not be read")
    assert len(problems.all("li")) == 51 and problems.all("li")[-1].text == "and 10 more"


def test_what_is_not_known_is_no_zero_and_never_is_no_gap() -> None:
    columns = (Column("log_dir", "Directory"), Column("days_to_full", "Full in", "days"))
    rows = ({"log_dir": "/a", "days_to_full": inf}, {"log_dir": "/b", "days_to_full": None})
    known = table(Section("dirs", "Directories", columns, rows), {})
    assert 'title="never">∞<' in known and 'title="not known">–<' in known
    dark = table(Section("at_risk", "At risk", columns, (), unknown="no offsets"), {})
    assert "Not known: no offsets." in dark and '<span class="count">–<' in dark


def test_every_column_is_explained() -> None:
    report = reports.skew_report()
    page = parse(render([report]))
    said = page.one("section", class_="definitions")
    columns = [c for s in report.sections if s.rows for c in s.columns]
    assert len(said.all("dt")) == len(said.all("dd")) >= len(columns)
    for column in columns:
        assert column.doc in said.text


def test_headers_have_a_scope_and_pictures_a_title_and_a_description() -> None:
    page = parse(render([reports.lag_report(), reports.skew_report(), reports.retention_report()]))
    assert all(th.attributes["scope"] in ("col", "row") for th in page.all("th"))
    for picture in page.all("svg", role="img"):
        names = [c.name for c in picture.children[:2] if isinstance(c, Node)]
        assert names[0] == "title" and (names[1:] == ["desc"] or picture.has("class_", "sparkline"))
    ids = [n.attributes["id"] for name in ("article", "pattern") for n in page.all(name)]
    assert len(ids) == len(set(ids))


def test_tables_and_pictures_of_many_rows_show_the_first_and_count_the_rest() -> None:
    few = reports.lag_report()
    row = few.section("groups").rows[0]
    groups: list[Row] = [{**row, "group": f"group-{i:05}", "lag": i} for i in range(10_000)]
    made = render([only(few, "groups", groups)])
    page = parse(made)
    assert len(made) < 3_000_000
    figure = next(f for f in page.all("figure") if "Groups by lag" in f.text)
    assert figure.one("p", class_="more").text == "and 9,987 more groups; 1 group without lag"
    table = page.one("section", data_section="groups")
    assert len(table.one("tbody").all("tr")) == ROWS
    assert table.one("p", class_="more").text.startswith(f"and {10_000 - ROWS:,} more rows")


def test_earlier_runs_become_trends() -> None:
    report = reports.lag_report()
    history = reports.past(report, "groups", 3)
    assert [r.now for r in earlier(report, history)] == [
        reports.NOW - d * reports.DAY for d in (3, 2, 1)
    ]
    page = parse(render([report], history={"lag": history}))
    tiles = {t.one("p", class_="tile-name").text: t for t in page.all("div", class_="tile")}
    total = sum(lag for _, _, lag in reports.GROUPS)
    before = sum(lag * 9 // 10 for _, _, lag in reports.GROUPS)
    change = tiles["Total lag"].one("span", class_="delta")
    assert change.text == f"▲ {total - before:,}" and change.has("class_", "worse")
    assert tiles["Total lag"].all("polyline")
    assert not tiles["Silent groups"].all("span", class_="delta")  # no history of that section


def test_columns_of_changes_have_arrows() -> None:
    rows: list[Row] = [{"group": "a", "lag_change": 5}, {"group": "b", "lag_change": -7}]
    report = Report("lag", reports.NOW, {}, {}, [reports.section("groups", rows)])
    shown = parse(render([report])).one("section", data_section="groups")
    assert [s.text for s in shown.all("span", class_="delta")] == ["▲ 5", "▼ 7"]


def test_the_page_needs_nothing_from_anywhere() -> None:
    made = render([reports.lag_report(), reports.skew_report(), reports.retention_report()])
    assert not re.search(r"""(src|href)=["']?(https?:|//|file:)|@import|url\((?!#)""", made)
    page = parse(made)
    assert [link.attributes["href"] for link in page.all("link")] == ["data:,"]
    policy = page.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    assert policy.startswith("default-src 'none'; ")


def test_values_that_are_no_numbers_are_not_known_or_never() -> None:
    # fmt: off
    rows: list[Row] = [{"group": "a", "lag": float("nan"), "lag_seconds": float("inf"),
                        "status": None, "other": [{"partition": 3, "share": 0.4}, b"\xff"]}]
    # fmt: on
    report = Report("lag", reports.NOW, {}, {}, [reports.section("groups", rows)])
    shown = parse(render([report])).one("section", data_section="groups")
    assert [c.text for c in shown.all("td")] == ["–", "–", "∞", "3: 40 %, 0xff"]


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


LIGHT = variables(STYLE.split("@media")[0])
DARK = LIGHT | variables(STYLE.split("@media")[1])


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_stand_out(scheme: dict[str, str]) -> None:
    """WCAG 2.2: 4.5 to 1 for text, 3 to 1 for what a picture is made of."""
    for text in ("ink", "soft", "good-text", "bad-text", "warn-text", "accent"):
        for ground in ("card", "page"):
            assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)
    marks = ("ok", "warn", "rewind", "stall", "stop", "lost", "unknown", "plain", "even")
    for mark in (*marks, "s0", "s1", "s2", "s3", "s4", "s5"):
        assert contrast(scheme[mark], scheme["card"]) >= 3, mark


def test_a_section_may_be_missing() -> None:
    sections: list[Section] = []
    for kind in ("lag", "skew", "retention"):
        assert "<h1" in render([Report(kind, reports.NOW, {}, {}, sections)])
