"""Facts about the replicas in log directories, without reading their records: a few small reads for
each, side by side, on the driver."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.disk.names import CLEANER_OFFSET_CHECKPOINT
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.files import Location, ReplicaDir, both_tiers, checkpoint, replicas
from pykafka_ops.spark.sources.log.plan import each, furthest, seeker
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message
from pykafka_ops.spark.sources.log.seek import Seeker

_LOOK_BACK: Final = 2
"""Closed segments whose time index is asked for the newest record: it is hardly ever older."""


class ReplicaEnd(NamedTuple):
    """The end of a replica: the next offset, and the newest timestamp (ms; None: no record)."""

    end: int
    newest: int | None


class Known(NamedTuple):
    """A replica with its end and its size in bytes; what remote storage has of it does not count
    where it lies."""

    replica: ReplicaDir
    tail: ReplicaEnd
    size: int


def known(locations: Sequence[str], topics: Names) -> list[Known]:
    """Every replica of the topics meant whose end is known, as it is now. UsageError or
    StorageError names a bad location."""
    return with_ends(listed(locations, topics))


def listed(locations: Sequence[str], topics: Names) -> list[ReplicaDir]:
    """Every replica of the topics meant."""
    found = [r for place in locations for r in replicas(place, lambda t, _: t in topics)]
    return both_tiers([r for r in found if r.topic is not None and r.topic in topics])


def with_ends(found: Sequence[ReplicaDir]) -> list[Known]:
    """Those whose end is known, with it."""
    sound = [replica for replica in found if replica.ends]
    return [
        Known(replica, tail, _size(replica))
        for replica, tail in zip(sound, each(_tail, sound), strict=True)
    ]


def _size(replica: ReplicaDir) -> int:
    return sum(s.size for s in replica.segments if replica.tiered or not s.tiered)


def bounds(found: Sequence[ReplicaDir], ends: Sequence[Known]) -> dict[str, object]:
    """Options of ``kafka-log`` for these replicas, up to where they ended."""
    assigned: dict[str, set[int]] = {}
    for topic, partition in (replica.key for replica in found):
        assigned.setdefault(topic, set()).add(partition)
    whole = {topic: sorted(partitions) for topic, partitions in assigned.items()}
    return {"assign": json.dumps(whole), **ends_option(ends)}


def ends_option(ends: Sequence[Known]) -> dict[str, object]:
    """``endingOffsets``; without logs whose last segment cannot be read, so that the read of them
    reports it."""
    found: dict[str, dict[str, int]] = {}
    for replica, tail, _ in one_each(ends):
        last = replica.segments[-1] if replica.segments else None
        if last is None or not last.size or tail.end > last.base_offset:
            topic, partition = replica.key
            found.setdefault(topic, {})[str(partition)] = tail.end
    return {"endingOffsets": json.dumps(found)} if found else {}


def _tail(replica: ReplicaDir) -> ReplicaEnd:
    seek = seeker(replica)
    newest = [seek.newest(s) for s in replica.segments[-1 - _LOOK_BACK : -1]]
    newest += [_newest(seek, replica)] if replica.segments else []
    return ReplicaEnd(seek.end_offset(), max((n for n in newest if n is not None), default=None))


def _newest(seek: Seeker, replica: ReplicaDir) -> int | None:
    """The newest timestamp of the last segment: of its time index, and of what is behind that."""
    segment = replica.segments[-1]
    times, offsets = seek.time_index(segment)
    start = seek.before(segment, int(offsets[-1])) if len(offsets) else 0
    best = int(times[-1]) if len(times) else None
    for piece in seek.pieces(segment, start, segment.size):
        if isinstance(piece, BatchRun):
            found = int(piece.heads["max_timestamp"].max())
        elif isinstance(piece, Message):
            found = piece.header.timestamp
        else:
            assert isinstance(piece, Bad)
            continue
        if found >= 0 and (best is None or found > best):
            best = found
    return best


def one_each(found: Sequence[Known]) -> list[Known]:
    """Of each partition the replica that reaches furthest."""
    by_key = {id(k.replica): k for k in found}
    return [by_key[id(r)] for r in furthest(k.replica for k in found)]


def partition_rows(found: Sequence[Known]) -> list[Row]:
    """PARTITIONS; ``replicas`` are the brokers in whose directories they were found."""
    brokers: dict[tuple[str, int], set[int]] = {}
    for k in found:
        if k.replica.broker is not None:
            brokers.setdefault(k.replica.key, set()).add(k.replica.broker)
    return [
        (k.replica.topic, k.replica.partition, None, sorted(brokers.get(k.replica.key, ())) or None,
         None, k.replica.first_offset, k.tail.end, k.tail.newest)
        for k in one_each(found)
    ]  # fmt: skip


def dir_rows(found: Sequence[Known]) -> list[Row]:
    """LOG_DIRS; what a local volume holds is asked of it, of others it is not known."""
    ends = {k.replica.key: k.tail.end for k in one_each(found)}
    volumes = {
        place: _volume(*place) for place in {(k.replica.root, k.replica.path) for k in found}
    }
    return [
        (r.broker, r.log_dir, r.topic, r.partition, size, ends[r.key] - tail.end, False,
         *volumes[r.root, r.path])
        for r, tail, size in found
    ]  # fmt: skip


def _volume(root: str, path: str) -> tuple[int | None, int | None]:
    if root:
        return None, None
    try:
        found = os.statvfs(path)
    except OSError:
        return None, None
    return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize


def cleaned_rows(found: Sequence[Known]) -> list[Row]:
    """CLEANED, for the partitions that are there."""
    checkpoints = {
        place: _cleaner(*place)
        for place in {(k.replica.root, k.replica.path.rpartition("/")[0]) for k in found}
    }
    return [
        (r.broker, r.log_dir, *r.key, offset)
        for r in (k.replica for k in found)
        if (offset := checkpoints[r.root, r.path.rpartition("/")[0]].get(r.key)) is not None
    ]


def _cleaner(root: str, directory: str) -> dict[tuple[str, int], int]:
    place = Location.of(root) if root else Location(None, directory)
    return checkpoint(place, directory, CLEANER_OFFSET_CHECKPOINT)
