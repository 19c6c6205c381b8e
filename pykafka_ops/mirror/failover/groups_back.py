"""Groups that have read copies at the target of a link go back to the records at its source."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, GroupDescription, describe_groups
from pykafka_ops.client.group_offsets import Committed, Offsets, commit_offsets, fetch_offsets
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.groups.sync import CONSUMER
from pykafka_ops.mirror.groups.translation import KnownCopy, TranslatedCommit, places_of
from pykafka_ops.mirror.groups.writing import commits_of
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.runs import Translated
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser


class GroupBack(NamedTuple):
    """A group, where it goes on, what it has there now; ``active``: it has members there."""

    group: str
    places: list[TranslatedCommit]
    current: Offsets
    active: bool


def groups_back(
    out: LinkSettings, copies: Cluster, originals: Cluster, reader: MapReader
) -> list[GroupBack]:
    """The groups that have committed offsets of copies. ``out`` made the copies, ``reader`` has its
    map. Raises PkoError."""
    chooser = LinkChooser(out)
    listed, failed = list_groups(copies)
    for error in failed.values():
        raise error
    names = [
        name
        for name, group in listed.items()
        if group.protocol_type in CONSUMER and chooser.group(name).mirrored
    ]
    name_of = chooser.naming.source_topic

    def original(topic: str) -> str:
        return name_of(topic) or ""

    known = _known(out, copies, originals, reader)
    found = fetch_offsets(copies, sorted(names))
    moved = {}
    for group, committed in found.items():
        if isinstance(committed, PkoError):
            raise committed
        places = [p for p in places_of(committed, original, known) if p.target >= 0]
        if places:
            moved[group] = places
    states = describe_groups(originals, moved) if moved else {}
    current = fetch_offsets(originals, moved) if moved else {}
    back = []
    for group, places in moved.items():
        state, there = states[group], current[group]
        if isinstance(there, PkoError):
            raise there
        free = isinstance(state, GroupDescription) and state.state in (EMPTY, DEAD)
        back.append(GroupBack(group, places, there, not free))
    return back


def _known(out: LinkSettings, copies: Cluster, originals: Cluster, reader: MapReader) -> KnownCopy:
    """The map read backwards: every copy is known up to the end of its log."""
    name_of = LinkChooser(out).naming.source_topic
    places: dict[Partition, Partition] = {
        (name, place[1]): place for place in reader.maps if (name := name_of(place[0])) is not None
    }
    until = ends.known_offsets(copies, places.values(), ends.LATEST)
    starts = ends.known_offsets(originals, places, ends.EARLIEST)

    def translate(place: Partition, offset: int) -> Translated | None:
        return reader.back(places[place], offset) if place in places else None

    positions = {place: until[copy].offset for place, copy in places.items() if copy in until}
    return KnownCopy(translate, positions, {place: o.offset for place, o in starts.items()})


def commit_back(groups: list[GroupBack], originals: Cluster) -> None:
    """Commit where they go on, of those without members there. Raises PkoError."""
    for one in groups:
        wanted: dict[Partition, Committed] = commits_of(one.places, one.current, {}).offsets
        if one.active or not wanted:
            continue
        results = commit_offsets(originals, one.group, wanted)
        if isinstance(results, PkoError):
            raise results
        for error in results.values():
            if error is not None:
                raise error
