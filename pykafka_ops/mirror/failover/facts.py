"""What is known of a link before its work moves: both clusters are asked, nothing is changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_describe import DEAD, EMPTY, GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Offsets, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import committed_by
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import ControlState
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.copy.positions import copied_to
from pykafka_ops.mirror.groups.sync import GroupsOutcome, GroupSync
from pykafka_ops.mirror.naming import HEARTBEATS, link_id
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser


class CopyFacts(NamedTuple):
    """A partition of the source: where it begins, its end, its last stable offset, and up to where
    it was copied (None: never). ``moved``: its end moved while it was looked at."""

    source: Partition
    target: Partition
    start: int
    end: int
    stable: int
    position: int | None
    moved: bool

    def lag(self, *, read_committed: bool) -> int:
        """Offsets that are still to be copied."""
        begin = self.start if self.position is None else max(self.position, self.start)
        return max(0, (self.stable if read_committed else self.end) - begin)


@dataclass(slots=True)
class LinkFacts:
    """``incomplete``: topics that cannot move, and why. ``readers`` are groups with members at the
    source, ``current`` what groups have committed at the target. ``source_lost``: the source was
    not asked, and nothing is known of it."""

    link: LinkSettings
    own: ControlState
    partitions: list[CopyFacts] = field(default_factory=list)
    incomplete: dict[str, str] = field(default_factory=dict)
    groups: GroupsOutcome = field(default_factory=GroupsOutcome)
    readers: list[str] = field(default_factory=list)
    unseen: dict[str, str] = field(default_factory=dict)
    """Groups whose members or offsets could not be seen, and why."""
    current: dict[str, Offsets] = field(default_factory=dict)
    ids: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Topic ids (hex) at the source and at the target, by the target's name."""
    source_lost: bool = False

    @property
    def topics(self) -> list[str]:
        """The topics of the target that are copies."""
        return sorted({copy.target[0] for copy in self.partitions})


def look(
    link: LinkSettings,
    source: Cluster,
    target: Cluster,
    *,
    still_seconds: float,
    pause: Callable[[float], None] = time.sleep,
) -> LinkFacts:
    """Both clusters as they are; the ends of the source are watched for so long.

    Raises PkoError where a cluster cannot be asked.
    """
    own = ControlTopic(target, link.source).catch_up()
    reverse = ControlTopic(source, link.target).catch_up()
    facts = LinkFacts(link, own)
    places = _places(facts, all_topics(source), all_topics(target), reverse)
    before = _offsets(source, places, ends.LATEST)
    pause(still_seconds)
    _add_copies(facts, source, target, places, before)
    sync = GroupSync(source, target, link)
    facts.groups = sync.look()
    names = [name for name, group in facts.groups.groups.items() if group.places]
    facts.readers = _with_members(facts, source, names)
    facts.current = _current(facts, target, names)
    return facts


def look_without_source(link: LinkSettings, target: Cluster) -> LinkFacts:
    """What the target alone tells of a link whose source is lost. Raises PkoError."""
    own = ControlTopic(target, link.source).catch_up()
    facts = LinkFacts(link, own, source_lost=True)
    known = {topic.name for topic in all_topics(target)}
    naming = LinkChooser(link).naming
    for place, position in committed_by(target, link_id(link.source, link.target)).items():
        name = naming.source_topic(place[0])
        if name is not None and place[0] in known:
            facts.partitions.append(
                CopyFacts((name, place[1]), place, -1, -1, -1, position, moved=False)
            )
    facts.partitions.sort()
    return facts


def _places(
    facts: LinkFacts,
    topics: list[TopicDescription],
    target_topics: list[TopicDescription],
    reverse: ControlState,
) -> dict[Partition, Partition]:
    """The partitions of the source that are mirrored, with their names at the target."""
    there = {topic.name: topic for topic in target_topics}
    chooser = LinkChooser(facts.link)
    places: dict[Partition, Partition] = {}
    for topic in topics:
        if topic.name.endswith(HEARTBEATS):
            continue  # they never stop, and nobody moves with them
        choice = chooser.topic(topic.name, facts.own, reverse, there)
        if choice.conflict:
            facts.incomplete[topic.name] = choice.why
        if not choice.mirrored:
            continue
        copy = there.get(choice.target)
        if copy is None:
            facts.incomplete[topic.name] = f"{choice.target} is not at the target"
            continue
        if len(copy.partitions) < len(topic.partitions):
            facts.incomplete[topic.name] = (
                f"{choice.target} has {len(copy.partitions)} partitions at the target, "
                f"{len(topic.partitions)} at the source"
            )
        facts.ids[choice.target] = topic.id.hex(), copy.id.hex()
        have = {p.number for p in copy.partitions}
        numbers = (p.number for p in topic.partitions if p.number in have)
        places.update({(topic.name, n): (choice.target, n) for n in numbers})
    return places


def _add_copies(
    facts: LinkFacts,
    source: Cluster,
    target: Cluster,
    places: Mapping[Partition, Partition],
    before: Mapping[Partition, int],
) -> None:
    starts = _offsets(source, places, ends.EARLIEST)
    copies = {place: (copy, bytes.fromhex(facts.ids[copy[0]][0])) for place, copy in places.items()}
    group = link_id(facts.link.source, facts.link.target)
    positions = copied_to(target, group, copies, starts)
    until = _offsets(source, places, ends.LATEST)
    stable = _offsets(source, places, ends.LATEST, committed=True)
    for place, copy in sorted(places.items()):
        facts.partitions.append(
            CopyFacts(
                place, copy, starts[place], until[place], stable[place], positions.get(place),
                moved=until[place] != before[place],
            )
        )  # fmt: skip


def _offsets(
    cluster: Cluster, places: Iterable[Partition], which: int, *, committed: bool = False
) -> dict[Partition, int]:
    found = {}
    asked = dict.fromkeys(places, which)
    answers = ends.list_offsets(cluster, asked, read_committed=committed) if asked else {}
    for place, got in answers.items():
        if isinstance(got, PkoError):
            raise PkoError(f"{place[0]}-{place[1]}: {in_one_line(got)}")
        found[place] = got.offset
    return found


def _with_members(facts: LinkFacts, source: Cluster, names: list[str]) -> list[str]:
    """The groups that still read at the source."""
    readers = []
    for name, found in (describe_groups(source, names) if names else {}).items():
        if not isinstance(found, GroupDescription):
            facts.unseen[name] = in_one_line(found)
        elif found.state not in (EMPTY, DEAD):
            readers.append(name)
    return readers


def _current(facts: LinkFacts, target: Cluster, names: list[str]) -> dict[str, Offsets]:
    """What the groups have at the target; those with members there are marked."""
    for name, found in (describe_groups(target, names) if names else {}).items():
        group = facts.groups.groups[name]
        if not isinstance(found, GroupDescription):
            facts.unseen[name] = in_one_line(found)
        elif found.state not in (EMPTY, DEAD):
            group.state = "active"
    current = {}
    for name, offsets in (fetch_offsets(target, names) if names else {}).items():
        if isinstance(offsets, PkoError):
            facts.unseen[name] = in_one_line(offsets)
        else:
            current[name] = offsets
    return current
