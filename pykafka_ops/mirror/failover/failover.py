"""Moves the work to the target of a link. Every step may be done again."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import fetch_offsets
from pykafka_ops.errors import CheckFailed, PkoError
from pykafka_ops.mirror.control.state import (
    PROMOTED,
    MirrorPause,
    TopicOrigin,
    origin_entry,
    pause_entry,
)
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.failover.checks import named, unequal
from pykafka_ops.mirror.failover.facts import LinkFacts
from pykafka_ops.mirror.groups.sync import GroupSync
from pykafka_ops.mirror.settings.model import IDENTITY


def fail_over(facts: LinkFacts, source: Cluster | None, target: Cluster, now_ms: int) -> None:
    """Pause the link, commit the groups' offsets, give topics to the target, look again.

    ``source`` is None where it is lost. Raises PkoError where a step fails, and CheckFailed where
    an offset is not what it should be afterwards.
    """
    link = facts.link
    control = ControlTopic(target, link.source)
    control.ensure(link.replication_factor)
    if not control.catch_up().is_paused():
        control.write([pause_entry(MirrorPause(), now_ms, by="failover")], now_ms)
    if source is not None:
        _commit(facts, source, target)
    if link.naming == IDENTITY:
        entries = [origin_entry(topic, _promoted(facts, control, topic)) for topic in facts.topics]
        control.write(entries, now_ms)


def _promoted(facts: LinkFacts, control: ControlTopic, topic: str) -> TopicOrigin:
    known = control.state.topics.get(topic)
    if known is not None:
        return known._replace(state=PROMOTED)
    return TopicOrigin(PROMOTED, *facts.ids.get(topic, ("", "")))


def _commit(facts: LinkFacts, source: Cluster, target: Cluster) -> None:
    """Bring groups over as they are now, and read what the target has then."""
    sync = GroupSync(source, target, facts.link)
    outcome = sync.run()
    stopped = [f"{g.group}: {g.trouble}" for g in outcome.groups.values() if g.state == "failed"]
    if stopped or outcome.troubles:
        raise PkoError(f"groups could not be moved: {named([*outcome.troubles, *stopped], '; ')}")
    moved = {g.group: g.places for g in outcome.groups.values() if g.state == "synced" and g.places}
    found = fetch_offsets(target, list(moved)) if moved else {}
    there = {group: got for group, got in found.items() if not isinstance(got, PkoError)}
    wrong = unequal({g: [p for p in ps if p.target >= 0] for g, ps in moved.items()}, there)
    if wrong:
        raise CheckFailed(f"offsets at the target are not the translated ones: {named(wrong)}")
