"""Work moves from one broker to the other and back; records are read once, in their order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.failover.checks import checks_of, failed, steps_of
from pykafka_ops.mirror.failover.facts import LinkFacts, look, look_without_source
from pykafka_ops.mirror.failover.failback import back_checks, back_steps, fail_back, look_back
from pykafka_ops.mirror.failover.failover import fail_over
from pykafka_ops.mirror.groups.duty import OffsetDuty
from pykafka_ops.mirror.naming import link_id
from pykafka_ops.mirror.settings.model import LinkSettings
from tests.support.mirror.hand_mirror import HandMirror, cluster_of, make_topics
from tests.support.mirror.two_sites import (
    PART,
    consume_numbers,
    produce_numbers,
    two_sites,
)
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow


def _look(link: LinkSettings, source: Cluster, target: Cluster) -> LinkFacts:
    return look(link, source, target, still_seconds=0, pause=lambda _: None)


def _move(link: LinkSettings, source: Cluster, target: Cluster) -> None:
    facts = _look(link, source, target)
    assert failed(checks_of(facts, 0)) == []
    fail_over(facts, source, target, _now())
    again = _look(link, source, target)
    assert steps_of(again) == []


def _now() -> int:
    return time.time_ns() // 1_000_000


def _told(link: LinkSettings, source: Cluster, target: Cluster) -> HandMirror:
    """A mirror from where the link was told to go on."""
    mirror = HandMirror(source, target, link)
    group = link_id(link.source, link.target)
    found = fetch_offsets(target, [group])[group]
    assert isinstance(found, dict)
    for place, value in found.items():
        assert isinstance(value, Committed)
        mirror.positions[place] = value.offset
        mirror.life = json.loads(value.metadata)["life"]
    return mirror


def test_work_moves_comes_back_and_moves_again(make_broker: Callable[..., BrokerProcess]) -> None:
    with two_sites(make_broker, naming="identity", adopt=("orders",)) as site:
        link, back = site.sync.link, replace(site.sync.link, source="b", target="a")
        produce_numbers(site.a, 0, 30)
        for most in (7, 5, 100):
            site.mirror.copy(PART, most)
        seen = consume_numbers(site.a, "orders", 20)
        _move(link, site.source, site.target)
        seen += consume_numbers(site.b, "orders", 4)
        produce_numbers(site.b, 30, 10)

        facts = look_back(back, site.target, site.source)
        assert failed(back_checks(facts)) == []
        fail_back(facts, site.source, _now())
        assert _told(back, site.target, site.source).copy_all(PART) == 10
        _move(back, site.target, site.source)
        seen += consume_numbers(site.a, "orders", 6)
        produce_numbers(site.a, 40, 5)

        facts = look_back(link, site.source, site.target)
        assert failed(back_checks(facts)) == []
        fail_back(facts, site.target, _now())
        assert _told(link, site.source, site.target).copy_all(PART) == 5
        _move(link, site.source, site.target)
        assert seen + consume_numbers(site.b, "orders", 15) == list(range(45))


def test_after_a_move_groups_are_the_targets_own(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker) as site:
        produce_numbers(site.a, 0, 30)
        site.mirror.copy_all(PART)
        consume_numbers(site.a, "orders", 12)
        duty = OffsetDuty(
            cluster_of(site.a.bootstrap), cluster_of(site.b.bootstrap), site.sync.link
        )
        duty.step(_now())
        _move(site.sync.link, site.source, site.target)
        back = {("a.orders", 0): Committed(3, -1, "")}
        assert commit_offsets(site.target, "g", back) == {("a.orders", 0): None}
        duty.step(_now() + site.sync.link.groups_every_ms)
        assert duty.status()["groups_paused"]
        assert duty.troubles == {}
        assert consume_numbers(site.b, "a.orders", 2) == [3, 4]
        duty.close()


def test_a_move_is_refused_while_something_is_not_copied(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker) as site:
        produce_numbers(site.a, 0, 30)
        site.mirror.copy(PART, 20)
        consume_numbers(site.a, "orders", 25)

        def late(_: float) -> None:
            produce_numbers(site.a, 30, 1)

        facts = look(site.sync.link, site.source, site.target, still_seconds=0, pause=late)
        assert [check.check for check in failed(checks_of(facts, 0))] == [
            "writers",
            "lag",
            "groups",
        ]


def test_a_lost_source_leaves_what_was_copied(make_broker: Callable[..., BrokerProcess]) -> None:
    with two_sites(make_broker, naming="identity", adopt=("orders",)) as site:
        produce_numbers(site.a, 0, 30)
        site.mirror.copy(PART, 20)
        consume_numbers(site.a, "orders", 12)
        site.sync.run()
        site.a.kill()
        facts = look_without_source(site.sync.link, site.target)
        assert [(s.kind, s.what) for s in steps_of(facts)] == [
            ("pause", "a->b"), ("promote", "orders")
        ]  # fmt: skip
        fail_over(facts, None, site.target, _now())
        assert consume_numbers(site.b, "orders", 8) == list(range(12, 20))
        assert ControlTopic(site.target, "a").catch_up().is_paused()


def test_with_a_prefix_groups_go_back_to_the_originals(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker) as site:
        back = replace(site.sync.link, source="b", target="a")
        produce_numbers(site.a, 0, 30)
        for most in (7, 5, 100):
            site.mirror.copy(PART, most)
        consume_numbers(site.a, "orders", 9)
        _move(site.sync.link, site.source, site.target)
        assert consume_numbers(site.b, "a.orders", 11) == list(range(9, 20))
        facts = look_back(back, site.target, site.source)
        assert failed(back_checks(facts)) == []
        assert [tuple(s) for s in back_steps(facts)] == [("commit", "g orders-0", "9 -> 20")]
        fail_back(facts, site.source, _now())
        assert consume_numbers(site.a, "orders", 10) == list(range(20, 30))


def test_a_way_back_tells_what_never_came(make_broker: Callable[..., BrokerProcess]) -> None:
    with two_sites(make_broker, naming="identity", adopt=("orders",)) as site:
        produce_numbers(site.a, 0, 30)
        site.mirror.copy(PART, 20)
        facts = look_back(replace(site.sync.link, source="b", target="a"), site.target, site.source)
        (check,) = failed(back_checks(facts))
        assert check.what == "offsets at a that never came to b, and stay: orders-0 (10)"


def test_a_way_back_counts_nothing_that_was_copied_before_the_original_was_made_anew(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker, naming="identity", adopt=("orders",)) as site:
        produce_numbers(site.a, 0, 30)
        site.mirror.copy_all(PART)
        assert delete_topics(site.source, ["orders"]) == {"orders": None}
        wait_for(lambda: site.source.metadata(["orders"]).topics[0].error_code, what="its end")
        make_topics(site.source, orders=1)
        produce_numbers(site.a, 100, 8)
        facts = look_back(replace(site.sync.link, source="b", target="a"), site.target, site.source)
        assert [check.what for check in failed(back_checks(facts))] == [
            "offsets at a that never came to b, and stay: orders-0 (8)"
        ]
