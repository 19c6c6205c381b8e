"""Consumer groups of the source are looked at, translated, and committed at the target."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_describe import DEAD, EMPTY, GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Offsets, commit_offsets, fetch_offsets
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.positions import copied_of, positions_of, source_ids
from pykafka_ops.mirror.groups.translation import (
    AHEAD,
    FAILED,
    OLD,
    KnownCopy,
    TranslatedCommit,
    places_of,
)
from pykafka_ops.mirror.groups.writing import Written, commits_of, remember
from pykafka_ops.mirror.naming import link_id, map_topic
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser

GroupState = Literal["synced", "active", "failed"]
CONSUMER: Final = ("consumer", "")
"""Protocol types of groups that read; Connect's workers have another."""


@dataclass(slots=True)
class GroupOutcome:
    """What became of a group. ``state``: "synced"; "active": it has members at the target, which
    is why nothing is written; "failed": ``trouble`` says why. ``written``, ``same`` and ``kept``
    count partitions: committed now, equal already, further on at the target than at the source."""

    group: str
    places: list[TranslatedCommit] = field(default_factory=list)
    state: GroupState = "synced"
    trouble: str = ""
    written: int = 0
    same: int = 0
    kept: int = 0

    @property
    def ahead(self) -> int:
        """Offsets that the group has read and the mirror has not copied, in all partitions."""
        return sum(place.ahead for place in self.places)


@dataclass(slots=True)
class GroupsOutcome:
    """A pass over all groups. ``troubles``: what kept some of them from being seen."""

    groups: dict[str, GroupOutcome] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)


class GroupSync:
    """Groups of one link. ``reader`` follows the link's offset map; nothing is closed here."""

    def __init__(
        self, source: Cluster, target: Cluster, link: LinkSettings, reader: MapReader | None = None
    ) -> None:
        self.source, self.target, self.link = source, target, link
        self.chooser = LinkChooser(link)
        self.reader = reader or MapReader(target, map_topic(link.source))
        self._before: dict[str, dict[Partition, Written]] = {}

    def look(self, groups: Collection[str] | None = None) -> GroupsOutcome:
        """The groups (None: those that the link's patterns choose) with their places at the
        target; nothing is written. Raises PkoError where a cluster cannot be asked at all."""
        outcome = GroupsOutcome()
        names = self._chosen(outcome) if groups is None else list(groups)
        found = fetch_offsets(self.source, names)
        known = self.known(_partitions(found.values(), self.chooser))
        for name in names:
            got = found[name]
            entry = outcome.groups[name] = GroupOutcome(name)
            if isinstance(got, PkoError):
                entry.state, entry.trouble = "failed", in_one_line(got)
                continue
            entry.places = self._places(got, known)
            refused = [place for place in entry.places if place.standing == FAILED]
            if refused:
                entry.state = "failed"
                entry.trouble = f"{len(refused)} of its offsets could not be read at the source"
        return outcome

    def _places(self, committed: Offsets, known: KnownCopy) -> list[TranslatedCommit]:
        """Where a group goes on; where it is older than the map, the source's begin is asked."""
        name = self.chooser.naming.target_topic
        places = places_of(committed, name, known)
        old = [(p.source_topic, p.partition) for p in places if p.standing == OLD]
        if not old:
            return places
        begins = ends.known_offsets(self.source, old, ends.EARLIEST)
        starts = {place: begin.offset for place, begin in begins.items()}
        return places_of(committed, name, known._replace(source_starts=starts))

    def run(self) -> GroupsOutcome:
        """Look, and commit at the target. Raises PkoError as ``look`` does."""
        outcome = self.look()
        self.write(outcome)
        return outcome

    def write(self, outcome: GroupsOutcome) -> None:
        """Commit at the target what was found. Raises PkoError where nobody answers."""
        wanted = [name for name, group in outcome.groups.items() if group.places]
        states = describe_groups(self.target, wanted) if wanted else {}
        free = []
        for name in wanted:
            state = states[name]
            if isinstance(state, GroupDescription) and state.state in (EMPTY, DEAD):
                free.append(name)
            else:
                _note_members(outcome.groups[name], state)
        current = fetch_offsets(self.target, free) if free else {}
        for name in free:
            self._commit(outcome.groups[name], current[name])

    def known(self, partitions: Iterable[Partition] = ()) -> KnownCopy:
        """What the mirror has done so far; ``partitions`` of the target, for where they begin.
        What it copied of a topic of the source that was made anew since says nothing.

        The positions are asked before the map is read, so that it holds all they stand for.
        Raises PkoError.
        """
        partitions = list(partitions)
        ids = source_ids(self.source, self.chooser.naming, {topic for topic, _ in partitions})
        group = link_id(self.link.source, self.link.target)
        positions = copied_of(positions_of(self.target, group), ids)
        self.reader.catch_up(settled=True)
        asked = [p for p in partitions if p in positions]
        starts = ends.known_offsets(self.target, asked, ends.EARLIEST)
        return KnownCopy(self.reader.translate, positions, {p: o.offset for p, o in starts.items()})

    def _chosen(self, outcome: GroupsOutcome) -> list[str]:
        listed, failed = list_groups(self.source)
        outcome.troubles += [
            f"broker {broker} of {self.link.source} does not list its groups: {in_one_line(error)}"
            for broker, error in failed.items()
        ]
        return sorted(
            name
            for name, group in listed.items()
            if group.protocol_type in CONSUMER and self.chooser.group(name).mirrored
        )

    def _commit(self, group: GroupOutcome, current: Offsets | PkoError) -> None:
        if isinstance(current, PkoError):
            group.state, group.trouble = "failed", in_one_line(current)
            return
        before = self._before.setdefault(group.group, {})
        commits = commits_of(group.places, current, before)
        group.same, group.kept = commits.same, commits.kept
        if commits.offsets:
            _note_results(group, commit_offsets(self.target, group.group, commits.offsets))
        if not group.trouble:
            remember(before, group.places, {**current, **commits.offsets})
            group.written = len(commits.offsets)


def _partitions(found: Iterable[Offsets | PkoError], chooser: LinkChooser) -> set[Partition]:
    name = chooser.naming.target_topic
    return {
        (name(topic), n)
        for offsets in found
        if not isinstance(offsets, PkoError)
        for topic, n in offsets
    }


def _note_members(group: GroupOutcome, found: GroupDescription | PkoError) -> None:
    if isinstance(found, PkoError):
        group.state, group.trouble = "failed", in_one_line(found)
    elif group.state != "failed":
        group.state = "active"


def _note_results(
    group: GroupOutcome, results: Mapping[Partition, PkoError | None] | PkoError
) -> None:
    """Say so where the target did not take what was committed."""
    if isinstance(results, PkoError):
        group.state, group.trouble = "failed", in_one_line(results)
        return
    failed = {place: error for place, error in results.items() if error is not None}
    if failed:
        (topic, n), error = next(iter(failed.items()))
        group.state = "failed"
        group.trouble = f"{topic}-{n}: {in_one_line(error)}"
        if len(failed) > 1:
            group.trouble += f" (and {len(failed) - 1} more)"


def ahead(outcome: GroupsOutcome) -> dict[str, int]:
    """The groups that have read further than the mirror has copied, by how many offsets."""
    found = {}
    for name, group in outcome.groups.items():
        if any(place.standing == AHEAD for place in group.places):
            found[name] = group.ahead
    return found
