"""Links that are found by groups and control topics: what is read again, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import ControlState
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.own_logs import OwnLogs
from pykafka_ops.monitor.mirrors.watch import source_of
from tests.support.monitor.mirrored import GROUP, MEMBER, control, link, mirror_group, site

CONTROL = "pko-mirror.us.control.internal"
NO_CLUSTER = cast("Cluster", None)


class Target:
    """eu, whose control topic says what ``state`` has."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.watched, self.logs = WatchedCluster("eu"), OwnLogs()
        self.state: ControlState | PkoError = control()
        self.reads = 0
        patch.setattr(ControlTopic, "catch_up", lambda _: self._read())

    def _read(self) -> ControlState:
        self.reads += 1
        if isinstance(self.state, PkoError):
            raise self.state
        return self.state

    def round(self, at: int, control_end: int, **more: Any) -> list[str]:
        ends: Mapping[str, list[int]] = {"us.orders": [9], CONTROL: [control_end]}
        self.watched.take(site(at, ends, "eu-id", **{**mirror_group(), **more}))
        self.found = self.logs.links(NO_CLUSTER, self.watched)
        return [one.name for one in self.found]


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return Target(monkeypatch)


def test_a_control_topic_is_read_once_it_has_grown(target: Target) -> None:
    assert target.round(1, 5) == ["us->eu"]
    (one,) = target.found
    assert (one.members, one.topics) == ((MEMBER,), ["us.orders"])
    target.round(2, 5)
    assert target.reads == 1
    target.round(3, 6)
    assert target.reads == 2


def test_one_that_cannot_be_read_is_told_and_tried_again(target: Target) -> None:
    target.state = PkoError("denied")
    assert target.round(1, 5) == ["us->eu"]
    assert target.found[0].troubles == [f"{CONTROL} could not be read: denied"]
    target.state = control()
    target.round(2, 5)
    assert target.found[0].troubles == []


def test_a_link_without_a_group_is_there_while_it_has_topics(target: Target) -> None:
    assert target.round(1, 5, listed={}, described={}) == ["us->eu"]
    assert target.found[0].members == ()
    target.state = ControlState()
    assert target.round(2, 6, listed={}, described={}) == []


def test_where_no_broker_lists_groups_nobody_knows_who_copies(target: Target) -> None:
    assert target.round(1, 5, listed=None, described={}) == ["us->eu"]
    assert target.found[0].members is None


def test_what_a_mirror_commits_is_no_lag_of_a_group(target: Target) -> None:
    offsets = {GROUP: [(("us.orders", 0), 500)]}
    target.round(1, 5, offsets=offsets)
    assert target.watched.view.groups == {}
    assert list(target.found[0].committed["us.orders"]) == [500]


def test_a_source_is_known_by_its_id_and_by_its_alias_only_without_one() -> None:
    us, other = WatchedCluster("us"), WatchedCluster("west")
    us.take(site(1, {}, "another"))
    other.take(site(1, {}, "us-id"))
    every = {"us": us, "west": other}
    assert source_of(link(5), every) is other
    assert source_of(link(5, control=ControlState()), every) is us
    assert source_of(link(5), {"us": us}) is None
