"""How share groups are judged: by what was seen of them, since they commit nothing."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.lag.rows import PartitionFacts, lag_row
from pykafka_ops.analysis.lag.shared import judge_shared

EVERY = 10_000
Seen = list[tuple[int, int]]


def seen(found: Seen, every: int = EVERY) -> list[Commit]:
    return [Commit(n * every, start, lag) for n, (start, lag) in enumerate(found)]


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ([(50, 10)] * 8, "STALL"),
        ([(50, 10 + n) for n in range(8)], "STALL"),
        ([(50, 40 - 5 * n) for n in range(8)], "OK"),  # it works behind its start
        ([(50 + n, 10 + n * 10) for n in range(8)], "WARN"),
        ([(50 + n, 100 + n * 50 + n % 2 * 40) for n in range(8)], "WARN"),  # up and down, but up
        ([(50 + n, 10) for n in range(8)], "OK"),  # as fast as what comes
        ([(50, 10), (50, 0), *[(50, 10)] * 6], "OK"),  # it was done in between
        ([(50, 10), (90, 1), *[(60, 31)] * 6], "REWIND"),
        ([(50, 10)] * 2, "UNKNOWN"),
    ],
)
def test_verdicts(found: Seen, status: str) -> None:
    assert judge_shared(seen(found), found[-1][1]).status == status


def test_less_than_a_member_may_hold_records_says_nothing() -> None:
    assert judge_shared(seen([(50, 10)] * 10, 2000), 10).status == "UNKNOWN"
    assert judge_shared(seen([(50, 10)] * 7, EVERY), 10).status == "STALL"


def test_without_lag_all_is_well() -> None:
    assert judge_shared([], 0) == ("OK", None)


def facts(client: str | None, found: Seen, end: int = 100) -> PartitionFacts:
    ends = [(n * EVERY, end - 10 * (len(found) - n)) for n in range(len(found))]
    return PartitionFacts(
        "g", "Stable", "t", 0, client, found[-1][0], 0, end, ends=ends, commits=seen(found),
        counted=True, said=found[-1][1],
    )  # fmt: skip


def test_what_nobody_reads_has_stopped() -> None:
    stuck: Seen = [(50, 10)] * 8
    assert lag_row(facts("c", stuck), 8 * EVERY).status == "STALL"
    assert lag_row(facts(None, stuck), 8 * EVERY).status == "STOP"


def test_records_done_behind_the_start_count_as_read() -> None:
    row = lag_row(facts("c", [(50, 40)] * 8, 200), 8 * EVERY)  # ten records more come each time
    assert (row.rate_in, row.rate_out, row.lag) == (1.0, 1.0, 40)
