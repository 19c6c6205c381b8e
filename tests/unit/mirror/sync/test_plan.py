"""What is to be changed at the target, out of what is known of both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pykafka_ops.client.configs import AlterOp, ConfigEntry
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import (
    MIRRORED,
    ControlState,
    TopicOrigin,
    origin_entry,
    source_entry,
)
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings
from pykafka_ops.mirror.sync.facts import MirroredTopic, MirrorFacts
from pykafka_ops.mirror.sync.make import check_clusters, make_plan
from pykafka_ops.mirror.sync.plan import SyncPlan
from pykafka_ops.mirror.sync.topics import unsure
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.settings.source import ConfigSource

LINK = LinkSettings("a", "b", sync_quotas=True, sync_users=True)


def facts(**topics: MirroredTopic) -> MirrorFacts:
    return MirrorFacts("id", topics)


def planned(
    source: MirrorFacts,
    target: MirrorFacts,
    link: LinkSettings = LINK,
    control: ControlState | None = None,
) -> SyncPlan:
    return make_plan(link, source, target, control or ControlState(), None)


def known(topic: str, origin: TopicOrigin) -> ControlState:
    found = ControlState()
    found.take([origin_entry(topic, origin)])
    return found


def entry(
    name: str,
    value: str | None,
    source: ConfigSource = ConfigSource.DYNAMIC_TOPIC_CONFIG,
    sensitive: bool = False,
) -> ConfigEntry:
    return ConfigEntry(name, value, source, False, sensitive, [], 0, None)


HERE = {"t": MirroredTopic("01", 3)}


def test_a_missing_topic_is_made_with_the_sources_partitions_and_settings() -> None:
    source = facts(**HERE)
    source.configs = {
        "t": [
            entry("retention.ms", "5"),
            entry("min.insync.replicas", "2"),
            entry("segment.bytes", "9", ConfigSource.DEFAULT_CONFIG),
            entry("flush.ms", "9", ConfigSource.STATIC_BROKER_CONFIG),
        ]
    }
    plan = planned(source, facts())
    (make,) = plan.makes
    assert make == ("a.t", 3, -1, {"retention.ms": "5"})
    assert plan.origins == {"a.t": TopicOrigin(MIRRORED, "01", "")}
    assert plan.steps()[0] == ("create topic", "a.t", "3 partitions, retention.ms=5")


def test_a_topic_grows_and_never_shrinks() -> None:
    target = MirrorFacts("x", {"a.t": MirroredTopic("02", 1)})
    assert planned(facts(**HERE), target).grows == [("a.t", 1, 3)]
    more = MirrorFacts("x", {"a.t": MirroredTopic("02", 5)})
    plan = planned(facts(**HERE), more)
    assert not plan.grows and "the last ones get nothing" in plan.notes[0]


def test_without_sync_of_topics_what_is_missing_is_told() -> None:
    link = replace(LINK, sync_topics=False)
    plan = planned(facts(**HERE), facts(), link)
    assert plan.is_empty and "a.t is not at b" in plan.notes[0]


def test_nothing_is_planned_for_what_is_alike() -> None:
    source = facts(**HERE)
    target = MirrorFacts("x", {"a.t": MirroredTopic("02", 3)})
    source.configs = {"t": [entry("retention.ms", "5")]}
    target.configs = {"a.t": [entry("retention.ms", "5")]}
    plan = planned(source, target, control=known("a.t", TopicOrigin(MIRRORED, "01", "02")))
    assert plan.is_empty and not plan.origins and not plan.notes


def test_settings_follow_the_source_in_both_directions() -> None:
    source = facts(**HERE)
    target = MirrorFacts("x", {"a.t": MirroredTopic("02", 3)})
    default = ConfigSource.DEFAULT_CONFIG
    source.configs = {
        "t": [
            entry("retention.ms", "5"),
            entry("max.message.bytes", "7", default),
            entry("segment.ms", "1"),
            entry("password", "x", sensitive=True),
            entry("new.setting", "1"),
        ]
    }
    target.configs = {
        "a.t": [
            entry("retention.ms", "6"),
            entry("max.message.bytes", "8"),
            entry("segment.ms", "1", default),
        ]
    }
    plan = planned(source, target)
    (change,) = plan.configs
    assert change.changes == (
        (AlterOp.SET, "retention.ms", "5"),
        (AlterOp.DELETE, "max.message.bytes", None),
        (AlterOp.SET, "segment.ms", "1"),
    )
    assert plan.notes == ["b knows no setting new.setting: topics have it at a alone"]
    assert [s.how for s in plan.steps()] == [
        "retention.ms: 6 -> 5",
        "max.message.bytes: 8 -> the default",
        "segment.ms: not set -> 1",
    ]


def test_defaults_of_the_source_are_written_down_where_wanted() -> None:
    source = facts(**HERE)
    source.configs = {"t": [entry("segment.ms", "9", ConfigSource.DEFAULT_CONFIG)]}
    plan = planned(source, facts(), replace(LINK, defaults_from="source"))
    assert plan.makes[0].configs == {"segment.ms": "9"}


MADE = known("a.t", TopicOrigin(MIRRORED, "01", "02"))
GONE = MirrorFacts("id", {}, frozenset({"t"}))
THERE = MirrorFacts("x", {"a.t": MirroredTopic("02", 3)})
DELETING = replace(LINK, deletes="delete")


def test_a_deleted_topic_is_deleted_where_that_is_wanted() -> None:
    assert planned(GONE, THERE, DELETING, MADE).drops == [("a.t", "t was deleted at a", True)]
    assert not planned(GONE, THERE, LINK, MADE).drops


@pytest.mark.parametrize(
    ("source", "target", "control"),
    [
        (MirrorFacts("id", {}), THERE, MADE),
        (GONE, MirrorFacts("x", {"a.t": MirroredTopic("03", 3)}), MADE),
        (GONE, MirrorFacts("x", {"a.t": MirroredTopic("", 3)}), MADE),
        (GONE, THERE, ControlState()),
    ],
    ids=["not seen only", "made anew by others", "no id to go by", "not ours"],
)
def test_nothing_else_is_deleted(
    source: MirrorFacts, target: MirrorFacts, control: ControlState
) -> None:
    assert not planned(source, target, DELETING, control).drops


def test_a_topic_made_anew_is_deleted_first_or_goes_on() -> None:
    anew = facts(t=MirroredTopic("09", 3))
    (drop,) = planned(anew, THERE, DELETING, MADE).drops
    assert drop == ("a.t", "t was made anew at a", False)
    assert unsure(planned(anew, THERE, DELETING, MADE)).drops == [drop]
    assert not unsure(planned(GONE, THERE, DELETING, MADE)).drops
    plan = planned(anew, THERE, LINK, MADE)
    assert not plan.drops and plan.origins == {"a.t": TopicOrigin(MIRRORED, "09", "02")}


def test_a_topic_that_the_target_does_not_show_for_a_while_is_still_known_by_its_id() -> None:
    """A broker that starts tells of no topics at first; the source's is made anew meanwhile."""
    anew = facts(t=MirroredTopic("09", 3))
    plan = planned(anew, MirrorFacts("x", {}), DELETING, MADE)
    assert [make.topic for make in plan.makes] == ["a.t"]  # refused: it is there
    assert not plan.origins
    (drop,) = planned(anew, THERE, DELETING, MADE).drops
    assert drop.topic == "a.t"
    other = MirrorFacts("x", {"a.t": MirroredTopic("03", 3)})
    assert planned(anew, other, DELETING, MADE).origins == {
        "a.t": TopicOrigin(MIRRORED, "09", "03")
    }


def rule(
    name: str,
    operation: Operation = Operation.READ,
    permission: Permission = Permission.ALLOW,
    pattern: PatternType = PatternType.LITERAL,
    kind: ResourceType = ResourceType.TOPIC,
) -> AclBinding:
    return AclBinding(
        ResourcePattern(kind, name, pattern), AclEntry("User:x", "*", operation, permission)
    )


def test_rules_let_nobody_write_at_the_target() -> None:
    source, target = facts(**HERE), MirrorFacts("x", {"a.t": MirroredTopic("02", 3)})
    source.acls = [
        rule("t"),
        rule("t", Operation.WRITE),
        rule("t", Operation.WRITE, Permission.DENY),
        rule("t", Operation.ALL),
        rule("t", Operation.DESCRIBE),
        rule("other"),
        rule("t", pattern=PatternType.PREFIXED),
        rule("g", kind=ResourceType.GROUP),
        rule("*", Operation.DESCRIBE_CONFIGS),
    ]
    target.acls = [rule("a.t", Operation.DESCRIBE)]
    assert planned(source, target).acls == [
        rule("a.t"),
        rule("a.t", Operation.WRITE, Permission.DENY),
        rule("a.", Operation.DESCRIBE_CONFIGS, pattern=PatternType.PREFIXED),
    ]
    link = replace(LINK, naming=IDENTITY, adopt=(".*",))
    target = MirrorFacts("x", {"t": MirroredTopic("02", 3)}, acls=[])
    assert rule("*", Operation.DESCRIBE_CONFIGS) not in planned(source, target, link).acls


def test_quotas_that_differ_are_set() -> None:
    source, target = facts(), MirrorFacts("x", {})
    alice, bob = (("user", "alice"),), (("user", None),)
    source.quotas = {alice: {"producer_byte_rate": 5.0}, bob: {"request_percentage": 1.0}}
    target.quotas = {alice: {"producer_byte_rate": 5.0}, bob: {"request_percentage": 2.0}}
    plan = planned(source, target)
    assert plan.quotas == [(bob, {"request_percentage": 1.0})]
    assert plan.steps()[0].what == "user (default)"


def test_passwords_that_cannot_be_read_are_told_by_user() -> None:
    source, target = facts(), MirrorFacts("x", {})
    source.users = {"alice": {"SCRAM-SHA-512": 4096}, "bob": {"SCRAM-SHA-256": 4096}}
    target.users = {"bob": {"SCRAM-SHA-256": 8192}}
    (note,) = planned(source, target).notes
    assert "user alice" in note and "pko users add alice --mechanism SCRAM-SHA-512" in note


def test_what_was_not_answered_changes_nothing() -> None:
    source = facts(**HERE)
    source.configs, source.acls, source.quotas = {}, [rule("t")], {(("user", "x"),): {"a": 1.0}}
    target = MirrorFacts("x", {"a.t": MirroredTopic("02", 3)})
    assert planned(source, target).is_empty


def test_of_two_directions_that_claim_a_topic_one_yields() -> None:
    claim = known("t", TopicOrigin(MIRRORED, "01", "02"))
    both = {"t": MirroredTopic("01", 1)}
    one = LinkSettings("a", "b", naming=IDENTITY, adopt=(".*",))
    sides = MirrorFacts("x", both), MirrorFacts("y", both)
    stays = make_plan(one, *sides, claim, claim)
    yields = make_plan(replace(one, source="b", target="a"), *sides, claim, claim)
    assert not stays.choices[0].mirrored and not stays.origins
    assert not yields.choices[0].mirrored and yields.origins == {"t": None}
    alone = make_plan(one, *sides, claim, ControlState())
    assert alone.choices[0].mirrored


def test_one_cluster_under_two_names_is_refused() -> None:
    with pytest.raises(PkoError, match="are the same cluster"):
        check_clusters(LINK, facts(), facts(), ControlState())


def test_another_cluster_under_the_name_of_the_source_is_refused() -> None:
    control = ControlState()
    control.take([source_entry("before")])
    with pytest.raises(PkoError, match="a is cluster id now, it was before"):
        check_clusters(LINK, facts(), MirrorFacts("x", {}), control)
    control.take([source_entry("id")])
    assert check_clusters(LINK, facts(), MirrorFacts("x", {}), control) is None
