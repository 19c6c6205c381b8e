"""Facts about the replicas in log directories, without reading their records: a few small reads for
each, side by side, on the driver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.disk.names import CLEANER_OFFSET_CHECKPOINT
from pykafka_ops.errors import CorruptError
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.sources.files import Location, ReplicaDir, replicas
from pykafka_ops.spark.sources.log.plan import each, furthest, seeker
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message
from pykafka_ops.spark.sources.log.seek import Seeker

_LOOK_BACK: Final = 2
"""Closed segments whose time index is asked for the newest record: it is hardly ever older."""
_MOST_CHECKPOINT: Final = 64 << 20


class ReplicaEnd(NamedTuple):
    """The end of a replica: the next offset, and the newest timestamp (ms; None: no record)."""

    end: int
    newest: int | None


class Known(NamedTuple):
    """A replica with its end and its size in bytes."""

    replica: ReplicaDir
    tail: ReplicaEnd
    size: int

    @property
    def start(self) -> int:
        """The first offset that is there."""
        segments = self.replica.segments
        return max(self.replica.start_offset, segments[0].base_offset if segments else 0)


def known(locations: Sequence[str], topics: Names) -> list[Known]:
    """Every replica of the topics meant. UsageError or StorageError names a bad location."""
    found = [r for place in locations for r in replicas(place, lambda t, _: t in topics)]
    found = [r for r in found if r.topic is not None and r.topic in topics]
    tails = each(_tail, found)
    return [
        Known(replica, tail, sum(s.size for s in replica.segments))
        for replica, tail in zip(found, tails, strict=True)
    ]


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


def partition_columns(found: Sequence[Known]) -> dict[str, list[Any]]:
    """PARTITIONS; ``replicas`` are the brokers in whose directories they were found."""
    brokers: dict[tuple[str, int], set[int]] = {}
    for k in found:
        if k.replica.broker is not None:
            brokers.setdefault(k.replica.key, set()).add(k.replica.broker)
    best = one_each(found)
    none = [None] * len(best)
    return {
        "topic": [k.replica.topic for k in best],
        "partition": [k.replica.partition for k in best],
        "leader": none,
        "replicas": [sorted(brokers[k.replica.key]) if k.replica.key in brokers else None
                     for k in best],
        "isr": none,
        "start_offset": [k.start for k in best],
        "end_offset": [k.tail.end for k in best],
        "max_timestamp": [k.tail.newest for k in best],
    }  # fmt: skip


def dir_columns(found: Sequence[Known]) -> dict[str, list[Any]]:
    """LOG_DIRS; what a local volume holds is asked of it, of others it is not known."""
    ends = {k.replica.key: k.tail.end for k in one_each(found)}
    volumes = {place: _volume(place) for place in {(k.replica.root, k.replica.path) for k in found}}
    return {
        "broker": [k.replica.broker for k in found],
        "log_dir": [k.replica.log_dir for k in found],
        "topic": [k.replica.topic for k in found],
        "partition": [k.replica.partition for k in found],
        "size": [k.size for k in found],
        "offset_lag": [ends[k.replica.key] - k.tail.end for k in found],
        "future": [False] * len(found),
        "total_bytes": [volumes[k.replica.root, k.replica.path][0] for k in found],
        "usable_bytes": [volumes[k.replica.root, k.replica.path][1] for k in found],
    }


def _volume(place: tuple[str, str]) -> tuple[int | None, int | None]:
    root, path = place
    if root:
        return None, None
    try:
        found = os.statvfs(path)
    except OSError:
        return None, None
    return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize


def cleaned_columns(found: Sequence[Known]) -> dict[str, list[Any]]:
    """CLEANED, for the partitions that are there."""
    rows: list[tuple[int | None, str, str, int, int]] = []
    seen: dict[tuple[str, str], dict[tuple[str, int], int]] = {}
    for k in found:
        above = k.replica.path.rpartition("/")[0]
        if (k.replica.root, above) not in seen:
            seen[k.replica.root, above] = _checkpoint(k.replica.root, above)
        offset = seen[k.replica.root, above].get(k.replica.key)
        if offset is not None:
            rows.append((k.replica.broker, k.replica.log_dir, *k.replica.key, offset))
    names = ("broker", "log_dir", "topic", "partition", "offset")
    return {name: [row[n] for row in rows] for n, name in enumerate(names)}


def _checkpoint(root: str, directory: str) -> dict[tuple[str, int], int]:
    place = Location.of(root) if root else Location(None, directory)
    data = place.read(f"{directory}/{CLEANER_OFFSET_CHECKPOINT}", _MOST_CHECKPOINT)
    try:
        return parse_offsets((data or b"").decode("utf-8", "replace"), CLEANER_OFFSET_CHECKPOINT)
    except CorruptError:
        return {}
