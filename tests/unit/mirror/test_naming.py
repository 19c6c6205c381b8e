"""Names at the target, and loops that names give away."""

from __future__ import annotations

import pytest

from pykafka_ops.mirror.naming import Naming, is_internal, is_own_group, link_id
from pykafka_ops.mirror.settings.model import LinkSettings, MirrorSettings

PREFIX = Naming("a", "b")
IDENTITY = Naming("a", "b", identity=True)


def test_prefix_puts_the_source_before_the_name() -> None:
    assert PREFIX.target_topic("orders") == "a.orders"
    assert PREFIX.source_topic("a.orders") == "orders"
    assert PREFIX.source_topic("orders") is None
    assert PREFIX.source_topic("a.") is None


def test_identity_keeps_names_apart_from_heartbeats() -> None:
    assert IDENTITY.target_topic("orders") == "orders"
    assert IDENTITY.source_topic("orders") == "orders"
    assert IDENTITY.target_topic("heartbeats") == "a.heartbeats"
    assert IDENTITY.source_topic("heartbeats") is None


@pytest.mark.parametrize("topic", ["b.orders", "c.b.orders"])
def test_what_came_through_the_target_goes_round(topic: str) -> None:
    assert PREFIX.goes_round(topic)
    assert not IDENTITY.goes_round(topic)


@pytest.mark.parametrize("topic", ["orders", "c.orders", "orders.b", "a.orders", "bb.orders"])
def test_other_names_do_not_go_round(topic: str) -> None:
    assert not PREFIX.goes_round(topic)


def test_mirrored_heartbeats_go_round_with_identity_too() -> None:
    assert IDENTITY.goes_round("b.heartbeats")


def test_another_separator_is_used_both_ways() -> None:
    naming = Naming.of(LinkSettings("a", "b", separator="_"))
    assert naming.target_topic("x.y") == "a_x.y"
    assert naming.source_topic("a_x.y") == "x.y"
    assert naming.goes_round("b_x") and not naming.goes_round("b.x")


@pytest.mark.parametrize(
    "topic", ["__consumer_offsets", "pko-mirror.a.map.internal", "mm2-x.internal", "x.replica"]
)
def test_internal_topics_are_known_by_name(topic: str) -> None:
    assert is_internal(topic)
    assert not is_internal("orders" + topic.replace(".", "_"))


def test_a_mirrors_own_group_is_known_by_name() -> None:
    assert is_own_group(link_id("a", "b"))
    assert not is_own_group("billing")


def test_a_link_is_found_by_name() -> None:
    link = LinkSettings("a", "b")
    settings = MirrorSettings({}, (link,))
    assert settings.link("a->b") is link
    assert settings.link("b->a") is None


def test_exactly_once_reads_committed_records_whatever_the_isolation() -> None:
    link = LinkSettings("a", "b", isolation="read_uncommitted")
    assert link.read_committed
    assert not LinkSettings(
        "a", "b", exactly_once=False, isolation="read_uncommitted"
    ).read_committed
