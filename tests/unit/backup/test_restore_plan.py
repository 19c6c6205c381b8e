"""What a restore is to do, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.backup.chain import Chain, chain_of
from pykafka_ops.backup.manifest import (
    CommitEntry,
    GroupEntry,
    KeptTopic,
    QuotaEntry,
    RuleEntry,
    RunEntry,
)
from pykafka_ops.backup.restore.plan import (
    CONFLICT,
    CONTINUE,
    CREATE,
    AtTarget,
    RestoreWishes,
    make_plan,
)

RULE = RuleEntry("TOPIC", "orders", "LITERAL", "User:a", "*", "READ", "ALLOW")
QUOTA = QuotaEntry((("user", "a"),), {"producer_byte_rate": 1.0})
NOBODY = AtTarget(1, {}, {}, (), {}, set(), set())


def chain(*names: str) -> Chain:
    topics = tuple(
        KeptTopic(n, "aa", 2, 3, {"retention.ms": "5", "segment.ms": "7"}) for n in names
    )
    groups = tuple(GroupEntry(f"g-{n}", "Empty", (CommitEntry(n, 0, 5, -1, ""),)) for n in names)
    run = RunEntry(1, True, 0, 0, "c", topics, (), groups, (RULE,), (QUOTA,), ("alice",))
    return chain_of([run])


def wishes(
    *topics: str, named: Callable[[str], str] = str, copies: int = 0, rest: bool = True
) -> RestoreWishes:
    return RestoreWishes(topics, named, lambda name: rest, copies, rest)


def test_a_topic_that_is_not_there_is_made_with_as_many_replicas_as_there_are_brokers() -> None:
    (plan,) = make_plan(chain("orders"), wishes("orders"), NOBODY).topics
    assert (plan.action, plan.target, plan.replication_factor) == (CREATE, "orders", 1)
    large = NOBODY._replace(brokers=5)
    assert make_plan(chain("orders"), wishes("orders"), large).topics[0].replication_factor == 3
    two = make_plan(chain("orders"), wishes("orders", copies=2), large)
    assert two.topics[0].replication_factor == 2


def test_nothing_is_deleted_or_stamped_while_a_topic_is_filled() -> None:
    (plan,) = make_plan(chain("orders"), wishes("orders"), NOBODY).topics
    assert plan.configs_meanwhile == {
        "segment.ms": "7",
        "cleanup.policy": "delete",
        "message.timestamp.type": "CreateTime",
        "retention.bytes": "-1",
        "retention.ms": "-1",
    }


def test_an_empty_topic_or_one_that_was_begun_is_gone_on_with() -> None:
    ends = {("orders", 0): 0, ("orders", 1): 0}
    empty = NOBODY._replace(topics={"orders": 2}, ends=ends)
    assert make_plan(chain("orders"), wishes("orders"), empty).topics[0].action == CONTINUE
    begun = empty._replace(ends={("orders", 0): 9, ("orders", 1): 0}, positions={("orders", 0)})
    assert make_plan(chain("orders"), wishes("orders"), begun).topics[0].action == CONTINUE


def test_a_topic_with_records_or_other_partitions_is_left_alone() -> None:
    full = NOBODY._replace(topics={"orders": 2}, ends={("orders", 0): 9, ("orders", 1): 0})
    (plan,) = make_plan(chain("orders"), wishes("orders"), full).topics
    assert plan.action == CONFLICT and "there are records" in plan.why
    other = NOBODY._replace(topics={"orders": 3})
    (plan,) = make_plan(chain("orders"), wishes("orders"), other).topics
    assert plan.action == CONFLICT and "3 partitions, the backup 2" in plan.why
    under = make_plan(chain("orders"), wishes("orders", named=lambda n: f"old.{n}"), full)
    assert under.topics[0].action == CREATE


def test_two_topics_never_become_one() -> None:
    plan = make_plan(chain("a", "b"), wishes("a", "b", named=lambda n: "x"), NOBODY)
    assert [one.action for one in plan.topics] == [CREATE, CONFLICT]
    assert "a has that name" in plan.topics[1].why


def test_only_groups_of_restored_topics_without_members_get_offsets() -> None:
    there = NOBODY._replace(groups={"g-a": "Stable", "g-b": "Empty"})
    plan = make_plan(chain("a", "b", "c"), wishes("a", "b"), there)
    assert [(g.group.id, bool(g.why)) for g in plan.groups] == [("g-a", True), ("g-b", False)]
    assert make_plan(chain("a"), wishes("a", rest=False), there).groups == []


def test_rules_and_quotas_that_are_there_are_left() -> None:
    plan = make_plan(chain("a"), wishes("a"), NOBODY)
    assert (plan.rules, plan.quotas) == ([RULE], [QUOTA])
    there = NOBODY._replace(rules={RULE}, quotas={QUOTA.entity})
    plan = make_plan(chain("a"), wishes("a"), there)
    assert (plan.rules, plan.quotas) == ([], [])


def test_what_cannot_be_restored_is_named() -> None:
    there = NOBODY._replace(rules=None, quotas=None)
    notes = " ".join(make_plan(chain("a"), wishes("a"), there).notes)
    assert "1 access rules are not restored" in notes and "1 quotas" in notes
    assert "alice" in notes
    assert make_plan(chain("a"), wishes("a", rest=False), there).notes == []
