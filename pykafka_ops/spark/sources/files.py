"""Log directories wherever they are: local, or behind any URI that ``pyarrow.fs`` opens.

A location names a log directory of a broker, one partition's directory in it, or a ``.log`` file.
Directories of partitions that are being deleted or moved, or were not expected, are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.disk.names import (
    INDEX_SUFFIX,
    LOG_START_OFFSET_CHECKPOINT,
    LOG_SUFFIX,
    META_PROPERTIES,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    parse_dir,
    parse_segment_file,
)
from pykafka_ops.errors import CorruptError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.sources import tiers
from pykafka_ops.spark.sources.below import Listing, Listings, inside, listings_below, only
from pykafka_ops.spark.sources.listing import ListedFile, explained_at, kind_of, listing
from pykafka_ops.spark.sources.place import Location, RandomFile
from pykafka_ops.spark.sources.replica_dir import ReplicaDir, SegmentFile

_BROKER_ID = re.compile(rb"^\s*(?:broker\.id|node\.id)\s*[=:]\s*(\d{1,9})\s*$", re.MULTILINE)
__all__ = ["Location", "RandomFile", "ReplicaDir", "SegmentFile", "find", "replicas"]
_MOST_META = 1 << 16
_MOST_CHECKPOINT = 64 << 20
_SIDE = (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)


def replicas(location: str, wanted: Any = None) -> list[ReplicaDir]:
    """Every partition's directory at ``location``, with its segments, in order of their names.

    ``wanted(topic, partition)`` says which to look into; None for all. Raises UsageError where
    nothing of Kafka's is there, StorageError where it may not be read.
    """
    place = Location.of(location)
    return find(place, uris.shown(location), wanted)


class Folders(NamedTuple):
    """Directories of one location that are to be looked into, some at a time.

    ``location`` and ``path`` open it again in another process, ``starts`` are the log start offsets
    that the broker noted of them, ``held`` is what is in them, where that was listed together.
    ``found``: what a location is that is no log directory.
    """

    location: str
    path: str
    label: str
    names: tuple[str, ...] = ()
    broker: int | None = None
    starts: Mapping[tuple[str, int], int] = {}
    tiered: bool = False
    found: ReplicaDir | None = None
    held: Mapping[str, Listing] = {}

    def cut(self, most: int) -> Iterator[Folders]:
        """The same in pieces of at most so many directories."""
        if self.found is not None:
            yield self
        for begin in range(0, len(self.names), most):
            names = self.names[begin : begin + most]
            keys = () if self.tiered else (key_of(name) for name in names)
            starts = {key: self.starts[key] for key in keys if key in self.starts}
            held = only(self.held, [f"{self.path}/{name}" for name in names])
            yield self._replace(names=names, starts=starts, held=held)

    def replicas(self, wanted: Any = None, place: Location | None = None) -> list[ReplicaDir]:
        """What is in them; ``place`` where it is open. StorageError where it may not be read."""
        if self.found is not None:
            return [self.found]
        place = place or Location.of(self.location).at(self.path)
        with explained_at(self.label):
            return list((_tiered if self.tiered else _partitions)(place, self, wanted))


def find(place: Location, label: str, wanted: Any = None) -> list[ReplicaDir]:
    """As :func:`replicas`, in a filesystem that is open; ``label`` is its name in messages."""
    every = folders_of(place, label, wanted)
    return [replica for folders in every for replica in folders.replicas(wanted, place)]


def folders_of(place: Location, label: str, wanted: Any = None) -> list[Folders]:
    """What a location consists of, without a look into the directories of its partitions. Raises as
    :func:`replicas`."""
    with explained_at(label):
        kind = kind_of(place, place.path)
        if kind == "file":
            return [_itself(place, label, _single(place, label))]
        if kind != "directory":
            place.check_bucket()
            raise UsageError(f"{label}: no such directory: name a log directory of a broker")
        files, names = listing(place, place.path)
        files, lost = _sound(files)
        if any(_is_log(file.name) for file in files):
            return [_itself(place, label, _partition(place, label, [*files, *lost]))]
        if any(tiers.first_offset(file.name) is not None for file in files):
            return [_itself(place, label, _tiered_itself(place, label, files))]
        present = {file.name for file in files}
        found = [
            _of_partitions(place, label, present, [*names, *(f.name for f in lost)], wanted),
            _of_tiers(place, label, names),
        ]
        every = [name for folders in found for name in folders.names]
        held = listings_below(place, len(names), every)
        found = [folders._replace(held=held) for folders in found]
        is_known = META_PROPERTIES in present or any(parse_dir(name) for name in names)
        is_known = is_known or any(_below(place, name, held) for name in found[1].names)
    if not is_known and not found[0].names:
        raise UsageError(
            f"{label}: no partitions there: name a log directory of a broker (log.dirs), one "
            "partition's directory in it, or a .log file"
        )
    return found


def _itself(place: Location, label: str, found: ReplicaDir) -> Folders:
    return Folders(place.root or place.path, place.path, label, found=found)


def _of_partitions(
    place: Location, label: str, present: Collection[str], names: Sequence[str], wanted: Any
) -> Folders:
    chosen = []
    for name in sorted(names):
        parsed = parse_dir(name)
        if parsed is None or parsed.state:
            continue
        if wanted is None or wanted(parsed.topic, parsed.partition):
            chosen.append(name)
    broker = _broker(place, place.path) if META_PROPERTIES in present else None
    starts = _starts(place, place.path) if LOG_START_OFFSET_CHECKPOINT in present else {}
    where = place.root or place.path
    return Folders(where, place.path, label, tuple(chosen), broker, starts)


def _of_tiers(place: Location, label: str, names: Iterable[str]) -> Folders:
    """Those of remote storage."""
    chosen = (name for name in sorted(names) if not parse_dir(name) and tiers.parse_dir(name))
    return Folders(place.root or place.path, place.path, label, tuple(chosen), tiered=True)


def key_of(name: str) -> tuple[str, int]:
    """Topic and partition of a directory's name that has both."""
    parsed = parse_dir(name)
    assert parsed is not None
    return parsed.topic, parsed.partition


def _partitions(place: Location, folders: Folders, _wanted: Any) -> Iterator[ReplicaDir]:
    for name in folders.names:
        key = key_of(name)
        path = f"{place.path}/{name}"
        try:
            files, _ = inside(place, path, folders.held)
        except FileNotFoundError:
            if not (place.local and os.path.islink(path)):  # deleted meanwhile
                continue
            files = [ListedFile("", -1, 0)]
        yield ReplicaDir(
            *key,
            place.root,
            path,
            folders.label.rstrip("/") or folders.label,
            folders.broker,
            *_segments(files),
            start_offset=folders.starts.get(key, 0),
            dangling=_dangling(files),
        )


def _partition(place: Location, label: str, files: Sequence[ListedFile]) -> ReplicaDir:
    """The one directory that was named itself."""
    above, _, name = place.path.rstrip("/").rpartition("/")
    parsed = parse_dir(name)
    topic, partition = (parsed.topic, parsed.partition) if parsed else (None, None)
    return ReplicaDir(
        topic,
        partition,
        place.root,
        place.path.rstrip("/"),
        _above(label),
        _broker(place, above),
        *_segments(files),
        start_offset=_starts(place, above).get((topic or "", partition or 0), 0),
        dangling=_dangling(files),
    )


def _tiered(place: Location, folders: Folders, wanted: Any) -> Iterator[ReplicaDir]:
    """Partitions in a directory of remote storage."""
    for name in folders.names:
        for (topic, partition), folder in _below(place, name, folders.held).items():
            if wanted is None or wanted(topic, partition):
                files, _ = inside(place, folder, folders.held)
                yield _tiered_one(place.at(folder), folders.label, (topic, partition), files)


def _below(place: Location, name: str, held: Listings) -> dict[tuple[str, int], str]:
    """The directories of partitions in one of remote storage, which may be one itself."""
    parsed = tiers.parse_dir(name)
    assert parsed is not None
    path = f"{place.path}/{name}"
    if parsed.partition is not None:
        return {(parsed.topic, parsed.partition): path}
    numbers = [n for n in inside(place, path, held)[1] if n.isascii() and n.isdigit()]
    return {(parsed.topic, int(n)): f"{path}/{n}" for n in sorted(numbers, key=int) if len(n) < 11}


def _tiered_itself(place: Location, label: str, files: Sequence[ListedFile]) -> ReplicaDir:
    """The one directory of remote storage that was named itself."""
    *_, above, name = ["", *place.path.rstrip("/").split("/")]
    parsed = tiers.parse_dir(name)
    if parsed is None and name.isdigit() and (topic := tiers.parse_dir(above)):
        parsed = topic._replace(partition=int(name))
    if parsed is None or parsed.partition is None:
        raise UsageError(
            f"{label}: segments of remote storage, but of which partition? Name the directory above"
        )
    return _tiered_one(place, _above(label), (parsed.topic, parsed.partition), files)


def _tiered_one(
    place: Location, label: str, key: tuple[str, int], files: Sequence[ListedFile]
) -> ReplicaDir:
    manifests = sorted(file.name for file in files if file.name.endswith(tiers.MANIFEST))
    for name in {*manifests[:1], *manifests[-1:]}:
        data = place.read(f"{place.path}/{name}", _MOST_META)
        tiers.check_manifest(f"{label}: {name}", data or b"")
    segments = tiers.segments_once(
        SegmentFile(offset, file.name, file.size, file.modified, tiered=True)
        for file in files
        if (offset := tiers.first_offset(file.name)) is not None
    )
    shown = label.rstrip("/") or label
    return ReplicaDir(
        *key, place.root, place.path.rstrip("/"), shown, None, segments, whole=False, tiered=True
    )


def both_tiers(every: Sequence[ReplicaDir]) -> list[ReplicaDir]:
    """Replicas with what remote storage has of them beyond what they have themselves."""
    if not any(replica.tiered for replica in every):
        return list(every)
    return tiers.one_log(every, _name_of)


def _name_of(replica: ReplicaDir, segment: SegmentFile) -> str:
    """A path or URI of a segment that opens it from everywhere."""
    path = f"{replica.path}/{segment.name}"
    if not replica.root:
        return path
    above = Location.of(replica.root).path.rstrip("/")
    return uris.joined(replica.root, path.removeprefix(above).lstrip("/"))


def _single(place: Location, label: str) -> ReplicaDir:
    """A segment that was named itself; what is in its directory besides, is not looked at."""
    folder, _, name = place.path.rpartition("/")
    if not _is_log(name):
        raise UsageError(f"{label}: not a segment: its name must be of digits and end in .log")
    files, _ = listing(place, folder)
    replica = _partition(place.at(folder), _above(label), files)
    chosen = tuple(segment for segment in replica.segments if segment.name == name)
    last = bool(chosen) and chosen[0] == replica.segments[-1]
    return replica._replace(segments=chosen, whole=last, dangling=())


def _sound(files: Iterable[ListedFile]) -> tuple[list[ListedFile], list[ListedFile]]:
    """Files, and links to nothing."""
    every = list(files)
    return [f for f in every if f.size >= 0], [f for f in every if f.size < 0]


def _dangling(files: Iterable[ListedFile]) -> tuple[str, ...]:
    return tuple(f.name for f in files if f.size < 0 and (not f.name or _is_log(f.name)))


def _segments(files: Iterable[ListedFile]) -> tuple[tuple[SegmentFile, ...], tuple[int, ...]]:
    logs: list[SegmentFile] = []
    side: dict[tuple[int, str], int] = {}
    snapshots: list[int] = []
    for file in files:
        parsed = parse_segment_file(file.name)
        if parsed is None or parsed.state or parsed.offset >= 2**63 or file.size < 0:
            continue
        if parsed.suffix == LOG_SUFFIX:
            logs.append(SegmentFile(parsed.offset, file.name, file.size, file.modified))
        elif parsed.suffix in _SIDE:
            side[parsed.offset, parsed.suffix] = file.size
        elif parsed.suffix == SNAPSHOT_SUFFIX:
            snapshots.append(parsed.offset)
    logs.sort()
    whole = (
        log._replace(
            index_size=side.get((log.base_offset, INDEX_SUFFIX), -1),
            time_index_size=side.get((log.base_offset, TIME_INDEX_SUFFIX), -1),
            txn_index_size=side.get((log.base_offset, TXN_INDEX_SUFFIX), -1),
        )
        for log in logs
    )
    return tuple(whole), tuple(sorted(snapshots))


def _is_log(name: str) -> bool:
    parsed = parse_segment_file(name)
    return parsed is not None and parsed.suffix == LOG_SUFFIX and not parsed.state


def _above(label: str) -> str:
    return label.rstrip("/").rpartition("/")[0] or ("." if "/" not in label.rstrip("/") else "/")


def _broker(place: Location, path: str) -> int | None:
    """``broker.id`` of a log directory; None where its meta.properties names none."""
    data = place.read(f"{path}/{META_PROPERTIES}", _MOST_META)
    found = _BROKER_ID.search(data) if data else None
    return int(found[1]) if found else None


def checkpoint(place: Location, path: str, name: str) -> dict[tuple[str, int], int]:
    """The offsets that the broker noted in a log directory; empty where nothing readable."""
    data = place.read(f"{path}/{name}", _MOST_CHECKPOINT)
    try:
        return parse_offsets((data or b"").decode("utf-8", "replace"), name)
    except CorruptError:
        return {}


def _starts(place: Location, path: str) -> dict[tuple[str, int], int]:
    """Where logs begin after DeleteRecords."""
    return checkpoint(place, path, LOG_START_OFFSET_CHECKPOINT)
