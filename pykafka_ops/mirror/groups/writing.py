"""What is committed at the target for a group, and what is left as it is. Pure.

Never backwards: a consumer that already reads at the target has its own offsets there. The one
exception is a group that was rewound at the source, where what the target has is what was written
here before. Source: MirrorCheckpointTask.syncGroupOffset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Literal, NamedTuple

from pykafka_ops.client.group_offsets import Committed, Offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.mirror.groups.translation import TranslatedCommit

WriteState = Literal["write", "same", "kept"]


class Written(NamedTuple):
    """What was committed at the target before, and for which offset of the source."""

    source: int
    target: int


def state_of(
    place: TranslatedCommit, current: Committed | None, before: Written | None
) -> WriteState:
    """Whether the target's offset is written, is there already, or is left further on."""
    if current is None or current.offset < place.target:
        return "write"
    if current.offset == place.target:
        return "same" if current.metadata == place.metadata else "write"
    rewound = (
        before is not None and before.target == current.offset and place.source < before.source
    )
    return "write" if rewound else "kept"


class Commits(NamedTuple):
    """For one group: what to commit, and how many partitions need nothing, or are further on."""

    offsets: dict[Partition, Committed]
    same: int
    kept: int


def commits_of(
    places: Iterable[TranslatedCommit], current: Offsets, before: Mapping[Partition, Written]
) -> Commits:
    """What to commit at the target, which has ``current``; ``before`` is what was written last."""
    offsets: dict[Partition, Committed] = {}
    counts = {"same": 0, "kept": 0}
    for place in places:
        target = place.topic, place.partition
        there = current.get(target)
        if place.target < 0 or isinstance(there, Exception):
            continue
        state = state_of(place, there, before.get(target))
        if state == "write":
            offsets[target] = Committed(place.target, -1, place.metadata)
        else:
            counts[state] += 1
    return Commits(offsets, counts["same"], counts["kept"])


def remember(
    before: MutableMapping[Partition, Written], places: Iterable[TranslatedCommit], current: Offsets
) -> None:
    """Note what the target has now, where that is what the source's offset became."""
    for place in places:
        target = place.topic, place.partition
        there = current.get(target)
        if isinstance(there, Committed) and there.offset == place.target:
            before[target] = Written(place.source, place.target)
