"""Log directories wherever they are: local, or behind any URI that ``pyarrow.fs`` opens.

A location names a log directory of a broker, one partition's directory in it, or a ``.log`` file.
Directories of partitions that are being deleted or moved, or were not expected, are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

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
from pykafka_ops.errors import CorruptError, StorageError, UsageError
from pykafka_ops.spark import uris
from pykafka_ops.spark.sources import tiers
from pykafka_ops.spark.sources.place import Location, RandomFile
from pykafka_ops.spark.sources.replica_dir import ReplicaDir, SegmentFile
from pykafka_ops.spark.sources.store_errors import cause

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

_BROKER_ID = re.compile(rb"^\s*(?:broker\.id|node\.id)\s*[=:]\s*(\d{1,9})\s*$", re.MULTILINE)
__all__ = ["Location", "RandomFile", "ReplicaDir", "SegmentFile", "find", "replicas"]
_MOST_META = 1 << 16
_MOST_CHECKPOINT = 64 << 20
_SIDE = (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)


class _File(NamedTuple):
    """``size`` is -1 of a link to nothing, whatever it should be."""

    name: str
    size: int
    modified: int


def replicas(location: str, wanted: Any = None) -> list[ReplicaDir]:
    """Every partition's directory at ``location``, with its segments, in order of their names.

    ``wanted(topic, partition)`` says which to look into; None for all. Raises UsageError where
    nothing of Kafka's is there, StorageError where it may not be read.
    """
    place = Location.of(location)
    return find(place, uris.shown(location), wanted)


def find(place: Location, label: str, wanted: Any = None) -> list[ReplicaDir]:
    """As :func:`replicas`, in a filesystem that is open; ``label`` is its name in messages."""
    with _explained(label):
        kind = _kind(place, place.path)
        if kind == "file":
            return [_single(place, label)]
        if kind != "directory":
            place.check_bucket()
            raise UsageError(f"{label}: no such directory: name a log directory of a broker")
        files, folders = _listing(place, place.path)
        files, lost = _sound(files)
        if any(_is_log(file.name) for file in files):
            return [_partition(place, label, [*files, *lost])]
        if any(tiers.first_offset(file.name) is not None for file in files):
            return [_tiered_itself(place, label, files)]
        found = list(_partitions(place, label, files, [*folders, *(f.name for f in lost)], wanted))
        found += _tiered(place, label, folders, wanted)
    known = any(file.name == META_PROPERTIES for file in files)
    if not found and not known and not any(parse_dir(name) for name in folders):
        raise UsageError(
            f"{label}: no partitions there: name a log directory of a broker (log.dirs), one "
            "partition's directory in it, or a .log file"
        )
    return found


def _partitions(
    place: Location, label: str, files: Sequence[_File], folders: Iterable[str], wanted: Any
) -> Iterator[ReplicaDir]:
    present = {file.name for file in files}
    broker = _broker(place, place.path) if META_PROPERTIES in present else None
    starts = _starts(place, place.path) if LOG_START_OFFSET_CHECKPOINT in present else {}
    for name in sorted(folders):
        parsed = parse_dir(name)
        if parsed is None or parsed.state:
            continue
        if wanted is not None and not wanted(parsed.topic, parsed.partition):
            continue
        path = f"{place.path}/{name}"
        try:
            inside, _ = _listing(place, path)
        except FileNotFoundError:
            if not (place.local and os.path.islink(path)):  # deleted meanwhile
                continue
            inside = [_File("", -1, 0)]
        yield ReplicaDir(
            parsed.topic,
            parsed.partition,
            place.root,
            path,
            label.rstrip("/") or label,
            broker,
            *_segments(inside),
            start_offset=starts.get((parsed.topic, parsed.partition), 0),
            dangling=_dangling(inside),
        )


def _partition(place: Location, label: str, files: Sequence[_File]) -> ReplicaDir:
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


def _tiered(
    place: Location, label: str, folders: Iterable[str], wanted: Any
) -> Iterator[ReplicaDir]:
    """Partitions in a directory of remote storage."""
    for name in sorted(folders):
        parsed = None if parse_dir(name) else tiers.parse_dir(name)
        if parsed is None:
            continue
        path = f"{place.path}/{name}"
        if parsed.partition is not None:
            below = {parsed.partition: path}
        else:
            numbers = [n for n in _listing(place, path)[1] if n.isascii() and n.isdigit()]
            below = {int(n): f"{path}/{n}" for n in sorted(numbers, key=int) if len(n) < 11}
        for partition, folder in below.items():
            if wanted is None or wanted(parsed.topic, partition):
                files, _ = _listing(place, folder)
                yield _tiered_one(place.at(folder), label, (parsed.topic, partition), files)


def _tiered_itself(place: Location, label: str, files: Sequence[_File]) -> ReplicaDir:
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
    place: Location, label: str, key: tuple[str, int], files: Sequence[_File]
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
    files, _ = _listing(place, folder)
    replica = _partition(place.at(folder), _above(label), files)
    chosen = tuple(segment for segment in replica.segments if segment.name == name)
    last = bool(chosen) and chosen[0] == replica.segments[-1]
    return replica._replace(segments=chosen, whole=last, dangling=())


def _sound(files: Iterable[_File]) -> tuple[list[_File], list[_File]]:
    """Files, and links to nothing."""
    every = list(files)
    return [f for f in every if f.size >= 0], [f for f in every if f.size < 0]


def _dangling(files: Iterable[_File]) -> tuple[str, ...]:
    return tuple(f.name for f in files if f.size < 0 and (not f.name or _is_log(f.name)))


def _segments(files: Iterable[_File]) -> tuple[tuple[SegmentFile, ...], tuple[int, ...]]:
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


def _kind(place: Location, path: str) -> str:
    if place.filesystem is None:
        os.stat(path)
        return "directory" if os.path.isdir(path) else "file"
    from pyarrow.fs import FileType

    found = place.filesystem.get_file_info(path).type
    return {FileType.Directory: "directory", FileType.File: "file"}.get(found, "")


def _listing(place: Location, path: str) -> tuple[list[_File], list[str]]:
    """(files, names of directories) of a directory; a file that goes away meanwhile is left out."""
    if place.filesystem is None:
        return _scan(path)
    from pyarrow.fs import FileSelector, FileType

    found: list[FileInfo] = place.filesystem.get_file_info(FileSelector(path))
    files = [
        _File(info.base_name, int(info.size), (info.mtime_ns or 0) // 1_000_000)
        for info in found
        if info.type == FileType.File
    ]
    return files, [info.base_name for info in found if info.type == FileType.Directory]


def _scan(path: str) -> tuple[list[_File], list[str]]:
    files: list[_File] = []
    folders: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                if entry.is_dir():
                    folders.append(entry.name)
                    continue
                known = entry.stat()
            except FileNotFoundError:
                if entry.is_symlink():
                    files.append(_File(entry.name, -1, 0))
                continue
            files.append(_File(entry.name, known.st_size, known.st_mtime_ns // 1_000_000))
    return files, folders


@contextmanager
def _explained(label: str) -> Iterator[None]:
    """Say which location cannot be read, and why."""
    try:
        yield
    except FileNotFoundError:
        raise UsageError(
            f"{label}: no such directory: name a log directory of a broker (log.dirs)"
        ) from None
    except PermissionError:
        raise StorageError(
            f"{label}: no permission to read it: run as the user that the broker runs as"
        ) from None
    except OSError as e:
        raise StorageError(f"{label}: cannot be read: {cause(label, e)}") from None
