"""Which topics a link mirrors, and why or why not."""

from __future__ import annotations

import pytest

from pykafka_ops.mirror.control.state import (
    MIRRORED,
    PROMOTED,
    ControlState,
    TopicOrigin,
    origin_entry,
)
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser

LINK = LinkSettings("a", "b", topics=("orders.*", "pay"), exclude_topics=("orders-old",))
SAME = LinkSettings("a", "b", naming=IDENTITY)


def origin(topic: str, state: str) -> ControlState:
    found = ControlState()
    found.take([origin_entry(topic, TopicOrigin(state))])
    return found


@pytest.mark.parametrize(
    ("topic", "why"),
    [
        ("orders-1", "matches orders.*"),
        ("pay", "matches pay"),
        ("orders-old", "excluded by orders-old"),
        ("other", "no pattern of topics matches"),
        ("__consumer_offsets", "an internal topic"),
        ("x.internal", "an internal topic"),
        ("b.orders", "came from b: it would go round in a loop"),
        ("orders" + "x" * 243, "a.ordersxxxxx"),
    ],
)
def test_each_topic_has_its_reason(topic: str, why: str) -> None:
    choice = LinkChooser(LINK).topic(topic)
    assert why in choice.why
    assert choice.mirrored == choice.why.startswith("matches")


def test_heartbeats_are_mirrored_where_mirror_maker_is_spoken() -> None:
    assert not LinkChooser(LINK).topic("heartbeats").mirrored
    spoken = LinkSettings("a", "b", topics=(), mm2=True)
    assert LinkChooser(spoken).topic("heartbeats").mirrored
    assert LinkChooser(spoken).topic("heartbeats").target == "a.heartbeats"
    assert not LinkChooser(spoken).topic("b.heartbeats").mirrored


def test_with_identity_what_was_mirrored_from_the_target_does_not_go_back() -> None:
    choice = LinkChooser(SAME).topic("t", None, origin("t", MIRRORED))
    assert not choice.mirrored and choice.why == "is itself mirrored from b"


def test_a_topic_that_failed_over_is_not_mirrored_any_more() -> None:
    choice = LinkChooser(SAME).topic("t", origin("t", PROMOTED), None, ["t"])
    assert not choice.mirrored and "by a failover" in choice.why


def test_with_identity_a_topic_of_somebody_else_is_a_conflict() -> None:
    choice = LinkChooser(SAME).topic("t", None, None, ["t"])
    assert choice.conflict and not choice.mirrored and "adopt" in choice.why
    assert LinkChooser(SAME).topic("t", origin("t", MIRRORED), None, ["t"]).mirrored
    adopting = LinkSettings("a", "b", naming=IDENTITY, adopt=("t",))
    assert LinkChooser(adopting).topic("t", None, None, ["t"]).mirrored


def test_with_a_prefix_the_name_says_who_made_a_topic() -> None:
    assert LinkChooser(LINK).topic("pay", None, None, ["a.pay"]).mirrored


def test_groups_are_chosen_by_pattern() -> None:
    chooser = LinkChooser(LinkSettings("a", "b", groups=("g.*",)))
    assert chooser.group("g1").mirrored
    assert chooser.group("x").why == "no pattern of groups matches"
    assert chooser.group("console-consumer-1").why == "excluded by console-consumer-.*"
    assert chooser.group("pko-mirror.a-b").why == "a mirror's own group"
