"""Looks at both clusters of a link again and again, and makes the target follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.control.state import ControlState, source_entry
from pykafka_ops.mirror.control.topic import COMPACTED, ControlTopic
from pykafka_ops.mirror.copy.pieces import DEFAULT_MAX_BYTES, TargetLimits
from pykafka_ops.mirror.copy.tasks import CopyTask
from pykafka_ops.mirror.naming import Naming, map_topic
from pykafka_ops.mirror.run.clients import at, connected
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.run.told import Told
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings
from pykafka_ops.mirror.sync.apply import apply_plan
from pykafka_ops.mirror.sync.facts import MirrorFacts
from pykafka_ops.mirror.sync.look import add_configs, add_rest, topics_of_cluster
from pykafka_ops.mirror.sync.make import check_clusters, make_plan
from pykafka_ops.mirror.sync.plan import SyncPlan
from pykafka_ops.mirror.sync.topics import unsure
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

SURE_MS: Final = 60_000
"""How long a topic must be gone at the source before it is deleted at the target."""
MAP_PARTITIONS: Final = 8


class Syncer:
    """Of one link, used by one thread. ``close`` when done."""

    def __init__(self, link: LinkSettings, source: ClientConfig, target: ClientConfig) -> None:
        self.link = link
        self.source, self.target = connected(source), connected(target)
        self.control = ControlTopic(self.target, link.source)
        self._reverse = ControlTopic(self.source, link.target)
        self._naming = Naming.of(link)
        self._gone: dict[str, int] = {}
        self._limits: dict[str, TargetLimits] = {}

    def close(self) -> None:
        """Close the connections."""
        self.source.close()
        self.target.close()

    def control_state(self) -> ControlState:
        """What is paused now, and the like. Raises PkoError."""
        with at(self.link.target):
            return self.control.catch_up().snapshot()

    def look(self, now_ms: int, *, deep: bool) -> tuple[LinkOutlook, MirrorFacts, MirrorFacts]:
        """Both clusters, and what to do; nothing is changed. Raises PkoError.

        ``deep``: look at settings, rules, quotas and users too, not at topics alone.
        """
        own = self.control_state()
        names = [s for t in own.topics if (s := self._naming.source_topic(t)) is not None]
        with at(self.link.source):
            source = topics_of_cluster(self.source, names)
            reverse = self._reverse.catch_up()
        with at(self.link.target):
            target = topics_of_cluster(self.target)
        check_clusters(self.link, source, target, own)
        plan = make_plan(self.link, source, target, own, reverse)
        self._add_settings(source, target, plan, deep=deep)
        plan = make_plan(self.link, source, target, own, reverse)
        self._limits.update(limits_of(target.configs or {}))
        if not self._is_sure(source, now_ms):
            plan = unsure(plan)
        outlook = LinkOutlook(now_ms, plan, own.snapshot(), self._tasks(plan, source, target, own))
        sides = ((self.link.source, source), (self.link.target, target))
        outlook.troubles = {
            f"{line.partition(':')[0]} of {alias}": line.partition(": ")[2]
            for alias, facts in sides
            for line in facts.troubles
        }
        return outlook, source, target

    def apply(self, outlook: LinkOutlook, source: MirrorFacts, now_ms: int, told: Told) -> bool:
        """Make the target follow; whether anything was changed. Raises PkoError."""
        with at(self.link.target):
            return self._apply(outlook, source, now_ms, told)

    def _apply(self, outlook: LinkOutlook, source: MirrorFacts, now_ms: int, told: Told) -> bool:
        self._ensure_own_topics()
        if outlook.control.source_cluster is None and source.cluster_id is not None:
            self.control.write([source_entry(source.cluster_id)], now_ms)
        plan = outlook.plan
        identity = self.link.naming == IDENTITY
        done = apply_plan(plan, self.target, self.control, now_ms, identity=identity)
        for one in done:
            if one.trouble is None:
                told.fact(one.what)
        outlook.troubles = {
            **outlook.troubles, **{d.what: d.trouble for d in done if d.trouble is not None},
        }  # fmt: skip
        return bool(done or plan.origins)

    def _add_settings(
        self, source: MirrorFacts, target: MirrorFacts, plan: SyncPlan, *, deep: bool
    ) -> None:
        """Settings of all topics, or (not ``deep``) of those that are to be made; of the target's
        those too whose limits are not known yet."""
        made = {make.topic for make in plan.makes}
        chosen = [c for c in plan.choices if c.mirrored]
        here = [c.topic for c in chosen if deep or c.target in made]
        there = [c.target for c in chosen if deep or c.target not in self._limits]
        if self.link.sync_configs and here:
            add_configs(source, self.source, here)
        some = [self.control.name] if made and not there else []
        if there or some:
            add_configs(target, self.target, [*there, *some])
        if deep:
            add_rest(source, self.source, self.link)
            add_rest(target, self.target, self.link)

    def _tasks(
        self, plan: SyncPlan, source: MirrorFacts, target: MirrorFacts, own: ControlState
    ) -> Mapping[Partition, CopyTask]:
        """Partitions that are on both sides. Without a prefix only those of topics that the link
        has claimed, before the other direction was asked for its claims."""
        start = LATEST if self.link.start == "latest" else EARLIEST
        dropped = {drop.topic for drop in plan.drops}
        tasks = {}
        for choice in plan.choices:
            there = target.topics.get(choice.target)
            if not choice.mirrored or there is None or choice.target in dropped:
                continue
            if self._naming.identity and not own.made_here(choice.target):
                continue
            here = source.topics[choice.topic]
            topic_id = bytes.fromhex(here.id) if here.id else ZERO_UUID
            limits = self._limits.get(choice.target, TargetLimits())
            for n in range(min(here.partitions, there.partitions)):
                tasks[choice.topic, n] = CopyTask((choice.target, n), start, topic_id, limits)
        return tasks

    def _is_sure(self, source: MirrorFacts, now_ms: int) -> bool:
        """Whether all that is gone has been gone for a while: a cluster that starts may not know
        all of its topics yet."""
        self._gone = {name: self._gone.get(name, now_ms) for name in source.gone}
        return all(now_ms - since >= SURE_MS for since in self._gone.values())

    def _ensure_own_topics(self) -> None:
        self.control.ensure(self.link.replication_factor)
        name = map_topic(self.link.source)
        factor = self.link.replication_factor or -1
        if name in self._limits:
            return
        wanted = NewTopic(name, MAP_PARTITIONS, factor, configs=COMPACTED)
        made = create_topics(self.target, [wanted])[name]
        if isinstance(made, KafkaError) and made.code != ErrorCode.TOPIC_ALREADY_EXISTS:
            raise PkoError(f"cannot make {name} at {self.link.target}: {made.message}")
        self._limits[name] = TargetLimits()


def limits_of(configs: Mapping[str, list[ConfigEntry]]) -> dict[str, TargetLimits]:
    """What topics of the target take, by their settings. Pure."""
    found = {}
    for topic, entries in configs.items():
        values = {e.name: e.value for e in entries}
        size = values.get("max.message.bytes") or ""
        appended = values.get("message.timestamp.type") == "LogAppendTime"
        most = int(size) if size.isascii() and size.isdigit() else DEFAULT_MAX_BYTES
        found[topic] = TargetLimits(most, appended)
    return found
