"""Facts about the replicas of one partition, without reading their records: a few small reads for
each, where Spark's tasks run."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pykafka_ops.spark.schemas import columns
from pykafka_ops.spark.sources.files import ReplicaDir, both_tiers
from pykafka_ops.spark.sources.log.plan import seeker
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message
from pykafka_ops.spark.sources.log.seek import Seeker

_LOOK_BACK: Final = 2
"""Closed segments whose time index is asked for the newest record: it is hardly ever older."""

LOGS: Final = columns(
    "topic string, partition int, broker int, log_dir string, size bigint, start bigint,"
    "end bigint, newest bigint, lag bigint, total bigint, usable bigint, cleaned bigint,"
    "brokers ints, known boolean, first boolean, read boolean, high bigint, stored bigint,"
    "packed binary"
)
"""A row for each replica. ``size`` are the bytes it has where it lies, ``stored`` those with remote
storage, ``newest`` is in ms, ``lag`` offsets behind the longest, ``cleaned`` as CLEANED has it.
``known``: its end is. ``first``: it stands for the partition, whose ``brokers`` it names; ``read``:
its records are read, up to ``high`` (null: to its end). Of these ``packed`` is the ReplicaDir."""


class ReplicaEnd(NamedTuple):
    """The end of a replica: the next offset, and the newest timestamp (ms; None: no record)."""

    end: int
    newest: int | None


@dataclass(frozen=True, slots=True)
class FoundReplica:
    """A replica with what its directory tells: bytes of the volume and those that are free, and how
    far the cleaner got (an offset); None where that is not known."""

    replica: ReplicaDir
    total: int | None = None
    usable: int | None = None
    cleaned: int | None = None


def volume_of(replica: ReplicaDir) -> tuple[int | None, int | None]:
    """What a local volume holds is asked of it, of others it is not known."""
    if replica.root:
        return None, None
    try:
        found = os.statvfs(replica.path)
    except OSError:
        return None, None
    return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize


def log_rows(same: Sequence[FoundReplica]) -> Iterator[dict[str, Any]]:
    """LOGS of the replicas of one partition, in the order in which their locations were named."""
    by_path = {(found.replica.root, found.replica.path): found for found in same}
    every = both_tiers([found.replica for found in same])
    ends = {id(replica): end_of(replica) for replica in every if replica.ends}
    known = [replica for replica in every if id(replica) in ends]
    first = _furthest(known, ends)
    read = _furthest(every, ends)
    for replica in every:
        if replica is not read and id(replica) not in ends:
            continue
        found, end = by_path[replica.root, replica.path], ends.get(id(replica))
        row: dict[str, Any] = {
            "topic": replica.topic, "partition": replica.partition, "broker": replica.broker,
            "log_dir": replica.log_dir, "start": replica.first_offset,
            "size": sum(s.size for s in replica.segments if replica.tiered or not s.tiered),
            "stored": sum(s.size for s in replica.segments), "total": found.total,
            "usable": found.usable, "cleaned": found.cleaned, "known": end is not None,
            "first": replica is first, "read": replica is read,
        }  # fmt: skip
        if end is not None and first is not None:
            row |= {"end": end.end, "newest": end.newest, "lag": ends[id(first)].end - end.end}
        if replica is first:
            row["brokers"] = sorted({r.broker for r in known if r.broker is not None}) or None
        if replica is read and first is not None:
            row["high"] = _readable_end(first, ends[id(first)].end)
        if replica is first or replica is read:
            row["packed"] = pickle.dumps(replica, pickle.HIGHEST_PROTOCOL)
        yield row


def unpacked(packed: bytes) -> ReplicaDir:
    """The replica in a row of LOGS."""
    found: ReplicaDir = pickle.loads(packed)
    return found


def _furthest(every: Sequence[ReplicaDir], ends: dict[int, ReplicaEnd]) -> ReplicaDir | None:
    """The replica with the greatest last offset, the first of several."""
    if len(every) < 2 or all(r.segments == every[0].segments for r in every):
        return every[0] if every else None

    def end(replica: ReplicaDir) -> int:
        known = ends.get(id(replica))
        return seeker(replica).end_offset() if known is None else known.end

    return max(every, key=end)


def _readable_end(replica: ReplicaDir, end: int) -> int | None:
    """Where a read of it ends; None where its last segment cannot be read, so that the read of it
    reports that."""
    last = replica.segments[-1] if replica.segments else None
    return end if last is None or not last.size or end > last.base_offset else None


def end_of(replica: ReplicaDir) -> ReplicaEnd:
    """The end of a replica, by its last segments and their indexes."""
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
