"""What changed between two runs, row by row."""

from __future__ import annotations

from math import inf, nan

from pykafka_ops.analysis.run_changes import CHANGED, GONE, NEW, changes


def test_rows_are_new_gone_or_changed_the_largest_change_first() -> None:
    before = [
        {"group": "a", "lag": 10, "status": "OK"},
        {"group": "b", "lag": 500, "status": "OK"},
        {"group": "c", "lag": 7, "status": "OK"},
        {"group": "d", "lag": None, "status": "UNKNOWN"},
    ]
    after = [
        {"group": "a", "lag": 40, "status": "WARN"},
        {"group": "c", "lag": 7, "status": "OK"},
        {"group": "d", "lag": 3, "status": "OK"},
        {"group": "e", "lag": 60, "status": "OK"},
    ]
    found = changes(before, after, ["group"], "lag")
    assert [(c.key, c.state, c.change) for c in found] == [
        (("d",), CHANGED, None),
        (("b",), GONE, -500),
        (("e",), NEW, 60),
        (("a",), CHANGED, 30),
    ]
    assert found[-1].fields == [("lag", 10, 40), ("status", "OK", "WARN")]


def test_what_is_ignored_or_not_in_both_is_no_change() -> None:
    before = [{"topic": "t", "bytes": 1, "oldest": 5, "gone_field": 1}]
    after = [{"topic": "t", "bytes": 1, "oldest": 9, "new_field": 2}]
    assert changes(before, after, ["topic"], "bytes", ["oldest"]) == []
    (one,) = changes(before, after, ["topic"], "bytes")
    assert (one.change, one.fields) == (0, [("oldest", 5, 9)])


def test_infinity_in_a_file_is_null_in_a_document() -> None:
    for value in (inf, nan):
        rows = [{"dir": "/d", "bytes": 1, "days": value}], [{"dir": "/d", "bytes": 1, "days": None}]
        assert changes(*rows, ["dir"], "bytes") == []


def test_rows_are_the_same_by_all_their_keys_whatever_their_types() -> None:
    before = [{"topic": "t", "partition": 0, "bytes": 1}]
    after = [{"topic": "t", "partition": "0", "bytes": 1}, {"topic": "t", "partition": None}]
    found = changes(before, after, ["topic", "partition"], "bytes", ["partition"])
    assert [(c.key, c.state, c.change) for c in found] == [(("t", ""), NEW, None)]
