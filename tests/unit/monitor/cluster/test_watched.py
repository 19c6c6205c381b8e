"""A cluster over rounds, from answers made by hand: verdicts, lag, what grows old."""

from __future__ import annotations

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.view import NEVER
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from tests.support.monitor.rounds import HOUR, answers


def test_a_group_that_commits_the_same_offset_while_more_comes_stalls() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, commits=[Commit(0, 50)]))
    for n in range(1, 12):
        watched.take(answers(n * 5000, 100 + n, commits=[Commit(n * 5000, 50)]))
    groups = watched.view.groups
    assert groups is not None
    group = groups["billing"]
    assert (group.row.status, group.row.lag) == ("STALL", 61)
    assert group.worst is not None
    assert (group.worst.topic, group.worst.client_id) == ("orders", "billing-1")


def test_a_group_that_keeps_up_is_ok_and_loses_nothing() -> None:
    watched = WatchedCluster("c")
    for n in range(5):
        watched.take(answers(n * 5000, n * 10, commits=[Commit(n * 5000, n * 10)]))
    groups = watched.view.groups
    assert groups is not None
    assert (groups["billing"].row.status, groups["billing"].loss) == ("OK", NEVER)


def test_retention_threatens_what_is_not_read() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, offsets={"billing": [(("orders", 0), 50)]}))
    watched.learn_times({(("orders", 0), 50): 1000 - HOUR, (("orders", 0), 99): 0})
    view = watched.take(answers(500, 100))
    assert view.groups is not None
    group = view.groups["billing"]
    assert (group.loss_in_seconds, group.loss) == (0.5, None)
    assert group.row.lag_seconds == HOUR / 1000 - 1


def test_the_time_of_records_that_came_before_the_first_round_is_wanted() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, offsets={"billing": [(("orders", 0), 50)]}))
    assert watched.times_wanted() == [(("orders", 0), 50), (("orders", 0), 99)]
    watched.learn_times({(("orders", 0), 50): 1, (("orders", 0), 99): 2})
    watched.take(answers(1, 100))
    assert watched.times_wanted() == []


def test_an_end_that_nobody_told_leaves_the_lag_unknown() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, commits=[Commit(0, 50)]))
    view = watched.take(answers(5000, -1))
    assert view.groups is not None
    row = view.groups["billing"].row
    assert (row.lag, row.unknown_partitions, row.status) == (None, 1, "UNKNOWN")
    assert view.topics is not None
    assert view.topics["orders"].rate_in is None


def test_a_round_without_answers_keeps_the_old_facts_and_their_age() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(1000, 100))
    watched.failed(NotAsked("cluster", "SilentError", "no answer"))
    assert watched.view.at == 1000
    assert watched.view.error is not None
    assert watched.view.groups is not None
    assert watched.take(answers(2000, 100)).error is None


def test_groups_of_a_silent_coordinator_stay_and_others_go() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, commits=[Commit(0, 50)]))
    away = {"silent_brokers": frozenset({1}), "unlisted": frozenset({1})}
    view = watched.take(answers(1, 100, listed={}, described={}, **away))
    assert view.groups is not None
    assert list(view.groups) == ["billing"]
    assert view.brokers[0]["state"] == "silent"
    view = watched.take(answers(2, 100, listed={}, described={}))
    assert view.groups == {}
    assert watched.commits("billing") == {}


def test_a_broker_that_still_loads_its_groups_is_not_silent() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, commits=[Commit(0, 50)]))
    view = watched.take(answers(1, 100, listed={}, described={}, unlisted=frozenset({1})))
    assert list(view.groups or ()) == ["billing"]
    assert view.brokers[0]["state"] == "up"
    assert (view.facts or {})["brokers_silent"] == 0


def test_a_group_forgotten_comes_back_when_it_commits() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 100, commits=[Commit(0, 50)]))
    watched.forget("billing")
    assert watched.view.groups == {}
    assert watched.rows("billing") == []
    watched.take(answers(1, 100, commits=[Commit(1, 60)]))
    assert watched.commits("billing") == {"orders": {0: [Commit(1, 60, 40)]}}


def test_a_topic_made_anew_has_no_rate_from_its_old_offsets() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(0, 1000))
    anew = answers(5000, 3)
    anew.topics = {"orders": anew.topics["orders"]._replace(id=b"j" * 16)}
    view = watched.take(anew)
    assert view.topics is not None
    assert view.topics["orders"].rate_in is None


def test_times_of_records_of_a_deleted_topic_say_nothing_of_one_made_anew() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(10_000, 100, commits=[Commit(9000, 50)]))
    watched.learn_times({(("orders", 0), 1): 10, (("orders", 0), 2): 20})
    anew = answers(20_000, 3, commits=[Commit(19_000, -1), Commit(19_500, 1)])
    anew.topics = {"orders": anew.topics["orders"]._replace(id=b"j" * 16)}
    view = watched.take(anew)
    row = (view.groups or {})["billing"].row
    assert (row.lag, row.lag_seconds) == (2, None)
    assert (("orders", 0), 1) in watched.times_wanted()


def test_a_group_deleted_and_made_anew_is_judged_by_its_new_commits_alone() -> None:
    watched = WatchedCluster("c")
    old = [Commit(at, 500) for at in range(0, 5000, 1000)]
    watched.take(answers(5000, 1000, commits=old))
    watched.take(answers(6000, 1000, listed={}, described={}))
    view = watched.take(answers(7000, 1000, commits=[Commit(6500, 10)]))
    row = (view.groups or {})["billing"].row
    assert (row.lag, row.status) == (990, "UNKNOWN")
    assert watched.commits("billing") == {"orders": {0: [Commit(6500, 10, 990)]}}


def test_after_a_clock_was_set_back_rounds_go_on() -> None:
    hour = 3_600_000
    watched = WatchedCluster("c")
    for at in (2 * hour, 2 * hour + 1000, hour, hour + 1000):
        view = watched.take(answers(at, 100 + at // 1000, commits=[Commit(at, 50)]))
    assert (view.number, view.at) == (4, hour + 1000)
    assert (view.topics or {})["orders"].rate_in == 1.0
    assert (view.groups or {})["billing"].row.lag == 50 + (hour + 1000) // 1000
