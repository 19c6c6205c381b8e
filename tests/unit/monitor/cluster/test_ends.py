"""Ends of logs over rounds: rates and times, and nothing where nobody knows."""

from __future__ import annotations

from array import array

from pykafka_ops.monitor.cluster.ends import LogEnds


def ends_of(*rounds: tuple[int, list[int]]) -> LogEnds:
    ends = LogEnds()
    for at, offsets in rounds:
        ends.record(at, {"t": array("q", offsets)})
    return ends


def test_the_rate_is_that_of_all_partitions_together() -> None:
    assert ends_of((0, [0, 0]), (10_000, [50, 150])).rate("t", 60_000) == 20.0


def test_the_rate_is_not_known_where_an_end_is_not() -> None:
    assert ends_of((0, [0, -1]), (10_000, [50, 150])).rate("t", 60_000) is None
    assert ends_of((0, [0]), (10_000, [50, 150])).rate("t", 60_000) is None
    assert ends_of((0, [0])).rate("t", 60_000) is None
    assert ends_of((0, [0]), (10_000, [5])).rate("other", 60_000) is None


def test_samples_leave_out_rounds_in_which_nobody_answered() -> None:
    ends = ends_of((0, [3]), (10, [-1]), (20, [5]))
    assert ends.samples("t", 0) == [(0, 3), (20, 5)]
    assert ends.latest("t", 0) == 5
    assert ends.latest("t", 7) is None
    assert ends_of((0, [3]), (10, [-1])).latest("t", 0) is None


def test_a_clock_that_went_back_drops_the_rounds_behind_it() -> None:
    ends = ends_of((0, [1]), (100, [2]), (50, [3]))
    assert ends.samples("t", 0) == [(0, 1), (50, 3)]


def test_the_time_of_a_record_lies_between_two_rounds_that_are_near() -> None:
    ends = ends_of((0, [0]), (10_000, [100]), (100_000, [200]))
    assert ends.time_of("t", 0, 50) == 5_000
    assert ends.time_of("t", 0, 150) is None
    assert ends.time_of("t", 0, 200) is None


def test_a_topic_made_anew_begins_without_a_past() -> None:
    ends = ends_of((0, [100]))
    ends.forget("t")
    assert ends.samples("t", 0) == []


def test_a_log_that_was_cut_has_no_rate_rather_than_a_negative_one() -> None:
    ends = ends_of((0, [100, 5]), (1000, [40, 15]))
    assert ends.rates("t") == [None, 10.0]
    assert ends_of((0, [100]), (1000, [40])).rate("t", 60_000) is None
