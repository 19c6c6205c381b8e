"""Burrow's rules, case by case, in its order."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.burrow.go_json import encode
from pykafka_ops.monitor.burrow.status import (
    ERR,
    NAMES,
    OK,
    WARN,
    PartitionFound,
    group_status,
    partition_status,
)


def ring(*commits: tuple[int, int | None]) -> list[Commit]:
    """Commits a second apart: offset and lag."""
    return [Commit(n * 1000, offset, lag) for n, (offset, lag) in enumerate(commits)]


CASES = {
    "no lag": (ring((1, 5), (1, 5)), 0, 9_000, [9], "OK"),
    "never committed": ([], 5, 9_000, [9], "OK"),
    "silent for longer than its window": (ring((1, 5), (2, 5)), 5, 9_000, [9], "STOP"),
    "silent, but caught up lately": (ring((1, 5), (9, 5)), 5, 9_000, [9, 12], "WARN"),
    "silent just as long as its window": (ring((1, 5), (2, 6)), 5, 2_000, [9], "WARN"),
    "went back and stayed there": (ring((5, 1), (9, 1), (6, 2), (8, 3)), 5, 3_000, [9], "REWIND"),
    "went back and came again": (ring((5, 1), (9, 1), (6, 2), (9, 3)), 5, 3_000, [12], "WARN"),
    "was at the end once": (ring((5, 4), (6, 0), (6, 9)), 5, 2_000, [9], "OK"),
    "commits the same": (ring((5, 4), (5, 3), (5, 2)), 5, 2_000, [9], "STALL"),
    "falls behind": (ring((5, 4), (6, 4), (7, 9)), 5, 2_000, [9], "WARN"),
    "gains": (ring((5, 9), (6, 4), (7, 9)), 5, 2_000, [9], "OK"),
    "lags are not known": (ring((5, None), (6, None)), 5, 1_000, [9], "WARN"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_partition_is_judged_as_burrow_judges(case: str) -> None:
    commits, lag, now, ends, expected = CASES[case]
    found = PartitionFound("t", 0, commits, lag, "", "", ends)
    assert NAMES[partition_status(found, now)] == expected


def test_a_group_is_as_bad_as_its_worst_partition() -> None:
    assert group_status([]) == OK
    assert group_status([OK, WARN]) == WARN
    assert [group_status([OK, bad]) for bad in (4, 5, 6)] == [ERR] * 3


def test_json_is_that_of_go() -> None:
    value = {"a<b>&": ["\u2028é", None, True, 1.0, 0.0, 0.7, 1 / 3, 0.1, 5]}
    assert encode(value) == (
        '{"a\\u003cb\\u003e\\u0026":["\\u2028é",null,true,1,0,0.7,0.33333334,0.1,5]}'
    )
