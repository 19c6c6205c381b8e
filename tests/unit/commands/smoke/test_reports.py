"""A round in every format, its figures and its limits."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pykafka_ops.analysis.conditions import parse_condition
from pykafka_ops.client.smoke.plan import StepOutcome
from pykafka_ops.commands.smoke.figures import Figures, percentile
from pykafka_ops.commands.smoke.limits import FIELDS, judged
from pykafka_ops.commands.smoke.reports import code, github, junit, table

GOOD = StepOutcome("metadata", "ok", 12.5, detail="3 brokers")
BAD = StepOutcome("create", "failed", 7.0, "topic a\x00&b", 'say "no": 100%\nand, more')
BEHIND = StepOutcome("produce", "not run", None, reason="needs create")
OUT = StepOutcome("compacted", "left out", None, detail="--topic t")
ROUND = [GOOD, BAD, BEHIND, OUT]


def figures_of(outcomes: list[StepOutcome]) -> dict[str, Figures]:
    found = {o.step: Figures() for o in outcomes}
    for outcome in outcomes:
        found[outcome.step].add(outcome)
    return found


@pytest.mark.parametrize(
    ("outcomes", "wanted"), [([GOOD, OUT], 0), ([GOOD, BEHIND], 4), ([BAD], 4)]
)
def test_only_a_round_without_failures_and_gaps_is_good(
    outcomes: list[StepOutcome], wanted: int
) -> None:
    assert code(outcomes) == table(outcomes, figures_of(outcomes), so_far=False).code == wanted


def test_junit_counts_and_tells_what_is_not_ok() -> None:
    suite = ElementTree.fromstring(junit(ROUND, "b1:9092,b2:9092"))
    assert suite.attrib | {"time": ""} == {
        "name": "pko smoke b1:9092,b2:9092", "tests": "4", "failures": "1", "errors": "1",
        "skipped": "1", "time": "",
    }  # fmt: skip
    cases = {case.get("name"): [(c.tag, c.get("message")) for c in case] for case in suite}
    assert cases == {
        "metadata": [],
        "create": [("failure", 'topic a?&b: say "no": 100%\nand, more')],
        "produce": [("error", "not run: needs create")],
        "compacted": [("skipped", "--topic t")],
    }
    assert suite[0].get("time") == "0.0125"


def test_github_gets_an_annotation_a_line_with_nothing_that_ends_it() -> None:
    assert github(ROUND).split("\n") == [
        "::error title=pko smoke%3A create::topic a\x00&b: say \"no\": 100%25%0Aand, more",
        "::error title=pko smoke%3A produce::not run: needs create",
        "",
    ]  # fmt: skip
    assert github([GOOD, OUT]) == "::notice title=pko smoke::1 steps ok in 12 ms\n"


def test_the_table_has_the_reason_where_there_is_nothing_seen() -> None:
    rows = table(ROUND, figures_of(ROUND), so_far=True).rows
    assert [r["detail"] for r in rows] == ["3 brokers", BAD.reason, "needs create", "--topic t"]


def test_figures_are_of_the_runs_that_went_well() -> None:
    figures = Figures()
    for ms in (5.0, 1.0, 9.0):
        figures.add(GOOD._replace(ms=ms))
    figures.add(BAD)
    figures.add(BEHIND)
    assert figures.row() == {
        "runs": 5, "failures": 2, "min_ms": 1.0, "median_ms": 5.0, "p99_ms": 9.0
    }  # fmt: skip
    assert set(Figures().row().values()) == {0, None}


def test_a_percentile_is_a_value_that_was_there() -> None:
    values = [float(n) for n in range(1, 201)]
    assert percentile(values, 99) == 198.0
    assert percentile([3.0], 99) == 3.0


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("metadata_ms>10", "failed", "metadata_ms is 12.5"),
        ("metadata-ms>10|failed>5", "failed", "metadata_ms is 12.5, failed is 1"),
        ("metadata_ms>20", "ok", "metadata_ms is 12.5"),
        ("produce_ms>200", "not run", "produce_ms is not known"),
        ("metadata_ms>20|group_ms>5", "not run", "group_ms is not known"),
        ("brokers<3", "failed", "brokers is 2"),
        ("total_ms<19", "ok", "total_ms is 19.5"),
    ],
)
def test_a_limit_is_met_or_not_and_never_green_where_a_figure_is_missing(
    text: str, verdict: str, said: str
) -> None:
    outcome = judged([*ROUND, StepOutcome("group", "not run", None)], 2, text,
                     parse_condition(text, FIELDS))  # fmt: skip
    assert (outcome.verdict, outcome.detail or outcome.reason) == (verdict, said)
