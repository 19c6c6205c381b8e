"""What is to be changed at the target, as plain values with a line for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.client.configs import AlterOp
from pykafka_ops.client.quotas import Entity
from pykafka_ops.mirror.control.state import TopicOrigin
from pykafka_ops.mirror.sync.choice import Choice
from pykafka_ops.security.acls.rules import AclBinding


class MakeTopic(NamedTuple):
    """A topic to make; ``replication_factor`` -1: the target's default."""

    topic: str
    partitions: int
    replication_factor: int
    configs: Mapping[str, str]


class GrowTopic(NamedTuple):
    """A topic that gets more partitions."""

    topic: str
    now: int
    wanted: int


class DropTopic(NamedTuple):
    """A topic to delete. ``is_gone``: its source seems to be no more; else another is there."""

    topic: str
    why: str
    is_gone: bool = False


class SetConfigs(NamedTuple):
    """Settings of a topic to change, each with what it is now (None: not set)."""

    topic: str
    changes: tuple[tuple[AlterOp, str, str | None], ...]
    now: Mapping[str, str | None]


class SetQuota(NamedTuple):
    """Quotas of an entity to set."""

    entity: Entity
    values: Mapping[str, float]


class SyncStep(NamedTuple):
    """A change as people read it: what kind, of what, how."""

    kind: str
    what: str
    how: str


@dataclass(slots=True)
class SyncPlan:
    """All changes of one link. ``notes`` are lines about what cannot be done."""

    choices: list[Choice] = field(default_factory=list)
    makes: list[MakeTopic] = field(default_factory=list)
    grows: list[GrowTopic] = field(default_factory=list)
    drops: list[DropTopic] = field(default_factory=list)
    configs: list[SetConfigs] = field(default_factory=list)
    acls: list[AclBinding] = field(default_factory=list)
    quotas: list[SetQuota] = field(default_factory=list)
    origins: dict[str, TopicOrigin | None] = field(default_factory=dict)
    """What the control topic is to say of topics of the target; None: nothing any more."""
    notes: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be changed."""
        changes = (self.makes, self.grows, self.drops, self.configs, self.acls, self.quotas)
        return not any(changes)

    def steps(self) -> list[SyncStep]:
        """The changes for people, in the order in which they are made."""
        found = [
            SyncStep(
                "create topic",
                m.topic,
                f"{m.partitions} partitions" + _given(m.configs),
            )
            for m in self.makes
        ]
        found += [SyncStep("add partitions", g.topic, f"{g.now} -> {g.wanted}") for g in self.grows]
        found += [SyncStep("delete topic", d.topic, d.why) for d in self.drops]
        for one in self.configs:
            found += [
                SyncStep("set config", one.topic, _changed(op, key, value, one.now.get(key)))
                for op, key, value in one.changes
            ]
        found += [SyncStep("add rule", a.resource.name, _rule(a)) for a in self.acls]
        found += [
            SyncStep("set quota", _entity(q.entity), _given(q.values, "")) for q in self.quotas
        ]
        return found


def _given(values: Mapping[str, object], before: str = ", ") -> str:
    text = ", ".join(f"{key}={value}" for key, value in values.items())
    return f"{before}{text}" if text else ""


def _changed(op: AlterOp, key: str, value: str | None, now: str | None) -> str:
    after = "the default" if op is AlterOp.DELETE else value
    return f"{key}: {'not set' if now is None else now} -> {after}"


def _rule(rule: AclBinding) -> str:
    entry = rule.entry
    return (
        f"{entry.permission.name} {entry.principal} from {entry.host} {entry.operation.name}, "
        f"{rule.resource.pattern.name}"
    )


def _entity(entity: Entity) -> str:
    return ", ".join(f"{kind} {'(default)' if name is None else name}" for kind, name in entity)
