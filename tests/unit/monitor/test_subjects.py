"""What alerts and the history get of a view: every fact there is, and nothing for what is not."""

from __future__ import annotations

from math import inf

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.conditions import parse_condition
from pykafka_ops.monitor.alerts.rules.facts import FACTS
from pykafka_ops.monitor.alerts.rules.model import PollRound, Subject
from pykafka_ops.monitor.alerts.settings.built_in import BUILT_IN
from pykafka_ops.monitor.cluster.answers import Answers, NotAsked
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.series import values
from pykafka_ops.monitor.subjects import poll_round
from tests.support.monitor.rounds import answers


def judged(one: Answers) -> PollRound:
    return poll_round(WatchedCluster("c").take(one), 7)


def of(found: PollRound, kind: str) -> Subject:
    (subject,) = (s for s in found.subjects if s.kind == kind)
    return subject


def test_every_fact_has_a_name_that_conditions_know() -> None:
    found = judged(answers(1, 5, commits=[Commit(1, 3)]))
    assert {s.kind for s in found.subjects} == {"cluster", "broker", "topic", "group"}
    for subject in found.subjects:
        assert subject.facts.keys() <= FACTS[subject.kind].keys(), subject.kind


def test_what_never_comes_is_infinite_and_what_is_not_known_is_none() -> None:
    read = of(judged(answers(1, 5, commits=[Commit(1, 5)])), "group")
    assert (read.facts["lag"], read.facts["loss_in_seconds"]) == (0, inf)
    unknown = of(judged(answers(1, -1, commits=[Commit(1, 5)])), "group")
    assert (unknown.facts["lag"], unknown.facts["loss_in_seconds"]) == (None, None)
    topic = of(judged(answers(1, 5, moves=None, settings={})), "topic")
    assert (topic.facts["reassigning"], topic.facts["under_min_isr"]) == (None, None)


def test_a_broker_that_is_away_is_the_cause_of_what_its_topics_suffer() -> None:
    found = judged(answers(1, 5, commits=[Commit(1, 3)], nodes={}))
    assert of(found, "broker").facts["state"] == "down"
    assert of(found, "topic").facts["offline"] == 1
    assert {s.cause for s in found.subjects if s.kind != "cluster"} == {"broker 1"}


def test_a_round_without_an_answer_says_only_that() -> None:
    watched = WatchedCluster("c")
    watched.take(answers(1, 5))
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    found = poll_round(watched.view, 7)
    assert not found.fresh
    assert found.not_asked == ["cluster: b1 is silent [SilentError]"]
    assert of(found, "cluster").facts == {"cluster": "c", "reachable": False}


def test_groups_may_be_missing_where_a_broker_did_not_list_its_own() -> None:
    said = [NotAsked("groups of broker 2", "SilentError", "silent")]
    assert judged(answers(1, 5, not_asked=said)).partial == {"group", "mirror"}
    assert judged(answers(1, 5, listed=None)).partial == {"group", "mirror"}
    assert judged(answers(1, 5)).partial == frozenset()


def test_the_history_gets_numbers_that_are_known() -> None:
    watched = WatchedCluster("c")
    found = values(watched.take(answers(1, 5, commits=[Commit(1, 3)])))
    assert found[SeriesKey("group", "billing", "lag")] == 2
    assert found[SeriesKey("topic", "orders", "end_offsets")] == 5
    assert found[SeriesKey("cluster", "c", "brokers")] == 1
    assert SeriesKey("topic", "orders", "rate_in") not in found
    assert SeriesKey("broker", "1", "bytes") not in found


def test_how_long_disks_last_is_told_where_it_is_known() -> None:
    view = WatchedCluster("c").take(answers(1, 5))
    assert of(poll_round(view, 7, {1: 60.0}), "broker").facts["full_in_seconds"] == 60
    assert of(poll_round(view, 7), "broker").facts["full_in_seconds"] is None


def test_a_nearly_full_disk_is_over_once_there_is_room_though_nobody_knows_how_it_fills() -> None:
    when = parse_condition(str(BUILT_IN["disk-runway"]["when"]), FACTS["broker"])
    assert when.judged({"free_percent": 5.0, "full_in_seconds": None}) is True
    assert when.judged({"free_percent": 50.0, "full_in_seconds": None}) is False
    assert when.judged({"free_percent": None, "full_in_seconds": None}) is None
    assert when.judged({"free_percent": 50.0, "full_in_seconds": 3600.0}) is True


def test_hanging_transactions_are_counted_by_topic_where_that_is_known() -> None:
    view = WatchedCluster("c").take(answers(1, 5))
    for hanging, in_topic, in_all in ((None, None, None), ({}, 0, 0), ({"orders": 2}, 2, 2)):
        found = poll_round(view, 7, None, hanging)
        assert of(found, "topic").facts["hanging_transactions"] == in_topic
        assert of(found, "cluster").facts["hanging_transactions"] == in_all
