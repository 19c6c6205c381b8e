"""Takes over from a MirrorMaker 2 that was stopped: nothing is copied again, nothing left out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pykafka_ops.client import offsets as ends
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import committed_by
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError, PkoError
from pykafka_ops.mirror.control.state import MIRRORED, TopicOrigin, origin_entry
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.failover.checks import MoveCheck, named
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.alignment import SyncPoint, SyncStretch, aligned, stretches
from pykafka_ops.mirror.mm2.connect_offsets import positions_of
from pykafka_ops.mirror.mm2.internal_topics import read_all, records_between
from pykafka_ops.mirror.naming import Naming, link_id
from pykafka_ops.mirror.offsets.runs import OffsetRun
from pykafka_ops.mirror.offsets.seeding import LinkSeed, members_of, write_seeds
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings

MOST_READ: Final = 200_000
"""Records of a stretch that are read to compare both logs."""
_UNLIKE: Final = "{}: both logs differ behind {}, it goes on at {} as MirrorMaker 2 would"


class TakenPartition(NamedTuple):
    """A partition of the source. ``said``: where MirrorMaker 2 says that it goes on; ``position``:
    where it does, which is further where it was killed. ``known_from``: the source's offset from
    which on groups are translated exactly, -1: none. ``note``: what a person should know."""

    source: Partition
    target: Partition
    said: int
    position: int
    known_from: int
    runs: tuple[OffsetRun, ...]
    note: str = ""


@dataclass(slots=True)
class TakeOver:
    """What is found; ``seeds`` are what ``begin`` writes."""

    link: LinkSettings
    partitions: list[TakenPartition] = field(default_factory=list)
    topics: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    """Ids at the source and the target, by the target's name."""
    ids: dict[str, bytes] = field(default_factory=dict)
    offsets_topic: str = ""
    running: int = 0
    begun: bool = False
    moving: list[str] = field(default_factory=list)
    """Topics of the target that still grow."""
    missing: list[str] = field(default_factory=list)
    """Partitions with a position that are not on both sides."""


def look(
    link: LinkSettings,
    source: Cluster,
    target: Cluster,
    *,
    offsets_topic: str | None = None,
    still_seconds: float,
    pause: Callable[[float], None] = time.sleep,
) -> TakeOver:
    """Read what MirrorMaker 2 has left, and both logs where it says too little. Changes nothing.

    Raises PkoError where a cluster cannot be asked, or has no such topic.
    """
    name = offsets_topic or formats.connect_offsets_topic(link.source)
    records = read_all(target, name)
    if records is None:
        raise PkoError(f"{link.target} has no topic {name}: name the one that Connect uses")
    said = positions_of(records, link.source)
    found = TakeOver(link, offsets_topic=name)
    found.running = members_of(target, link)
    places = _places(found, said, all_topics(source), all_topics(target))
    before = _offsets(target, places.values(), ends.LATEST)
    pause(still_seconds)
    until = _offsets(target, places.values(), ends.LATEST)
    found.moving = sorted({place[0] for place in until if until[place] != before.get(place)})
    found.begun = _has_begun(target, link)
    syncs = _syncs(source, target, link)
    logs = _Logs(source, target, _offsets(source, places, ends.EARLIEST),
                 _offsets(target, places.values(), ends.EARLIEST), until)  # fmt: skip
    for place, copy in sorted(places.items()):
        found.partitions.append(_taken(place, copy, said[place], syncs.get(place, []), logs))
    return found


def checks_of(found: TakeOver) -> list[MoveCheck]:
    """Whether the link may begin there. Pure."""
    name, inexact = found.link.name, [p.note for p in found.partitions if p.note]
    many = len(found.partitions)
    return [
        MoveCheck("positions", bool(many), f"{many} partitions in {found.offsets_topic}"),
        MoveCheck(
            "stopped",
            not found.moving,
            f"records still arrive in {named(found.moving)}: stop MirrorMaker 2"
            if found.moving
            else "nothing arrives at the target",
        ),
        MoveCheck(
            "not begun",
            not (found.running or found.begun),
            f"{found.running} processes mirror {name}: stop them"
            if found.running
            else f"{name} has positions of its own already"
            if found.begun
            else f"{name} has copied nothing",
        ),
        MoveCheck(
            "topics",
            not found.missing,
            f"not on both sides: {named(found.missing)}" if found.missing else "all are there",
        ),
        MoveCheck("exact", None if inexact else True, named(inexact, "; ") or "both logs agree"),
    ]


def begin(found: TakeOver, target: Cluster, now_ms: int) -> None:
    """Give the link its positions and its map. Raises PkoError."""
    link = found.link
    seeds = {
        p.target: LinkSeed(p.position, found.topics[p.target[0]][0], p.runs)
        for p in found.partitions
    }
    write_seeds(target, link, seeds, now_ms)
    if link.naming == IDENTITY:
        control = ControlTopic(target, link.source)
        control.ensure(link.replication_factor)
        control.write(
            [
                origin_entry(topic, TopicOrigin(MIRRORED, here.hex(), there.hex()))
                for topic, (here, there) in found.topics.items()
            ],
            now_ms,
        )


class _Logs(NamedTuple):
    """Both clusters, and where the partitions begin; ``until``: where the target's end."""

    source: Cluster
    target: Cluster
    starts: dict[Partition, int]
    target_starts: dict[Partition, int]
    until: dict[Partition, int]


def _places(
    found: TakeOver,
    said: Iterable[Partition],
    topics: list[TopicDescription],
    target_topics: list[TopicDescription],
) -> dict[Partition, Partition]:
    """The partitions that MirrorMaker 2 has copied, with their names at the target."""
    here, there = ({t.name: t for t in found_in} for found_in in (topics, target_topics))
    naming = Naming.of(found.link)
    places = {}
    for topic, n in said:
        a, b = here.get(topic), there.get(naming.target_topic(topic))
        if a is None or b is None or n >= min(len(a.partitions), len(b.partitions)):
            found.missing.append(f"{topic}-{n}")
            continue
        found.topics[b.name] = a.id, b.id
        places[topic, n] = b.name, n
    return places


def _offsets(cluster: Cluster, places: Iterable[Partition], which: int) -> dict[Partition, int]:
    return {p: o.offset for p, o in ends.known_offsets(cluster, places, which).items()}


def _has_begun(target: Cluster, link: LinkSettings) -> bool:
    return bool(committed_by(target, link_id(link.source, link.target)))


def _syncs(
    source: Cluster, target: Cluster, link: LinkSettings
) -> dict[Partition, list[SyncPoint]]:
    """The offset syncs that are left, wherever they are kept, as they were written."""
    places = (source, link.target), (target, link.source)
    found: dict[Partition, list[SyncPoint]] = {}
    for cluster, other in places:
        records = read_all(cluster, formats.offset_syncs_topic(other, link.separator))
        for record in records or ():
            try:
                key, value = formats.read_offset_sync(record.key or b"", record.value or b"")
            except CorruptError:
                continue
            point = SyncPoint(value.upstream, value.downstream)
            found.setdefault((key.topic, key.partition), []).append(point)
    return found


def _taken(
    place: Partition, copy: Partition, said: int, syncs: list[SyncPoint], logs: _Logs
) -> TakenPartition:
    """Where one partition goes on, and what is known of its copy."""
    begin = SyncPoint(logs.starts.get(place, 0), logs.target_starts.get(copy, 0))
    end = SyncPoint(max(said, begin.source), logs.until.get(copy, begin.target))
    position, note, runs = end.source, "", []
    for n, stretch in enumerate(stretches(syncs, begin, end)):
        run = stretch.run
        if run is not None:
            runs.append(run)
            continue
        compared = _compared(place, copy, stretch, logs, last=n == 0)
        if compared is None:
            if n == 0:
                note = _UNLIKE.format(f"{place[0]}-{place[1]}", stretch.begin.source, said)
            break
        found, reached = compared
        runs += found
        position = max(position, reached) if n == 0 else position
    known_from = min((run.source for run in runs if run.length), default=-1)
    return TakenPartition(place, copy, said, position, known_from, tuple(runs), note)


def _compared(
    place: Partition, copy: Partition, stretch: SyncStretch, logs: _Logs, *, last: bool
) -> tuple[list[OffsetRun], int] | None:
    """The runs of a stretch, and the source's offset behind them; None: the logs do not agree, or
    there is too much to read. The source may be read beyond the ``last`` one: a MirrorMaker 2 that
    was killed has copied more than it noted."""
    if stretch.end.target - stretch.begin.target > MOST_READ:
        return None
    until = (
        _offsets(logs.source, [place], ends.LATEST).get(place, 0) if last else stretch.end.source
    )
    for committed in (True, False):  # MirrorMaker 2 reads uncommitted unless it is told not to
        theirs = records_between(logs.target, copy, stretch.begin.target, stretch.end.target)
        ours = records_between(logs.source, place, stretch.begin.source, until, committed=committed)
        found = aligned(_few(ours), theirs)
        left = next(ours, None)
        if found.equal and (left is None or left.offset >= stretch.end.source):
            return found.runs, found.position
    return None


def _few(records: Iterator[Record]) -> Iterator[Record]:
    """No more than are compared at most."""
    return itertools.islice(records, MOST_READ)
