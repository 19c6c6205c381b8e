"""Tables that are shown again and again."""

from __future__ import annotations

import json

import pytest

from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.commands.cluster import cluster
from pykafka_ops.commands.framework.output import UNREACHABLE, Column, ItemError, Table
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.errors import UsageError
from tests.support.memory.context import run_of


def table(number: int) -> Table:
    code = 4 if number == 3 else None
    return Table("numbers", (Column("n"),), [{"n": number}], exit_code=code)


def test_without_watch_there_is_one_table() -> None:
    made = table(1)
    assert watched(run_of(cluster, ["status"]), lambda: made) is made


def test_with_watch_it_is_shown_until_a_check_fails(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = iter((1, 2, 3, 4))
    run = run_of(cluster, ["status", "--watch", "1ms", "-o", "json"])
    assert watched(run, lambda: table(next(numbers))) == 4
    out = capsys.readouterr().out
    decoder, shown = json.JSONDecoder(), []
    while out.strip():
        document, end = decoder.raw_decode(out.lstrip())
        shown.append(document["items"][0]["n"])
        out = out.lstrip()[end:]
    assert shown == [1, 2, 3]


def test_ctrl_c_ends_it_well() -> None:
    def stop() -> Table:
        raise KeyboardInterrupt

    assert watched(run_of(cluster, ["status", "--watch"]), stop) == 0


def test_what_is_not_there_to_begin_with_is_not_watched() -> None:
    nothing = Table("numbers", (Column("n"),), [], errors=[ItemError("x", "GONE", "no such x")])
    assert watched(run_of(cluster, ["status", "--watch", "1ms"]), lambda: nothing) is nothing


def test_what_goes_later_is_watched_on(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Table("numbers", (Column("n"),), [], errors=[ItemError("x", "GONE", "no such x")])
    tables = iter((table(1), nothing, table(3)))
    run = run_of(cluster, ["status", "--watch", "1ms"])
    assert watched(run, lambda: next(tables)) == 4
    assert "no such x" in capsys.readouterr().err


def test_rows_that_meet_a_condition_are_named_with_what_was_asked() -> None:
    fields = {"n": ConditionField(), "m": ConditionField("text")}
    holds = fail_on(run_of(cluster, ["status", "--fail-on", "n>1|m=x"]), fields)
    rows = [{"k": "a", "n": 1, "m": "y"}, {"k": "b", "n": 2, "m": "y"}]
    assert met(holds, rows, ["k"]) == ["pko: --fail-on: k b: n 2, m y"]
    assert met(holds, rows[:1], ["k"]) == [] == met(None, rows, ["k"])
    many = met(holds, [{"n": 2, "m": None}] * 30, ())
    assert len(many) == 21 and many[-1] == "pko: --fail-on: 10 rows more"


def test_a_cluster_that_does_not_answer_may_come_back() -> None:
    gone = Table("numbers", (Column("n"),), [], errors=[ItemError("x", UNREACHABLE, "silent")])
    tables = iter((gone, table(3)))
    run = run_of(cluster, ["status", "--watch", "1ms", "-o", "json"])
    assert watched(run, lambda: next(tables)) == 4


def test_a_condition_is_over_the_fields_there_are() -> None:
    fields = {"n": ConditionField()}
    holds = fail_on(run_of(cluster, ["status", "--fail-on", "n>1"]), fields)
    assert holds is not None and holds({"n": 2}) and not holds({"n": 1})
    assert fail_on(run_of(cluster, ["status"]), fields) is None
    with pytest.raises(UsageError, match="--fail-on: there is no field m: choose from n"):
        fail_on(run_of(cluster, ["status", "--fail-on", "m>1"]), fields)
