"""What a restore is to do, out of what a backup holds and what the target has. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from pykafka_ops.backup.chain import Chain, Partition
from pykafka_ops.backup.manifest import GroupEntry, KeptTopic, QuotaEntry, RuleEntry, RunEntry

Action = Literal["create", "continue", "conflict"]
CREATE: Final = "create"
CONTINUE: Final = "continue"
CONFLICT: Final = "conflict"

WHILE_RESTORED: Final = {
    "cleanup.policy": "delete",
    "message.timestamp.type": "CreateTime",
    "retention.bytes": "-1",
    "retention.ms": "-1",
}
"""Settings of a topic until all records are there: nothing is deleted, every time is kept."""
EMPTY_STATES: Final = ("Empty", "Dead", "")
"""Of groups whose offsets may be written: nobody reads there."""


class AtTarget(NamedTuple):
    """What the target has: topics by name with their partitions, where logs end, positions of a
    restore that was cut off (by target partition), states of groups, and what is there of rules
    and quotas (None: could not be asked)."""

    brokers: int
    topics: Mapping[str, int]
    ends: Mapping[Partition, int]
    positions: Collection[Partition]
    groups: Mapping[str, str]
    rules: Collection[RuleEntry] | None
    quotas: Collection[tuple[tuple[str, str | None], ...]] | None


class TopicRestore(NamedTuple):
    """A topic and its name at the target; ``why`` it cannot be restored, for a conflict."""

    topic: KeptTopic
    target: str
    action: Action
    replication_factor: int
    why: str = ""

    @property
    def configs_meanwhile(self) -> dict[str, str]:
        """Its settings until all records are there."""
        return {**self.topic.configs, **WHILE_RESTORED}


class GroupRestore(NamedTuple):
    """A group whose offsets are to be written; ``why`` not, else ""."""

    group: GroupEntry
    why: str = ""


@dataclass(slots=True)
class RestorePlan:
    """All that is to be done. ``notes``: what cannot be, in a sentence each."""

    run: RunEntry
    topics: list[TopicRestore] = field(default_factory=list)
    groups: list[GroupRestore] = field(default_factory=list)
    rules: list[RuleEntry] = field(default_factory=list)
    quotas: list[QuotaEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def restored(self) -> list[TopicRestore]:
        """The topics that are restored."""
        return [one for one in self.topics if one.action != CONFLICT]


class RestoreWishes(NamedTuple):
    """What is asked for. ``named``: the target's name of a topic; ``replication_factor`` 0: that of
    the backup."""

    topics: Collection[str]
    named: Callable[[str], str]
    group: Callable[[str], bool]
    replication_factor: int = 0
    rest: bool = True


def make_plan(chain: Chain, wishes: RestoreWishes, there: AtTarget) -> RestorePlan:
    """Of the newest run of the chain."""
    run = chain.newest
    assert run is not None
    plan = RestorePlan(run)
    taken: dict[str, str] = {}
    for name in sorted(wishes.topics):
        topic = chain.topics[name]
        made = _topic(topic, wishes, there)
        if made.target in taken:
            why = f"{taken[made.target]} has that name at the target, too"
            made = made._replace(action=CONFLICT, why=why)
        taken.setdefault(made.target, name)
        plan.topics.append(made)
    _plan_groups(plan, chain, wishes, there)
    if wishes.rest:
        _plan_rest(plan, run, there)
    return plan


def _topic(topic: KeptTopic, wishes: RestoreWishes, there: AtTarget) -> TopicRestore:
    target = wishes.named(topic.name)
    copies = wishes.replication_factor or min(topic.replication_factor, there.brokers)
    plan = TopicRestore(topic, target, CREATE, copies)
    partitions = there.topics.get(target)
    if partitions is None:
        return plan
    places = [(target, n) for n in range(partitions)]
    begun = any(place in there.positions for place in places)
    if partitions != topic.partitions:
        why = f"the topic there has {partitions} partitions, the backup {topic.partitions}"
    elif begun or all(there.ends.get(place) == 0 for place in places):
        return plan._replace(action=CONTINUE)
    else:
        why = "there are records in the topic at the target"
    return plan._replace(action=CONFLICT, why=f"{why}: restore it under another name (--prefix)")


def _plan_groups(plan: RestorePlan, chain: Chain, wishes: RestoreWishes, there: AtTarget) -> None:
    restored = {one.topic.name for one in plan.restored}
    for group in plan.run.groups:
        if not wishes.group(group.id) or not any(c.topic in restored for c in group.commits):
            continue
        state = there.groups.get(group.id, "")
        why = "" if state in EMPTY_STATES else f"it has members at the target ({state})"
        plan.groups.append(GroupRestore(group, why))


def _plan_rest(plan: RestorePlan, run: RunEntry, there: AtTarget) -> None:
    if there.rules is not None:
        plan.rules = [rule for rule in run.rules if rule not in there.rules]
    elif run.rules:
        plan.notes.append(
            f"{len(run.rules)} access rules are not restored: the target has no authorizer, or "
            "does not show its rules"
        )
    if there.quotas is not None:
        plan.quotas = [quota for quota in run.quotas if quota.entity not in there.quotas]
    elif run.quotas:
        plan.notes.append(f"{len(run.quotas)} quotas are not restored: the target did not answer")
    if run.users:
        plan.notes.append(
            "passwords of SCRAM users are in no backup; set them (pko users): " + shown(run.users)
        )


def shown(names: Sequence[str], most: int = 10) -> str:
    """The first of some names."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
