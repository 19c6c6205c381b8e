"""The timeline: a line for what changed, and one for a thousand partitions that moved together."""

from __future__ import annotations

from array import array
from dataclasses import replace

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.monitor.changes import changes
from pykafka_ops.monitor.cluster.answers import Answers, NotAsked
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from tests.support.monitor.rounds import MEMBER, answers


def texts(*rounds: Answers) -> list[str]:
    """What the last of these rounds brought."""
    watched = WatchedCluster("c")
    views = [watched.take(one) for one in rounds]
    return [change.text for change in changes(views[-2], views[-1])]


def large(leader: int, isr: list[int]) -> Answers:
    made = answers(1, 0)
    partitions = [PartitionDescription(n, leader, 0, [1, 2], isr, []) for n in range(1000)]
    made.topics = {"orders": TopicDescription("orders", b"i" * 16, False, partitions)}
    made.ends = made.starts = {"orders": array("q", [0] * 1000)}
    made.nodes = {b: Node(b, f"b{b}", 9092, None) for b in (1, 2)}
    return made


def test_two_rounds_alike_bring_nothing() -> None:
    assert texts(answers(1, 5), answers(2, 9)) == []


def test_a_broker_that_goes_is_a_few_lines_however_much_it_led() -> None:
    after = large(2, [2])
    after.nodes = {2: after.nodes[2]}
    assert texts(large(1, [1, 2]), after) == [
        "broker 1 was up, is down",
        "broker 2 leads 1000 partitions that broker 1 led",
        "broker 1 left the ISR of 1000 partitions",
    ]


def test_the_controller_moves() -> None:
    assert texts(answers(1, 5), answers(2, 5, controller=-1)) == [
        "the controller was broker 1, is none"
    ]


def test_topics_come_and_go_and_change() -> None:
    gone = answers(2, 5, topics={}, ends={}, starts={})
    assert texts(answers(1, 5), gone) == ["topic orders was deleted"]
    assert texts(gone, answers(1, 5)) == ["topic orders was created with 1 partition"]
    anew = answers(2, 5)
    anew.topics = {"orders": anew.topics["orders"]._replace(id=b"j" * 16)}
    assert texts(answers(1, 5), anew) == ["topic orders was deleted and created anew"]
    settings = {"orders": {"retention.ms": "5", "cleanup.policy": "delete"}}
    assert texts(answers(1, 5), answers(2, 5, settings=settings)) == [
        "retention.ms of topic orders was 3600000, is 5"
    ]


def test_a_group_changes_its_verdict_and_its_members() -> None:
    anew = answers(2, 5)
    group = anew.described["billing"]
    anew.described = {"billing": group._replace(members=(MEMBER._replace(id="m-2"),))}
    assert texts(answers(1, 5), anew) == [
        "group billing has new members alone, 1: a deployment, or a restart"
    ]
    anew.described = {"billing": group._replace(members=())}
    assert texts(answers(1, 5), anew) == [
        "group billing was UNKNOWN, is OK",
        "group billing had 1 member, has 0",
    ]
    assert texts(answers(1, 5, commits=[Commit(1, 5)]), answers(2, 5, listed={}, described={})) == [
        "group billing is gone"
    ]


def test_silence_and_its_end_are_told_once() -> None:
    watched = WatchedCluster("c")
    first = watched.take(answers(1, 5))
    watched.failed(NotAsked("cluster", "SilentError", "b1 is silent"))
    silent = watched.view
    again = watched.take(answers(2, 5))
    assert [c.text for c in changes(first, silent)] == ["nobody answers any more: b1 is silent"]
    assert list(changes(silent, silent)) == []
    assert [c.text for c in changes(silent, again)] == ["the cluster answers again"]


def test_groups_that_nobody_listed_are_not_gone() -> None:
    watched = WatchedCluster("c")
    first = watched.take(answers(1, 5))
    assert list(changes(first, replace(first, number=2, groups=None))) == []
    assert list(changes(ClusterView("c"), first)) == []
