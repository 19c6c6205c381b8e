"""Conditions over rows, as in ``--fail-on``."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.conditions import ConditionError, parse_condition

ROW = {"lag": 1500, "status": "STALL", "lag_seconds": 2.5, "lead": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lag>1000", True),
        ("lag > 1500", False),
        ("lag>=1500", True),
        ("lag==1500.0", True),
        ("lag-seconds<2", False),
        ("status!=OK", True),
        ("status=stall", True),
        ("status == 'STALL'", True),
        ("lag<10|status!=OK", True),
        ("lag<10 || lag>10 && status=OK", False),
        ("lag>10&status=STALL", True),
        ("lead<5", False),
        ("lead=5", False),
        ("lead!=5", True),
    ],
)
def test_conditions_hold_or_not(text: str, expected: bool) -> None:
    assert parse_condition(text, list(ROW))(ROW) is expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no condition"),
        ("lag", "no condition"),
        ("lag>", "no condition"),
        ("lag>5|", "no condition"),
        ("leg>5", "there is no field leg: choose from lag, status"),
        ("lag>many", "many is no number"),
    ],
)
def test_what_is_no_condition_is_told(text: str, what: str) -> None:
    with pytest.raises(ConditionError, match=what):
        parse_condition(text, list(ROW))
