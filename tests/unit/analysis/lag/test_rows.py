"""Lag rows: from facts to figures."""

from __future__ import annotations

from dataclasses import replace

from pykafka_ops.analysis.commits.burrow import OK, STOP, UNKNOWN, Commit
from pykafka_ops.analysis.lag.rows import (
    AHEAD,
    LOST,
    PartitionFacts,
    by_group,
    end_at,
    lag_row,
    spread,
    time_at,
    understated,
)

NOW = 1_000_000
FACTS = PartitionFacts("g", "Stable", "t", 0, "worker", 400, 100, 1000)


def test_lag_lead_and_time_behind() -> None:
    row = lag_row(replace(FACTS, next_timestamp=NOW - 9000, newest=NOW - 2000), NOW)
    assert (row.lag, row.lead, row.lag_seconds) == (600, 300, 7.0)


def test_a_group_at_the_end_is_not_behind() -> None:
    row = lag_row(replace(FACTS, committed=1000), NOW)
    assert (row.lag, row.lag_seconds, row.catch_up_seconds, row.status) == (0, 0.0, 0.0, OK)


def test_without_a_commit_nothing_is_known() -> None:
    row = lag_row(replace(FACTS, committed=None), NOW)
    assert (row.lag, row.lead, row.status) == (None, None, UNKNOWN)


def test_of_an_empty_log_nothing_is_unread_whatever_was_committed() -> None:
    row = lag_row(replace(FACTS, committed=None, start=1000), NOW)
    assert (row.lag, row.current_offset, row.status) == (0, None, OK)


def test_a_group_beyond_the_end_of_the_log_is_not_well() -> None:
    row = lag_row(replace(FACTS, committed=1001), NOW)
    assert (row.lag, row.lag_seconds, row.catch_up_seconds, row.status) == (None, None, None, AHEAD)
    emptied = lag_row(replace(FACTS, committed=400, start=0, end=0), NOW)
    assert (emptied.lag, emptied.status) == (None, AHEAD)


def test_a_commit_before_the_log_start_has_lost_records() -> None:
    row = lag_row(replace(FACTS, committed=60), NOW)
    assert (row.lead, row.status) == (-40, LOST)


def test_lag_that_nobody_reads_is_a_stop_even_with_few_commits() -> None:
    assert lag_row(FACTS, NOW).status == UNKNOWN
    row = lag_row(replace(FACTS, client_id=None, commits=[Commit(NOW - 5, 400)]), NOW)
    assert (row.status, row.since) == (STOP, NOW - 5)


def test_rates_and_time_to_catch_up() -> None:
    commits = [Commit(NOW - 20_000, 200), Commit(NOW - 10_000, 300), Commit(NOW, 400)]
    row = lag_row(replace(FACTS, ends=[(NOW - 100_000, 600)], commits=commits), NOW)
    assert (row.rate_in, row.rate_out, row.catch_up_seconds) == (4.0, 10.0, 100.0)


def test_the_end_between_two_samples_is_in_proportion() -> None:
    samples = [(0, 10), (100, 30), (100, 40)]
    assert [end_at(samples, t) for t in (-1, 0, 50, 100, 101)] == [None, 10, 20, 30, 40]
    assert end_at([], 5) is None


def test_a_group_sums_its_lag_and_shows_the_worst() -> None:
    rows = [
        lag_row(replace(FACTS, group="b", committed=1000), NOW),
        lag_row(replace(FACTS, group="b", partition=1), NOW),
        lag_row(replace(FACTS, group="b", partition=2, committed=50), NOW),
        lag_row(replace(FACTS, group="a", committed=None), NOW),
    ]
    first, second = by_group(rows)
    assert (first.group, first.lag, first.max_lag, first.lead) == ("a", None, None, None)
    assert (first.unknown_partitions, first.catch_up_seconds, first.status) == (1, None, UNKNOWN)
    assert (second.partitions, second.lag, second.max_lag) == (3, 1550, 950)
    assert second.unknown_partitions == 0
    assert (second.lead, second.status, second.catch_up_seconds) == (-50, LOST, None)


def test_what_is_known_of_a_group_is_added_up_and_the_rest_counted() -> None:
    (group,) = by_group([
        lag_row(FACTS, NOW),
        lag_row(replace(FACTS, partition=1, committed=None), NOW),
        lag_row(replace(FACTS, partition=2, committed=2000), NOW),
    ])  # fmt: skip
    assert (group.lag, group.unknown_partitions, group.status) == (600, 2, AHEAD)


def test_lag_conditions_are_met_where_records_are_lost_or_lag_is_not_known() -> None:
    for row in ({"status": LOST}, {"status": AHEAD}, {"status": OK, "unknown_partitions": 1}):
        assert understated({"lag": 5, **row}, "lag")
        assert understated(row, "lag_seconds") and not understated(row, "partitions")
    assert not understated({"status": UNKNOWN, "lag": 5, "unknown_partitions": 0}, "lag")


def test_a_spread_keeps_both_ends_and_never_repeats() -> None:
    assert spread([1, 5, 9], 8) == [1, 5, 9]
    found = spread(list(range(100)), 8)
    assert (found[0], found[-1], len(set(found))) == (0, 99, 8)


def test_too_few_commits_in_the_window_are_judged_by_those_before() -> None:
    before = [Commit(NOW - 700_000 + i * 1000, 390 + i) for i in range(11)]
    row = lag_row(replace(FACTS, history=before, past=[(NOW - 800_000, 900)]), NOW)
    assert (row.status, row.since, row.rate_out) == (STOP, before[-1].timestamp, None)


def test_without_knowing_readers_few_commits_tell_nothing() -> None:
    row = lag_row(replace(FACTS, client_id=None, readers_known=False), NOW)
    assert (row.status, row.since) == (UNKNOWN, None)


def test_the_time_of_an_offset_lies_between_two_samples() -> None:
    samples = [(0, 10), (100, 30), (200, 30), (300, 40)]
    assert [time_at(samples, o) for o in (9, 10, 20, 30, 39, 40)] == [None, 0, 50, 200, 290, None]


def test_of_a_share_group_the_coordinator_counts() -> None:
    """Behind its start it may be done with records."""
    shared = replace(FACTS, counted=True, said=250)
    assert lag_row(shared, NOW).lag == 250
    assert lag_row(replace(shared, said=None), NOW).lag is None
    assert lag_row(replace(shared, said=None, committed=1000), NOW).lag == 0
