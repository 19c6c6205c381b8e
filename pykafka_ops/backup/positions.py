"""Where a run begins and ends in each partition. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from pykafka_ops.backup.chain import Chain
from pykafka_ops.backup.manifest import KeptTopic

Partition = tuple[str, int]


class ReadStretch(NamedTuple):
    """Offsets [start, end) that a run is to read of one life of a partition; ``log_start`` is where
    the source's log begins. ``lost``: how many offsets before ``start`` it deleted too early."""

    life: int
    log_start: int
    start: int
    end: int
    lost: int = 0


def with_lives(
    topics: list[KeptTopic], chain: Chain, ends: Mapping[Partition, int]
) -> list[KeptTopic]:
    """The topics with the lives they are in: another one where the id is another, or where a log
    ends before what is stored of it (``ends``: the source's)."""
    return [replace(topic, life=_life(topic, chain, ends)) for topic in topics]


def _life(topic: KeptTopic, chain: Chain, ends: Mapping[Partition, int]) -> int:
    before = chain.topics.get(topic.name)
    if before is None or before.id != topic.id:
        return chain.next_life(topic.name)
    for number in range(topic.partitions):
        stored = chain.partitions.get((topic.name, number))
        end = ends.get((topic.name, number))
        if stored is not None and end is not None and end < stored.end:
            return chain.next_life(topic.name)
    return before.life


def stretches(
    topics: list[KeptTopic],
    chain: Chain,
    starts: Mapping[Partition, int],
    ends: Mapping[Partition, int],
) -> dict[Partition, ReadStretch]:
    """What to read of every partition whose ``starts`` and ``ends`` at the source are known."""
    found = {}
    for topic in topics:
        for number in range(topic.partitions):
            place = topic.name, number
            if place not in starts or place not in ends:
                continue
            stored = chain.partitions.get(place)
            if stored is None or stored.life != topic.life:
                found[place] = ReadStretch(topic.life, starts[place], starts[place], ends[place])
                continue
            start = max(stored.end, starts[place])
            end = max(start, ends[place])
            found[place] = ReadStretch(topic.life, starts[place], start, end, start - stored.end)
    return found
