"""Which partitions log directories hold: a broker's, running or not, copies, or a single one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from struct import Struct
from typing import Final, NamedTuple

from pykafka_ops.audit.source import PartitionKey
from pykafka_ops.audit.tree import FileTree, LocalTree, TreeFile, read_file
from pykafka_ops.disk.batch import (
    HEADER_SIZE,
    LOG_OVERHEAD,
    MIN_LENGTH,
    BatchHeader,
    next_batch_size,
    read_header,
)
from pykafka_ops.disk.checkpoint import parse_offsets, parse_partition_metadata
from pykafka_ops.disk.index import OffsetIndex, used_bytes
from pykafka_ops.disk.legacy import read_message_header
from pykafka_ops.disk.names import (
    CLEANER_OFFSET_CHECKPOINT,
    INDEX_SUFFIX,
    LOG_START_OFFSET_CHECKPOINT,
    LOG_SUFFIX,
    META_PROPERTIES,
    PARTITION_METADATA,
    REPLICATION_OFFSET_CHECKPOINT,
    DirName,
    parse_dir,
    parse_segment_file,
)
from pykafka_ops.errors import CorruptBatchError, CorruptError, UsageError

_CHUNK: Final = 1 << 20
_HEADS: Final = 4096
_LENGTH: Final = Struct(">i")
_MOST_CHECKPOINT: Final = 64 << 20
_MOST_INDEX: Final = 256 << 20
HERE: Final[FileTree] = LocalTree()


class LogSegment(NamedTuple):
    """A ``.log`` file and its first offset."""

    base: int
    path: str


class LogFolder(NamedTuple):
    """A partition's directory. ``committed``: up to which offset the broker noted that records are
    committed (None: it noted nothing), ``start`` from where on they were not deleted."""

    key: PartitionKey
    path: str
    segments: Sequence[LogSegment]
    topic_id: str
    start: int
    committed: int | None
    cleaned: bool
    tree: FileTree = HERE

    def from_offset(self, offset: int) -> Sequence[LogSegment]:
        """The segments with records at or above it."""
        at = 0
        for number, segment in enumerate(self.segments):
            if segment.base <= offset:
                at = number
        return self.segments[at:]

    def index_of(self, segment: LogSegment) -> OffsetIndex:
        """The segment's offset index, empty where there is none. Raises OSError, CorruptError."""
        path = segment.path.removesuffix(LOG_SUFFIX) + INDEX_SUFFIX
        stored = read_file(self.tree, path, _MOST_INDEX) or b""
        return OffsetIndex(segment.base, stored[: used_bytes(stored, 8)])

    def position_of(self, segment: LogSegment, offset: int) -> int:
        """A position in the segment at which a batch begins that is not behind ``offset``, by its
        index; 0 where that does not fit."""
        try:
            known, position = self.index_of(segment).lookup(offset)
            if position <= 0:
                return 0
            with closing(self.tree.open(segment.path)) as log:
                header = read_header(log.read_at(HEADER_SIZE, position))
        except (OSError, CorruptError):
            return 0
        fits = header.magic == 2 and header.base_offset <= known <= header.last_offset
        return position if fits else 0


def folders(path: str, wanted: Callable[[str], bool], tree: FileTree = HERE) -> list[LogFolder]:
    """The partitions at ``path``: a log directory, or a directory of one partition.

    Raises UsageError where nothing of Kafka's is there, OSError where it cannot be read.
    """
    path = path.rstrip("/") or path
    if not tree.is_dir(path):
        raise UsageError(f"{path}: no such directory: name a log directory of a broker (log.dirs)")
    whole = os.path.abspath(path) if isinstance(tree, LocalTree) else path
    own = parse_dir(os.path.basename(whole))
    names = tree.names(path)
    if own is not None and not own.state and any(name.endswith(LOG_SUFFIX) for name in names):
        found = _folder(tree, path, own, _Checkpoints(tree, os.path.dirname(whole)))
        return [found] if wanted(own.topic) else []
    noted = _Checkpoints(tree, path)
    parsed = [(name, parse_dir(name)) for name in names]
    if META_PROPERTIES not in names and not any(one for _, one in parsed):
        raise UsageError(f"{path}: no partitions there: name a log directory of a broker")
    return [
        _folder(tree, os.path.join(path, name), one, noted)
        for name, one in parsed
        if one is not None and not one.state and wanted(one.topic)
        and tree.is_dir(os.path.join(path, name))
    ]  # fmt: skip


class _Checkpoints:
    """What a broker noted in its log directory. Raises CorruptError."""

    def __init__(self, tree: FileTree, folder: str) -> None:
        self.committed = _offsets(tree, folder, REPLICATION_OFFSET_CHECKPOINT)
        self.starts = _offsets(tree, folder, LOG_START_OFFSET_CHECKPOINT)
        self.cleaned = _offsets(tree, folder, CLEANER_OFFSET_CHECKPOINT)


def _offsets(tree: FileTree, folder: str, name: str) -> dict[PartitionKey, int]:
    text = _text(tree, os.path.join(folder, name))
    return parse_offsets(text, name) if text else {}


def _text(tree: FileTree, path: str) -> str:
    """A small file's text; "" where there is none."""
    return (read_file(tree, path, _MOST_CHECKPOINT) or b"").decode("utf-8", "replace")


def _folder(tree: FileTree, path: str, name: DirName, noted: _Checkpoints) -> LogFolder:
    key = (name.topic, name.partition)
    segments = []
    for entry in tree.names(path):
        parsed = parse_segment_file(entry)
        if parsed is not None and parsed.suffix == LOG_SUFFIX and not parsed.state:
            segments.append(LogSegment(parsed.offset, os.path.join(path, entry)))
    topic_id = ""
    with suppress(CorruptError):
        text = _text(tree, os.path.join(path, PARTITION_METADATA))
        topic_id = parse_partition_metadata(text).hex() if text else ""
    first = segments[0].base if segments else 0
    start = max(first, noted.starts.get(key, 0))
    return LogFolder(
        key, path, segments, topic_id, start, noted.committed.get(key), key in noted.cleaned, tree
    )


def end_of(folder: LogFolder) -> int:
    """The offset behind the last whole batch. Raises OSError, CorruptError."""
    for segment in reversed(folder.segments):
        with closing(folder.tree.open(segment.path)) as file:
            end = _end_in(file, folder.position_of(segment, 1 << 62))
        if end >= 0:
            return end
    return folder.segments[-1].base if folder.segments else folder.start


def _end_in(file: TreeFile, position: int) -> int:
    """The offset behind the last batch that is there as a whole, -1: there is none. Only the heads
    of batches are read. Raises OSError, CorruptError."""
    size, end = file.size, -1
    while data := file.read_at(_HEADS, position):
        place = 0
        while len(data) - place >= HEADER_SIZE:
            length = LOG_OVERHEAD + _LENGTH.unpack_from(data, place + 8)[0]
            if length < LOG_OVERHEAD + MIN_LENGTH:
                raise CorruptBatchError(f"a batch of {length} bytes at byte {position + place}")
            if position + place + length > size:
                return end
            end = _next_offset(data, place)
            place += length
        if not place:  # less than the head of a batch: it may be an old message, the last one
            whole = next_batch_size(data)
            if whole is None:
                return end
            end, place = _next_offset(data, 0), whole
        position += place
    return end


def _next_offset(data: bytes, place: int) -> int:
    """The offset behind a batch, or a message of an old format. Raises CorruptError."""
    if data[place + 16] == 2:
        return read_header(data, place).next_offset
    return read_message_header(data, place).offset + 1


def pieces(file: TreeFile, position: int) -> Iterator[bytes]:
    """A log in pieces of whole batches, from where one begins. Raises OSError, CorruptError."""
    room = _CHUNK
    while data := file.read_at(room, position):
        used = 0
        for place, size, _ in heads(data):
            used = place + size
        if used:
            yield data[:used]
            position += used
            room = _CHUNK
        elif len(data) < room:
            return
        else:
            room *= 4


def heads(data: bytes) -> Iterator[tuple[int, int, BatchHeader | None]]:
    """Position, size and, of a batch v2, the header of every whole batch. Raises CorruptError."""
    place = 0
    while (size := next_batch_size(data, place)) is not None:
        yield place, size, read_header(data, place) if data[place + 16] == 2 else None
        place += size
