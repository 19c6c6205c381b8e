"""Search over all that is known of a cluster."""

from __future__ import annotations

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.wording.search import MOST, search
from tests.support.monitor.rounds import answers


def view() -> ClusterView:
    return WatchedCluster("local").take(answers(1000, 100, commits=[Commit(1, 60)]))


def found(wanted: str, *ids: str) -> dict[str, list[str]]:
    return {kind.title: [t.name for t in kind.things] for kind in search(view(), wanted, ids)}


def test_everything_that_has_a_name_is_found() -> None:
    assert found("BILL") == {"Groups": ["billing"], "Members": ["billing-1"]}
    assert found("10.0.0.7") == {"Members": ["billing-1"]}
    assert found("m-1") == {"Members": ["billing-1"]}
    assert found("orders", "orders-writer") == {
        "Topics": ["orders"],
        "Transactional ids": ["orders-writer"],
    }
    assert found("b1:9092") == {"Brokers": ["broker 1"]}
    assert found("retention.ms=3600000") == {"Settings of topics": ["retention.ms=3600000"]}
    assert found("zzz") == {}


def test_members_and_settings_lead_to_what_they_belong_to() -> None:
    (groups, members) = search(view(), "billing", ())
    assert groups.things[0].page == members.things[0].page == ("groups", "billing")
    (settings,) = search(view(), "cleanup.policy", ())
    assert settings.things[0].page == ("topics", "orders")


def test_many_finds_are_counted_and_the_nearest_are_named() -> None:
    many = answers(1000, 100)
    one = many.topics["orders"]
    names = [*(f"a-orders-{n}" for n in range(MOST)), "orders-x", "orders"]
    many.topics = {name: one._replace(name=name) for name in names}
    many.ends = dict.fromkeys(names, many.ends["orders"])
    many.starts = dict.fromkeys(names, many.starts["orders"])
    (kind,) = search(WatchedCluster("local").take(many), "orders", ())[:1]
    assert (kind.title, kind.total, len(kind.things)) == ("Topics", MOST + 2, MOST)
    assert [thing.name for thing in kind.things[:2]] == ["orders", "orders-x"]
