"""Segments for the verbs that read records: which there are, where to start, what is damaged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import FileIO
from itertools import pairwise

from pykafka_ops.commands.dump_log.paths import expand, kind_of
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import decompress
from pykafka_ops.disk.index import OffsetIndex, TimeIndex, used_bytes
from pykafka_ops.disk.legacy import iter_message
from pykafka_ops.disk.names import LOG_SUFFIX, parse_dir, parse_segment_file
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.salvage import DamagedBytes, SoundBatch, sound_batches
from pykafka_ops.errors import UsageError

#: What one batch may take decompressed; one that takes more is a bomb.
LIMIT = 1 << 30
#: Damage shown on stderr; the rest is counted.
_MOST_NAMED = 50
CHECK_FAILED = 4
#: Bytes that are read at once.
_STRIDE = 4 << 20


class SegmentPath:
    """A log file. ``base`` is the offset in its name, None without; ``following`` that of the next
    segment of its directory; ``topic`` and ``partition`` are None where the directory has no such
    name."""

    __slots__ = ("base", "folder", "following", "name", "partition", "path", "topic")

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder, self.name = os.path.split(path)
        found = parse_segment_file(self.name)
        self.base = found.offset if found else None
        self.following: int | None = None
        place = parse_dir(os.path.basename(os.path.abspath(self.folder)))
        self.topic = place.topic if place else None
        self.partition = place.partition if place else None

    @property
    def place(self) -> str:
        """``topic-partition`` where that is known, else the directory."""
        return self.folder or "." if self.topic is None else f"{self.topic}-{self.partition}"

    def where(self) -> dict[str, object]:
        """As JSON names it."""
        return {"file": self.path, "topic": self.topic, "partition": self.partition}


def segments(paths: Iterable[str]) -> list[SegmentPath]:
    """The logs among ``paths``, each directory's by offset.

    Of directories only live segments count, not those deleted, or being cleaned or swapped in.
    UsageError where there are none.
    """
    paths = list(paths)
    named = {os.path.realpath(path) for path in paths}
    found: dict[str, SegmentPath] = {}
    for path in expand(paths):
        real = os.path.realpath(path)
        if kind_of(path) == "log" and (path.endswith(LOG_SUFFIX) or real in named):
            found.setdefault(real, SegmentPath(path))
    if not found:
        raise UsageError(f"no log segments (*.log) in {', '.join(paths)}")
    made = list(found.values())
    for one, following in pairwise(made):
        if one.folder == following.folder:
            one.following = following.base
    return made


def bytes_of(found: Iterable[SegmentPath]) -> int:
    """The size of segments; one that cannot be had counts as empty."""
    total = 0
    for segment in found:
        with suppress(OSError):
            total += os.path.getsize(segment.path)
    return total


class Reading:
    """Reads segments, and says on stderr what of them is damaged or cannot be read.

    ``emit`` gets each damage as a row, too; ``progress`` how far reading is. ``code``: 4 with
    damage, 1 where a file failed, else 0.
    """

    def __init__(
        self,
        emit: Callable[[dict[str, object]], None] | None = None,
        progress: ProgressBar | None = None,
    ) -> None:
        self.emit, self.progress = emit, progress
        self.damages = self.lost = self.failed = 0

    @property
    def code(self) -> int:
        """The exit code that the damage means."""
        return CHECK_FAILED if self.damages else 1 if self.failed else 0

    def batches(
        self, segment: SegmentPath, start: Callable[[SegmentReader], int] | None = None
    ) -> Iterator[SoundBatch]:
        """The sound batches of a segment, from the byte on that ``start`` finds."""
        try:
            with open(segment.path, "rb", buffering=0) as file:
                yield from self._read(SegmentReader(segment, file), start)
        except OSError as e:
            self._say(f"pko: {segment.path}: {e.strerror}")
            self.failed += 1

    def _read(
        self, log: SegmentReader, start: Callable[[SegmentReader], int] | None
    ) -> Iterator[SoundBatch]:
        first = start(log) if start else 0
        before, mark = self.progress.done if self.progress else 0, first + _STRIDE
        end = first
        for batch in log.batches(first):
            if batch.position > mark and self.progress:
                mark = batch.position + _STRIDE
                self.progress.set(before + batch.position)
            if isinstance(batch, DamagedBytes):
                self.tell(log.segment, batch)
                end = batch.position + batch.size
            else:
                yield batch
                end = batch.position + batch.header.size
        if self.progress:
            self.progress.set(before + end)

    def malformed(self, segment: SegmentPath, batch: SoundBatch, reason: str) -> None:
        """The CRC of a batch is right, its records are not."""
        self.tell(segment, DamagedBytes(batch.position, batch.header.size, reason))

    def tell(self, segment: SegmentPath, damage: DamagedBytes) -> None:
        """Count a damage, say where it is, how much was skipped and where reading went on."""
        self.damages += 1
        self.lost += damage.size
        if self.emit is not None:
            self.emit({"kind": "damage", **segment.where(), **damage._asdict()})
        if self.damages <= _MOST_NAMED:
            self._say(
                f"pko: {segment.path}: damage at byte {damage.position}: {damage.reason}; "
                f"{damage.size} bytes skipped"
            )

    def _say(self, text: str) -> None:
        if self.progress:
            self.progress.clear()
        say(text)

    def close(self) -> int:
        """The last word about damage; the exit code."""
        if self.damages:
            places = "place" if self.damages == 1 else "places"
            self._say(
                f"{self.damages} damaged {places}, {self.lost} bytes skipped; pko dump-log verify"
            )
        return self.code


class SegmentReader:
    """A log read piece by piece, since a file mapped in memory must not shrink while it is read,
    and the log of a running broker may."""

    __slots__ = ("file", "segment")

    def __init__(self, segment: SegmentPath, file: FileIO) -> None:
        self.segment, self.file = segment, file

    def batches(self, start: int) -> Iterator[SoundBatch | DamagedBytes]:
        """As ``sound_batches`` of the whole file from byte ``start`` on.

        Where it cannot go on, more is read, in the end all the rest: only that shows damage.
        OSError where reading fails.
        """
        lowest, room = self.segment.base, _STRIDE
        while True:
            data = self._part(start, room)
            complete, last = len(data) < room, None
            for batch in sound_batches(data, base_offset=lowest, complete=complete):
                if isinstance(batch, SoundBatch):
                    last = batch
                    yield SoundBatch(start + batch.position, batch.header, batch.tail)
                else:
                    yield batch._replace(position=start + batch.position)
            if complete:
                size = os.fstat(self.file.fileno()).st_size
                if size < start:
                    yield DamagedBytes(size, start - size, "cut off while it was read")
                return
            room = _STRIDE if last else room * 4
            if last is not None:
                start += last.position + last.header.size
                lowest = max(self.segment.base or 0, _last(last)[0] + 1)

    def _part(self, start: int, size: int) -> bytes:
        self.file.seek(start)
        parts: list[bytes] = []
        while size > 0 and (part := self.file.read(size)):
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def plain_section(batch: SoundBatch) -> bytes:
    """The records of a batch v2, decompressed; CorruptBatchError where they cannot be."""
    header, stored = batch.header, memoryview(batch.tail)[40:]
    assert isinstance(header, BatchHeader)
    return decompress(header.codec, stored, LIMIT) if header.attributes & 7 else bytes(stored)


def old_records(batch: SoundBatch) -> Iterator[Record]:
    """The records of a message v0/v1 or its wrapper; CorruptBatchError as ``iter_message``."""
    header = batch.header
    assert not isinstance(header, BatchHeader)
    return iter_message(bytes(16) + batch.tail, 0, header, LIMIT)


# --- where to start ------------------------------------------------------------------------------


def start_at_offset(log: SegmentReader, offset: int) -> int:
    """The byte to read from for ``offset`` on, by the offset index; 0 where that does not fit."""
    index = _offset_index(log.segment)
    return 0 if index is None else _position(log, index, offset)


def start_at_time(log: SegmentReader, timestamp: int) -> int:
    """The byte to read from for records of ``timestamp`` (ms) on, by the indexes.

    All before it are older. 0 where the indexes do not fit the log: the entry used must name a
    batch with just its timestamp as the latest.
    """
    segment = log.segment
    stored, index = _read_index(segment, ".timeindex"), _offset_index(segment)
    if stored is None or index is None or segment.base is None:
        return 0
    times = TimeIndex(segment.base, stored[: used_bytes(stored, 12)])
    latest, offset = times.lookup(timestamp - 1)
    if latest < 0 or offset < segment.base:
        return 0
    start = _position(log, index, offset)
    for batch in () if start == 0 else log.batches(start):
        if isinstance(batch, DamagedBytes):
            return 0
        last, stamp = _last(batch)
        if last >= offset:
            if stamp == latest:
                return start
            if batch.header.magic < 2:  # a wrapper need not have the timestamp of what it holds
                return 0
            break
    if start:
        say(f"{segment.path}: its .timeindex does not fit, so all of it is read")
    return 0


def _last(batch: SoundBatch) -> tuple[int, int]:
    """Last offset and latest timestamp of a batch."""
    header = batch.header
    if isinstance(header, BatchHeader):
        return header.last_offset, header.max_timestamp
    return header.offset, header.timestamp


def _offset_index(segment: SegmentPath) -> OffsetIndex | None:
    stored = _read_index(segment, ".index")
    if stored is None or segment.base is None:
        return None
    return OffsetIndex(segment.base, stored[: used_bytes(stored, 8)])


def _read_index(segment: SegmentPath, suffix: str) -> bytes | None:
    """The bytes of the index beside a log; None where there is none to be had."""
    if not segment.path.endswith(LOG_SUFFIX):
        return None
    try:
        with open(segment.path.removesuffix(LOG_SUFFIX) + suffix, "rb") as file:
            return file.read()
    except OSError:
        return None


def _position(log: SegmentReader, index: OffsetIndex, offset: int) -> int:
    """Where the index says that ``offset`` is reached from, if a batch that fits begins there."""
    known, position = index.lookup(offset)
    if position == 0:
        return 0
    if position > 0:
        found = next(log.batches(position), None)
        if isinstance(found, SoundBatch):
            header = found.header
            first = header.base_offset if isinstance(header, BatchHeader) else header.offset
            if first <= known <= offset:
                return position
    say(f"{log.segment.path}: its .index does not fit, so all of it is read")
    return 0
