"""Conditions over rows, as in ``--fail-on``."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.conditions import ConditionError, ConditionField, parse_condition

FIELDS = {
    "lag": ConditionField(),
    "status": ConditionField("text", ("OK", "STALL", "LOST")),
    "group": ConditionField("text"),
    "lag_seconds": ConditionField(),
    "lead": ConditionField(),
    "since": ConditionField("moment", spare=True),
    "client_id": ConditionField("text", spare=True),
    "hot": ConditionField("flag"),
}
ROW = {"lag": 1500, "status": "STALL", "group": "Billing", "lag_seconds": 2.5, "lead": None,
       "since": 1_763_712_000_000, "client_id": None, "hot": True}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lag>1000", True),
        ("lag > 1500", False),
        ("lag>=1500", True),
        ("lag==1500.0", True),
        ("lag!=1500", False),
        ("lag-seconds<2", False),
        ("status!=OK", True),
        ("status=stall", True),
        ("status == 'STALL'", True),
        ("group=billing", True),
        ("lag<10|status!=OK", True),
        ("lag<10 || lag>10 && status=OK", False),
        ("lag>10&status=STALL", True),
        ("hot=true", True),
        ("hot!=True", False),
        ("since>=2025-11-21T08:00", True),
        ("since<2025-11-21", False),
        ("since=1763712000000", True),
    ],
)
def test_conditions_hold_or_not(text: str, expected: bool) -> None:
    assert parse_condition(text, FIELDS)(ROW) is expected


@pytest.mark.parametrize("text", ["lead<5", "lead>5", "lead=5", "lead!=5", "lead>=0 & lag>1000"])
def test_what_is_not_known_meets_whatever_is_asked(text: str) -> None:
    assert parse_condition(text, FIELDS)(ROW)
    assert parse_condition(text, FIELDS)({"lag": 1500})


def test_where_nothing_may_be_nothing_is_no_alarm() -> None:
    for text, expected in (("client_id=a", False), ("client_id!=a", True), ("since>5", False)):
        row = ROW | {"since": None}
        assert parse_condition(text, FIELDS)(row) is expected, text


def test_a_figure_that_is_less_than_the_truth_meets_whatever_is_asked() -> None:
    def lost(row: object, name: str) -> bool:
        return name == "lag" and isinstance(row, dict) and row["status"] == "LOST"

    holds = parse_condition("lag>2000", FIELDS, lost)
    assert not holds(ROW)
    assert holds(ROW | {"status": "LOST"})
    assert not parse_condition("lag_seconds>9", FIELDS, lost)(ROW | {"status": "LOST"})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not a condition"),
        ("lag", "not a condition"),
        ("lag>", "not a condition"),
        ("lag>5|", "not a condition"),
        ("lag=>5", "not a condition"),
        ("lag<>5", "not a condition"),
        ("leg>5", "there is no field leg: choose from lag, status"),
        ("lag>many", "lag > many: many is not a number"),
        ("lag=many", "lag = many: many is not a number"),
        ("lag>nan", "nan is not a number"),
        ("status=BANANA", "status = BANANA: choose one of OK, STALL, LOST"),
        ("status!=BANANA", "choose one of OK, STALL, LOST"),
        ("status>OK", "status > OK: status is not a number: write = or !="),
        ("group<a", "group is not a number: write = or !="),
        ("hot=maybe", "hot = maybe: choose one of true, false"),
        ("since>yesterday", "since > yesterday: yesterday is not a time: write 2026-11-21T08:00"),
        ("since>2h", "2h is not a time"),
    ],
)
def test_what_is_no_condition_is_told(text: str, what: str) -> None:
    with pytest.raises(ConditionError, match=what):
        parse_condition(text, FIELDS)


def test_the_fields_asked_for_are_told_once() -> None:
    assert parse_condition("lag>1 & status=OK | lag<0", FIELDS).fields == ["lag", "status"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lag>1000", True),
        ("lag>2000", False),
        ("lead<5", None),
        ("lead<5|lag>1000", True),
        ("lead<5|lag>2000", None),
        ("lead<5&lag>2000", False),
        ("lead<5&lag>1000", None),
        ("client_id=a", False),
    ],
)
def test_judged_what_is_not_known_decides_nothing(text: str, expected: bool | None) -> None:
    assert parse_condition(text, FIELDS).judged(ROW) is expected


def test_judged_a_figure_below_the_truth_shows_that_more_is_true_and_nothing_else() -> None:
    def judged(text: str) -> bool | None:
        return parse_condition(text, FIELDS, lambda row, name: name == "lag").judged(ROW)

    assert judged("lag>1000") is True
    assert judged("lag>2000") is None
    assert judged("lag<2000") is None


@pytest.mark.parametrize(
    ("text", "value", "held"),
    [
        ("x>9007199254740992", 9007199254740993, True), ("x=1.10", "1.1", True),
        ("x=0.1000000000000000000001", "0.1", False),
        ("x=abc", "abc", True), ("x=abc", "ABC", False),
        ("x>5", "abc", False), ("x!=5", "abc", True), ("x>=2026-01", "2026-02", True),
        ("x=true", True, True), ("x>1e400", "1e399", False), ("x=1", None, False),
        ("x!=1", None, True), ("x=" + "9" * 2000, "9" * 2000, True), ("x>1", "\u0663", False),
    ],
)  # fmt: skip
def test_a_field_of_any_kind_is_compared_as_its_row_has_it(
    text: str, value: object, held: bool
) -> None:
    condition = parse_condition(text, {"x": ConditionField("any", spare=True)})
    assert condition.judged({"x": value}) is held
