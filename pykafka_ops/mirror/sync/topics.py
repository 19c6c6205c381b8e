"""Which topics are to be made, grown and deleted at the target. Pure.

A topic of the target is deleted only if the records of this link say that it made it, under the id
that it still has, and the source says that the topic it was made of is no more.
Source: MirrorSourceConnector.computeAndCreateTopicPartitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pykafka_ops.client.configs import AlterOp
from pykafka_ops.mirror.control.state import MIRRORED, ControlState, TopicOrigin
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import Choice
from pykafka_ops.mirror.sync.configs import wanted_configs
from pykafka_ops.mirror.sync.facts import MirroredTopic, MirrorFacts
from pykafka_ops.mirror.sync.plan import DropTopic, GrowTopic, MakeTopic, SyncPlan


def plan_topics(
    link: LinkSettings,
    plan: SyncPlan,
    source: MirrorFacts,
    target: MirrorFacts,
    control: ControlState,
) -> None:
    """Add to ``plan`` what its ``choices`` need. ``control`` is that of the link."""
    for choice in plan.choices:
        if choice.mirrored:
            _plan_one(link, plan, choice, source, target, control)
    if link.deletes == "delete":
        _plan_deletes(plan, link, source, target, control)


def _plan_one(
    link: LinkSettings,
    plan: SyncPlan,
    choice: Choice,
    source: MirrorFacts,
    target: MirrorFacts,
    control: ControlState,
) -> None:
    here, there = source.topics[choice.topic], target.topics.get(choice.target)
    known = control.topics.get(choice.target)
    if there is not None and _is_made_anew(here, there, known) and link.deletes == "delete":
        plan.drops.append(
            DropTopic(choice.target, f"{choice.topic} was made anew at {link.source}")
        )
        return
    if there is None:
        if not link.sync_topics:
            plan.notes.append(
                f"{choice.target} is not at {link.target}, and sync-topics is off: make it"
            )
            return
        configs = _first_configs(link, choice.topic, source, target)
        factor = link.replication_factor or -1
        plan.makes.append(MakeTopic(choice.target, here.partitions, factor, configs))
    elif there.partitions < here.partitions:
        if link.sync_topics:
            plan.grows.append(GrowTopic(choice.target, there.partitions, here.partitions))
        else:
            plan.notes.append(
                f"{choice.target} has {there.partitions} partitions at {link.target} and "
                f"{here.partitions} at {link.source}, and sync-topics is off: add them"
            )
    elif there.partitions > here.partitions:
        plan.notes.append(
            f"{choice.target} has {there.partitions} partitions at {link.target} and "
            f"{here.partitions} at {link.source}: the last ones get nothing"
        )
    origin = TopicOrigin(MIRRORED, here.id, there.id if there is not None else "")
    if known != origin and not (there is None and _is_kept(known)):
        plan.origins[choice.target] = origin


def _is_kept(known: TopicOrigin | None) -> bool:
    """Whether what is known of a topic stands though the target does not show it: a broker that
    starts does not know all of its topics at once, and by its id the topic is told from another."""
    return known is not None and known.state == MIRRORED and bool(known.target_id)


def _is_made_anew(here: MirroredTopic, there: MirroredTopic, known: TopicOrigin | None) -> bool:
    """Whether the source's topic is another one than that whose records the target's has."""
    if known is None or known.state != MIRRORED or not (known.source_id and here.id):
        return False
    return known.source_id != here.id and bool(there.id) and known.target_id == there.id


def _first_configs(
    link: LinkSettings, topic: str, source: MirrorFacts, target: MirrorFacts
) -> Mapping[str, str]:
    if not link.sync_configs or source.configs is None:
        return {}
    known = {e.name for entries in (target.configs or {}).values() for e in entries}
    changes = wanted_configs(link, source.configs.get(topic, []))
    return {
        key: value
        for key, (op, value) in changes.items()
        if op is AlterOp.SET and value is not None and (not known or key in known)
    }


def _plan_deletes(
    plan: SyncPlan,
    link: LinkSettings,
    source: MirrorFacts,
    target: MirrorFacts,
    control: ControlState,
) -> None:
    chosen = {choice.target for choice in plan.choices if choice.mirrored}
    names = {choice.target: choice.topic for choice in plan.choices}
    for name, origin in control.topics.items():
        there = target.topics.get(name)
        if name in chosen or there is None or origin.state != MIRRORED:
            continue
        if not there.id or there.id != origin.target_id:
            continue
        topic = names.get(name, _source_name(link, name))
        if topic in source.gone:
            plan.drops.append(
                DropTopic(name, f"{topic} was deleted at {link.source}", is_gone=True)
            )


def _source_name(link: LinkSettings, target: str) -> str:
    from pykafka_ops.mirror.naming import Naming

    return Naming.of(link).source_topic(target) or target


def unsure(plan: SyncPlan) -> SyncPlan:
    """The plan as long as it is not sure that what is gone stays gone."""
    return replace(plan, drops=[drop for drop in plan.drops if not drop.is_gone])
