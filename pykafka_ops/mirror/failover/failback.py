"""Makes a link ready that brings the work back: from the cluster that was the target, to the one
that was the source.

Where both name topics alike, the way back starts behind what came from there, and its offset map
begins as the other one read backwards: groups find their old records again. With a prefix the
records are there already, in the topics that they came from, and groups' offsets go back to them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import committed_by
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.mirror.control.state import (
    MIRRORED,
    ControlState,
    MirrorPause,
    TopicOrigin,
    origin_entry,
    resume_entry,
)
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.copy.positions import copied_of, positions_of, source_ids
from pykafka_ops.mirror.failover.checks import MoveCheck, MoveStep, commit_steps, named
from pykafka_ops.mirror.failover.groups_back import GroupBack, commit_back, groups_back
from pykafka_ops.mirror.naming import Naming, link_id, map_topic
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.runs import OffsetRun
from pykafka_ops.mirror.offsets.seeding import LinkSeed, members_of, write_seeds
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings


class WayBack(NamedTuple):
    """A partition: ``start``: where the link back begins, an offset of its source; ``left``:
    offsets of its target that were never mirrored out, and stay there, before what comes back."""

    place: Partition
    start: int
    left: int
    runs: tuple[OffsetRun, ...]


@dataclass(slots=True)
class BackFacts:
    """What is known before a link back begins. ``out`` is the link that it undoes."""

    link: LinkSettings
    out: LinkSettings
    own: ControlState
    out_control: ControlState
    ways: list[WayBack] = field(default_factory=list)
    ids: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    """Topic ids at the source and the target of the link back, by name."""
    running: int = 0
    out_running: int = 0
    begun: list[str] = field(default_factory=list)
    """Topics of which the link back has copied something already."""
    unknown: list[str] = field(default_factory=list)
    """Partitions that were copied, but of which the map knows nothing."""
    groups: list[GroupBack] = field(default_factory=list)
    """With a prefix: groups that have read copies, and where they go on."""


def look_back(link: LinkSettings, source: Cluster, target: Cluster) -> BackFacts:
    """Both clusters as they are; ``link`` leads back. Raises PkoError."""
    out = replace(link, source=link.target, target=link.source)
    control = ControlTopic(target, link.source).catch_up()
    facts = BackFacts(link, out, control, ControlTopic(source, out.source).catch_up())
    facts.running, facts.out_running = members_of(target, link), members_of(source, out)
    positions = _positions(out, source, target)
    begun = committed_by(target, link_id(link.source, link.target))
    reader = MapReader(source, map_topic(out.source), whole=True)
    reader.catch_up(settled=True)
    name = Naming.of(out).source_topic
    places = {place: (name(place[0]) or "", place[1]) for place in positions}
    stable = ends.list_offsets(
        target, dict.fromkeys(places.values(), ends.LATEST), read_committed=True
    ) if places else {}  # fmt: skip
    for place, there in sorted(places.items()):
        end = stable[there]
        left = max(0, end.offset - positions[place]) if isinstance(end, ends.Offset) else 0
        kept = reader.maps.get(place)
        runs = tuple(OffsetRun(r.target, r.source, r.length) for r in kept.runs) if kept else ()
        if not runs and positions[place] > 0:
            facts.unknown.append(f"{place[0]}-{place[1]}")
        start = runs[-1].source + runs[-1].length if runs else 0
        facts.ways.append(WayBack(place, start, left, runs))
    facts.begun = sorted({topic for topic, n in begun if begun[topic, n] > 0})
    _add_ids(facts, source, target)
    if link.naming != IDENTITY:
        facts.groups = groups_back(out, source, target, reader)
    return facts


def _positions(out: LinkSettings, copies: Cluster, originals: Cluster) -> dict[Partition, int]:
    """By partition of the copies, how far they go; 0 where the original was made anew since."""
    every = positions_of(copies, link_id(out.source, out.target))
    ids = source_ids(originals, Naming.of(out), {topic for topic, _ in every})
    return dict.fromkeys(every, 0) | copied_of(every, ids)


def _add_ids(facts: BackFacts, source: Cluster, target: Cluster) -> None:
    topics = sorted({way.place[0] for way in facts.ways})
    if not topics:
        return
    here, there = describe_topics(source, topics), describe_topics(target, topics)
    for topic in topics:
        a, b = here.get(topic), there.get(topic)
        if isinstance(a, TopicDescription) and isinstance(b, TopicDescription):
            facts.ids[topic] = a.id, b.id


def back_checks(facts: BackFacts) -> list[MoveCheck]:
    """Whether the way back may begin. Pure."""
    checks = [_stopped(facts), _not_running(facts)]
    if facts.link.naming != IDENTITY:
        return [*checks, _groups(facts)]
    return [*checks, _not_begun(facts), _map(facts), _left(facts)]


def _stopped(facts: BackFacts) -> MoveCheck:
    if facts.out_control.is_paused() or not facts.out_running:
        return MoveCheck("stopped", True, f"{facts.out.name} copies nothing")
    return MoveCheck("stopped", False, f"{facts.out.name} runs and is not paused")


def _not_running(facts: BackFacts) -> MoveCheck:
    name = facts.link.name
    if facts.running:
        return MoveCheck(
            "not running", False, f"{facts.running} processes mirror {name}: stop them"
        )
    return MoveCheck("not running", True, f"no process mirrors {name}")


def _groups(facts: BackFacts) -> MoveCheck:
    active = [one.group for one in facts.groups if one.active]
    if active:
        said = f"groups with members at {facts.link.target}: {named(active)}"
        return MoveCheck("groups", False, said)
    return MoveCheck("groups", True, f"{len(facts.groups)} groups have read copies")


def _not_begun(facts: BackFacts) -> MoveCheck:
    """A link that has copied may begin anew where a failover has ended it."""
    if facts.begun and not facts.own.is_paused():
        said = f"{facts.link.name} has copied {named(facts.begun)} already"
        return MoveCheck("not begun", False, said)
    return MoveCheck("not begun", True, f"{facts.link.name} copies nothing yet")


def _map(facts: BackFacts) -> MoveCheck:
    lost = sorted({way.place[0] for way in facts.ways if way.place[0] not in facts.ids})
    if not facts.ways:
        return MoveCheck("map", False, f"{facts.out.name} has mirrored nothing")
    if facts.unknown:
        return MoveCheck("map", False, f"the offset map says nothing of {named(facts.unknown)}")
    if lost:
        return MoveCheck("map", False, f"not at both clusters: {named(lost)}")
    runs = sum(len(way.runs) for way in facts.ways)
    return MoveCheck("map", True, f"{runs} runs of {len(facts.ways)} partitions")


def _left(facts: BackFacts) -> MoveCheck:
    here, there = facts.link.target, facts.link.source
    left = [f"{w.place[0]}-{w.place[1]} ({w.left})" for w in facts.ways if w.left]
    if left:
        said = f"offsets at {here} that never came to {there}, and stay: {named(left)}"
        return MoveCheck("left behind", False, said)
    return MoveCheck("left behind", True, f"everything of {here} came to {there}")


def back_steps(facts: BackFacts) -> list[MoveStep]:
    """What is done. Pure."""
    steps = []
    if facts.link.naming == IDENTITY:
        for way in facts.ways:
            how = f"from offset {way.start} on, {len(way.runs)} runs known"
            steps.append(MoveStep("seed", f"{way.place[0]}-{way.place[1]}", how))
        steps += [
            MoveStep("mirror", topic, f"is a copy of {facts.link.source}'s again")
            for topic in sorted(facts.ids)
        ]
    for one in facts.groups:
        if not one.active:
            steps += commit_steps(one.group, one.places, one.current)
    if facts.own.is_paused():
        steps.append(MoveStep("resume", facts.link.name, "may copy again"))
    return steps


def fail_back(facts: BackFacts, target: Cluster, now_ms: int) -> None:
    """Do the steps; ``pko mirror run`` then brings the records. Raises PkoError."""
    link = facts.link
    control = ControlTopic(target, link.source)
    control.ensure(link.replication_factor)
    if link.naming == IDENTITY:
        seeds = {
            way.place: LinkSeed(way.start, facts.ids[way.place[0]][0], way.runs)
            for way in facts.ways
            if way.place[0] in facts.ids
        }
        write_seeds(target, link, seeds, now_ms)
        control.write(
            [
                origin_entry(topic, TopicOrigin(MIRRORED, here.hex(), there.hex()))
                for topic, (here, there) in facts.ids.items()
            ],
            now_ms,
        )
    commit_back(facts.groups, target)
    if control.catch_up().is_paused():
        control.write([resume_entry(MirrorPause())], now_ms)
