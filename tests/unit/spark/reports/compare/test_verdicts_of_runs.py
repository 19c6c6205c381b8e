"""What got worse between two runs leads, whatever its figure did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.run_changes import changes
from pykafka_ops.spark.inputs.kept_runs import KeptRun
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page import compare
from pykafka_ops.spark.reports.compare.report import build
from pykafka_ops.spark.reports.compare.verdicts import BETTER, WORSE, turn

BEFORE: list[Row] = [
    {"group": "a", "lag": 5, "status": "OK"},
    {"group": "b", "lag": 900, "status": "STOP"},
    {"group": "c", "lag": 10, "status": "WARN"},
    {"group": "d", "lag": 10, "status": "OK"},
]
AFTER: list[Row] = [
    {"group": "a", "lag": 5, "status": "STALL"},
    {"group": "b", "lag": 0, "status": "OK"},
    {"group": "c", "lag": 10, "status": "STOP"},
    {"group": "d", "lag": 11, "status": "OK"},
    {"group": "e", "lag": 1, "status": "WARN"},
    {"group": "f", "lag": 1, "status": "OK"},
]


def run(name: str, rows: Sequence[Row], kind: str = "lag") -> KeptRun:
    units: Mapping[str, str] = {"lag": "records"}
    return KeptRun(name, kind, 1000, "", {"groups": (rows, units)})


def compared() -> Report:
    return build(run("before", BEFORE), run("after", AFTER))


def test_verdicts_turn_by_their_order_and_a_new_row_by_what_is_not_well() -> None:
    found = {c.key: turn("lag", "groups", c) for c in changes(BEFORE, AFTER, ["group"], "lag")}
    assert found == {
        ("a",): (WORSE, 4), ("b",): (BETTER, 5), ("c",): (WORSE, 3), ("d",): None,
        ("e",): (WORSE, 2), ("f",): None,
    }  # fmt: skip
    assert [turn("lag", "groups", c) for c in changes(BEFORE, [], ["group"], "lag")] == [None] * 4
    assert {turn("cost", "topics", c) for c in changes(BEFORE, AFTER, ["group"], "lag")} == {None}


def test_what_got_worse_by_most_comes_first_then_the_largest_change() -> None:
    rows = compared().section("changes").rows
    assert [(r["row"], r["turn"], r["verdict"]) for r in rows[:4]] == [
        ("a", WORSE, "OK → STALL"), ("c", WORSE, "WARN → STOP"), ("e", WORSE, "WARN"),
        ("b", BETTER, "STOP → OK"),
    ]  # fmt: skip
    assert rows[0]["said"] == "5 as before" and rows[0]["fields"] is None
    assert {r["row"]: r["turn"] for r in rows[4:]} == {"d": None, "f": None}


def test_the_page_names_what_got_worse_and_is_not_green() -> None:
    made = compared()
    assert compare.headline(made).startswith("Worse: a (OK → STALL), c (WARN → STOP) and e (WARN).")
    assert compare.view(made).tone == "warn"
    assert (made.summary[WORSE], made.summary[BETTER]) == (3, 1)
    calm = build(run("before", BEFORE), run("after", BEFORE))
    assert compare.view(calm).tone == "ok" and calm.summary[WORSE] == 0
