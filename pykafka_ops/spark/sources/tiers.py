"""Segments that brokers moved to remote storage (KIP-405): what storage managers call them, and one
log of what a partition has in both tiers.

Kafka's own ``LocalTieredStorage`` writes ``TOPIC-PARTITION-ID/OFFSET-ID.log``, Aiven's plugin
``TOPIC-ID/PARTITION/OFFSET-ID.log`` with a ``.rsm-manifest`` beside it; an ID is a Kafka UUID of 22
characters. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.spark.sources.replica_dir import ReplicaDir, SegmentFile

MANIFEST: Final = ".rsm-manifest"
_ID: Final = r"(?P<id>[A-Za-z0-9_-]{22})"
_DIR: Final = re.compile(rf"(?P<topic>[A-Za-z0-9._-]{{1,249}})-(?P<partition>\d{{1,10}})-{_ID}")
_TOPIC: Final = re.compile(rf"(?P<topic>[A-Za-z0-9._-]{{1,249}})-{_ID}")
_FILE: Final = re.compile(rf"(?P<offset>\d{{20}})-{_ID}\.log")


class TieredName(NamedTuple):
    """A directory of remote storage: ``partition`` is None where those lie below it."""

    topic: str
    partition: int | None


def parse_dir(name: str) -> TieredName | None:
    """What a directory's name says; None for another."""
    if found := _DIR.fullmatch(name):
        return TieredName(found["topic"], int(found["partition"]))
    found = _TOPIC.fullmatch(name)
    return TieredName(found["topic"], None) if found else None


def first_offset(name: str) -> int | None:
    """The first offset of a segment, which its name begins with; None for another file."""
    found = _FILE.fullmatch(name)
    return int(found["offset"]) if found and int(found["offset"]) < 2**63 else None


def check_manifest(label: str, data: bytes) -> None:
    """UsageError where segments are not stored as they are: their bytes make no sense here."""
    try:
        found = json.loads(data)
        changed = [word for word in ("compression", "encryption") if found.get(word)]
    except (ValueError, AttributeError):
        changed = []
    if changed:
        raise UsageError(
            f"{label}: the storage plugin stored segments with {' and '.join(changed)}: read them "
            "through the brokers (-b)"
        )


def segments_once(found: Iterable[SegmentFile]) -> tuple[SegmentFile, ...]:
    """One segment for each first offset, the largest: after a change of leaders, or a copy that was
    tried again, there may be several."""
    best: dict[int, SegmentFile] = {}
    for segment in found:
        known = best.get(segment.base_offset)
        if known is None or segment.size > known.size:
            best[segment.base_offset] = segment
    return tuple(best[offset] for offset in sorted(best))


def one_log(
    every: Sequence[ReplicaDir], name_of: Callable[[ReplicaDir, SegmentFile], str]
) -> list[ReplicaDir]:
    """Replicas with what remote storage has before their first segment; remote storage by itself
    where there is no replica beside it. ``name_of`` names a segment from everywhere.

    A topic that was made again has another ID there: what was written last counts.
    """
    remote: dict[tuple[str, int], ReplicaDir] = {}
    for replica in (r for r in every if r.tiered):
        known = remote.get(replica.key)
        if known is None or _written(replica) > _written(known):
            remote[replica.key] = replica
    local = [replica for replica in every if not replica.tiered]
    made = [_joined(r, remote[r.key], name_of) if r.key in remote else r for r in local]
    beside = {replica.key for replica in local}
    return [*made, *(replica for key, replica in remote.items() if key not in beside)]


def _written(replica: ReplicaDir) -> int:
    return max((segment.modified for segment in replica.segments), default=-1)


def _joined(
    replica: ReplicaDir, remote: ReplicaDir, name_of: Callable[[ReplicaDir, SegmentFile], str]
) -> ReplicaDir:
    begin = replica.segments[0].base_offset if replica.segments else 2**63
    before = tuple(
        segment._replace(name=name_of(remote, segment))
        for segment in remote.segments
        if segment.base_offset < begin
    )
    return replica._replace(segments=(*before, *replica.segments))
