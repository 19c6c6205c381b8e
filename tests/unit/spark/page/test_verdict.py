"""The first screen: one verdict over all reports, who is hit, what to do in order, by commands."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from pykafka_ops.commands.spark.show import printable
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page import lag, render
from pykafka_ops.spark.page.actions import actions
from pykafka_ops.spark.page.verdict import FIRST, agreed
from tests.support.process.browser import parse
from tests.support.spark import reports


def every() -> list[Report]:
    """The three reports, of a cluster that can be asked."""
    made = [reports.lag_report(), reports.skew_report(), reports.retention_report()]
    return [replace(r, source={"servers": "broker:9092"}) for r in made]


def without(report: Report, section: str, rows: list[Row]) -> Report:
    sections = [replace(s, rows=rows) if s.name == section else s for s in report.sections]
    return replace(report, sections=sections)


def test_one_sentence_is_over_all_reports_the_worst_first() -> None:
    page = parse(render(every()))
    assert page.one("h1").text == (
        "payments is losing unread data of orders; 5 of 8 groups need attention; clicks is skewed."
    )
    assert page.one("h1").has("class_", "bad")
    hit = page.one("p", class_="hit").text
    assert hit.startswith("Hit: groups payments, ") and "topics orders and clicks" in hit


def test_one_report_has_its_headline_once() -> None:
    report = reports.lag_report()
    page = parse(render([report]))
    assert page.one("h1").text == lag.headline(report)
    assert page.one("article").text.count(lag.headline(report)) == 0


def test_actions_come_in_the_order_of_what_is_lost_first() -> None:
    found = actions(every())
    assert [a.urgency for a in found] == sorted(a.urgency for a in found)
    first = found[0]
    assert first.what == "Keep orders for longer"
    assert first.why.startswith("payments loses 62,000 unread records, now.")
    limit = 2 * 7 * reports.DAY
    assert first.command == f"pko configs set topics orders retention.ms={limit} -b broker:9092"
    said = {a.what: a.command for a in found}
    assert said["Start audit again"] == "pko groups describe audit --members -b broker:9092"
    assert said["See what payments is stuck on"] == (
        "pko consume orders --partition 3 --offset 100000 -n 1 -b broker:9092"
    )
    assert said["Find out who set fraud back"].startswith("pko groups history fraud ")
    assert "log-dirs describe --broker 1" in said["Make room on broker 1 /data1"]
    assert "--partition 0" in said["Spread clicks more evenly"]
    assert said["Ask who needs clicks"] == "pko topics describe clicks -b broker:9092"


def test_the_page_shows_the_first_actions_and_folds_the_rest() -> None:
    page = parse(render(every()))
    card = page.one("section", class_="actions")
    seen, folded = card.all("ol")
    assert len(seen.all("li")) == FIRST
    assert len(folded.all("li")) == len(actions(every())) - FIRST
    assert all(li.one("code").text.startswith("pko ") for li in card.all("li"))


def test_nothing_wrong_is_nothing_to_do() -> None:
    page = parse(render([reports.lag_report([("a", "OK", 0)], problems=0)]))
    assert page.one("h1").has("class_", "ok") or not page.all("p", class_="hit")
    calm = without(reports.lag_report([("a", "OK", 0)]), "unread_topics", [])
    assert actions([calm]) == []


@pytest.mark.parametrize("name", [reports.HOSTILE, "-rf", "a\nb"])
def test_names_that_cannot_be_typed_have_no_command(name: str) -> None:
    calm = without(reports.lag_report([(name, "STOP", 5)]), "unread_topics", [])
    (action,) = actions([calm])
    assert action.command == "" and action.what
    (quoted,) = actions([without(reports.lag_report([("a; b'c", "STOP", 5)]), "unread_topics", [])])
    assert shlex.split(quoted.command)[3] == "a; b'c"
    assert printable(quoted.what)


def test_lag_says_of_deletion_what_retention_says() -> None:
    made, other = reports.lag_report(), reports.retention_report()
    both = agreed(made, [made, other])
    assert lag.headline(made).endswith("unread data of orders as soon as in 3 h.")
    assert lag.headline(both).endswith("payments may lose unread data of orders now.")
    safe = without(other, "at_risk", [])
    assert "may lose" not in lag.headline(agreed(made, [made, safe]))
    known = {s.name: s for s in other.sections}["at_risk"]
    dark = replace(other, sections=[replace(known, rows=[], unknown="no offsets")])
    assert agreed(made, [made, dark]) is made
