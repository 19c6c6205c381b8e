"""Clusters in KRaft: the quorum, fenced brokers, who may lead; in facts, words and alerts."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.conditions import parse_condition
from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.monitor.alerts.rules.facts import FACTS
from pykafka_ops.monitor.alerts.settings.built_in import BUILT_IN
from pykafka_ops.monitor.cluster.answers import Answers, NotAsked
from pykafka_ops.monitor.cluster.codec import pack_view, unpack_view
from pykafka_ops.monitor.cluster.kraft import short_topics
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.rows import quorum_body
from pykafka_ops.monitor.subjects import poll_round
from pykafka_ops.monitor.wording.causes import broken
from pykafka_ops.monitor.wording.verdict import verdict
from pykafka_ops.top.pages.brokers import controllers
from tests.support.monitor.rounds import answers, in_kraft

NOW = 1_000_000


def looked(got: Answers) -> ClusterView:
    return WatchedCluster("c").take(got)


def firing(view: ClusterView) -> set[str]:
    """The built-in rules about the quorum and its brokers whose condition holds."""
    (cluster,) = (s for s in poll_round(view, NOW).subjects if s.kind == "cluster")
    return {
        name
        for name in ("quorum-lost", "no-controller", "voter-behind", "broker-fenced")
        if parse_condition(str(BUILT_IN[name]["when"]), FACTS["cluster"]).judged(cluster.facts)
    }


@pytest.mark.parametrize(
    ("got", "sentence", "cause", "alerts"),
    [
        (in_kraft(NOW), "all is well", "", set()),
        (in_kraft(NOW, leader=-1), "the quorum of controllers is lost",
         "no controller leads the quorum", {"quorum-lost"}),
        (in_kraft(NOW, 60_000), "1 of 3 controllers does not follow",
         "controller 101 does not follow the quorum of 3, for 1m", {"voter-behind"}),
        (in_kraft(NOW, fenced=[7]), "1 broker fenced", "broker 7 is fenced", {"broker-fenced"}),
        (answers(NOW, 5, controller=-1), "no controller", "no controller:", {"no-controller"}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_alerted(
    got: Answers, sentence: str, cause: str, alerts: set[str]
) -> None:
    view = looked(got)
    assert sentence in verdict(view).text
    assert cause in " / ".join(broken(view))
    assert firing(view) == alerts


def test_a_quorum_that_may_not_be_asked_is_neither_lost_nor_well() -> None:
    missing = NotAsked("quorum of controllers", "CLUSTER_AUTHORIZATION_FAILED", "no")
    view = looked(in_kraft(NOW, leader=-1, controller_known=False, not_asked=[missing]))
    facts = view.facts or {}
    assert [facts[f] for f in ("quorum_lost", "no_controller", "voters_behind")] == [None] * 3
    assert "all is well" not in verdict(view).text
    assert not [line for line in broken(view) if "controller" in line]
    assert [line.text for line in controllers(view)] == ["the quorum is not known"]


def test_on_zookeeper_there_is_no_quorum_to_lose() -> None:
    view = looked(answers(NOW, 5))
    assert view.facts is not None
    assert (view.facts["quorum_lost"], view.facts["quorum_voters"]) == (0, None)
    assert (quorum_body(view), controllers(view)) == (None, [])


def test_fenced_brokers_that_are_gone_anyway_are_named_once() -> None:
    view = looked(in_kraft(NOW, fenced=[1], nodes={}))
    assert view.brokers[0]["fenced"] is True
    assert "fenced" not in verdict(view).text + " ".join(broken(view))
    unknown = looked(in_kraft(NOW, fenced=None))
    assert unknown.facts is not None
    assert (unknown.facts["brokers_fenced"], unknown.brokers[0]["fenced"]) == (None, None)


def test_who_may_lead_is_asked_of_what_is_short_and_told() -> None:
    watched = WatchedCluster("c")
    assert short_topics(watched.take(in_kraft(NOW))) == []
    view = watched.take(in_kraft(NOW + 1, nodes={}))
    assert short_topics(view) == ["orders"]
    assert view.facts is not None
    assert view.facts["elr"] is None
    watched.tell_eligible({("orders", 0): EligibleReplicas((2,), (1,))}, None)
    assert watched.view.facts is not None
    assert (watched.view.facts["elr"], watched.view.facts["last_known_elr"]) == (1, 1)
    assert "in the ELR, which may lead: 2" in broken(watched.view)[0]
    sent = unpack_view(pack_view(watched.view))
    assert (sent.quorum, sent.eligible, sent.fenced) == (
        watched.view.quorum, watched.view.eligible, [],
    )  # fmt: skip
    watched.tell_eligible({}, NotAsked("eligible leader replicas", "SilentError", "no answer"))
    assert watched.view.eligible is None
    assert watched.view.not_asked[-1].what == "eligible leader replicas"


def test_how_far_each_replica_of_metadata_is() -> None:
    body = quorum_body(looked(in_kraft(NOW, 60_000)))
    assert body is not None
    assert (body["leader"], body["epoch"]) == (100, 7)
    rows = [(r["id"], r["role"], r["lag"], r["behind_seconds"]) for r in body["replicas"]]
    assert rows == [
        (100, "leader", 0, 0.0), (101, "follower", 60, 60.0), (102, "follower", 0, 0.0),
        (1, "observer", 2, 0.0),
    ]  # fmt: skip
