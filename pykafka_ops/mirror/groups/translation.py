"""Offsets of groups at the source, as offsets of the target. Pure.

``translated`` is exact: who reads on from there gets every mirrored record that the group did not
commit, and none that it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.offsets.runs import Translated

Standing = Literal["exact", "ahead", "old", "unknown", "failed"]
EXACT: Final = "exact"
AHEAD: Final = "ahead"
OLD: Final = "old"
UNKNOWN: Final = "unknown"
FAILED: Final = "failed"


class TranslatedCommit(NamedTuple):
    """A group's offset in one partition.

    ``topic`` is the target's name of it, ``source_topic`` the source's. ``target``: -1 where there
    is none. ``standing``: "exact"; "ahead": the group has read further than the mirror has copied,
    ``target`` is the end of what was copied, and ``ahead`` says by how many offsets; "old": the
    offset is older than all that is known of the copy; "unknown": nothing was copied so far.
    """

    source_topic: str
    topic: str
    partition: int
    source: int
    target: int
    standing: Standing
    metadata: str = ""
    ahead: int = 0


class KnownCopy(NamedTuple):
    """What is known of the mirror: ``translate`` answers from the offset map (target partition,
    source's offset), ``positions`` are the source's offsets up to which it has copied, ``starts``
    where the target's partitions begin, both by partition of the target. ``source_starts``: where
    the source's begin, of those that were asked."""

    translate: Callable[[Partition, int], Translated | None]
    positions: Mapping[Partition, int]
    starts: Mapping[Partition, int]
    source_starts: Mapping[Partition, int] = {}

    def find(self, source: Partition, target: Partition, offset: int) -> Translated | None:
        """What the map says of an offset that was copied. A group that stands before the source's
        begin reads on there, and so it does where the map begins no sooner."""
        found = self.translate(target, offset)
        begin = self.source_starts.get(source, 0)
        if found is None or found.where != "before" or begin <= offset:
            return found
        later = self.translate(target, min(begin, self.positions[target]))
        return found if later is None or later.where == "before" else later


def place_of(
    source: Partition, topic: str, committed: Committed, known: KnownCopy
) -> TranslatedCommit:
    """Where a group that committed at ``source`` goes on at the target, in ``topic``."""
    target = topic, source[1]
    position = known.positions.get(target)
    found = None
    if position is not None:
        found = known.find(source, target, min(committed.offset, position))
    base = TranslatedCommit(
        *_names(source, topic), committed.offset, -1, UNKNOWN, committed.metadata
    )
    start = known.starts.get(target)
    if found is None or position is None:
        if position is None or start is None or committed.offset < position:
            return base
        return base._replace(target=start, standing=EXACT)  # read to the end, and nothing is there
    if found.where == "before" and (start is None or start < found.offset):
        return base._replace(standing=OLD)
    offset = max(found.offset, start or 0)
    if committed.offset > position:
        ahead = committed.offset - position
        return base._replace(target=offset, standing=AHEAD, ahead=ahead)
    return base._replace(target=offset, standing=EXACT)


def _names(source: Partition, topic: str) -> tuple[str, str, int]:
    return source[0], topic, source[1]


def places_of(
    committed: Mapping[Partition, Committed | PkoError],
    target_topic: Callable[[str], str],
    known: KnownCopy,
) -> list[TranslatedCommit]:
    """Where a group goes on in each partition that is mirrored; others are left out.

    ``target_topic`` names a topic of the source at the target.
    """
    places = []
    for source, value in committed.items():
        topic = target_topic(source[0])
        if isinstance(value, PkoError):
            if (topic, source[1]) in known.positions:
                places.append(TranslatedCommit(*_names(source, topic), -1, -1, FAILED))
        elif (topic, source[1]) in known.positions:
            places.append(place_of(source, topic, value, known))
    return sorted(places)
