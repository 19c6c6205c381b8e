"""One replica on its way to another data directory: a copy in the making, ``-future``.

Counterpart of ``ReplicaAlterLogDirsThread``. The copy belongs to one thread at a time: to the job
under way, else to the logs' own. A copy that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.checkpoints import Key
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import Checkpointed
from pykafka_ops.broker.storage.log.reader import ColdRead
from pykafka_ops.broker.storage.log_home import LogHome, StorageSettings
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

MARKER = "replaces.json"
"""In a replica that took the place of another: which directory that was in. It is there until the
replaced one is gone, so that a crash between both renames leaves no doubt which one counts."""

CHUNK = 1 << 20
"""Bytes copied in one go."""


def read_marker(files: Files, directory: str) -> str | None:
    """The data directory whose replica the one in ``directory`` replaces, if any."""
    try:
        found = json.loads(files.read(f"{directory}/{MARKER}"))
    except (FileNotFoundError, ValueError):
        return None
    path = found.get("replaces") if isinstance(found, dict) else None
    return path if isinstance(path, str) else None


def write_marker(files: Files, directory: str, source: str) -> None:
    """Say that the replica in ``directory`` replaces the one in data directory ``source``."""
    content = json.dumps({"version": 1, "replaces": source}).encode()
    files.write_atomic(f"{directory}/{MARKER}", content)


class LogsToMove(Protocol):
    """What moves need of the broker's logs; see ``LogManager``."""

    settings: StorageSettings
    dirs: list[DataDir]
    config_of: Callable[[str], TopicConfig]

    @property
    def online(self) -> list[DataDir]:
        """The directories that work."""

    @property
    def offline(self) -> list[str]:
        """Paths of the directories that failed."""

    def get(self, topic: str, partition: int) -> Log | None:
        """The log of a partition; None if it is not here or its directory failed."""

    def directory_of(self, key: Key) -> DataDir | None:
        """The data directory a partition is in; None if it is not here."""

    def moved(self, key: Key, data_dir: DataDir) -> None:
        """A partition is in another directory now."""

    def remove_directory(self, data_dir: DataDir, name: str, delay_ms: int = 0) -> None:
        """Remove a directory ``name`` that is marked as deleted, after ``delay_ms``."""


class LogDirMove:
    """A replica ``key`` that goes from ``source`` to the directory ``name`` in ``target``.

    ``end`` is the copy's end offset, -1 while nobody has looked. ``limit`` is the end of the
    original when the broker started, beyond which a copy that was left has nothing to say.
    """

    def __init__(self, key: Key, source: DataDir, target: DataDir, name: str) -> None:
        self.key = key
        self.source = source
        self.target = target
        self.name = name
        self.directory = f"{target.path}/{name}"
        self.end = -1
        self.limit: int | None = None
        self.running = False
        self.cancelled = False
        self.log: Log | None = None
        self._generation: int | None = None
        self._torn = False
        self._files = target.files.for_thread()
        self.home = LogHome(target.path, self._files, target.home.settings)

    def prepare(self, original: Log, topic_id: bytes | None, *, clean: bool) -> None:
        """Any thread: make the copy's log, or open the one that was left. After an unclean stop
        nobody knows which of its bytes are durable: it begins anew. Raises KafkaError, OSError."""
        config = original.config
        place = PartitionDir(self.home, *self.key, config, path=self.directory, topic_id=topic_id)
        if not clean and not self._torn:
            self._files.remove_tree(self.directory)
        if not self._files.exists(self.directory):
            log = Log.create(place)
        else:
            point = self.target.recovery_points.get(self.key, 0)
            if self._torn:
                from pykafka_ops.broker.storage.recovery import Recovery

                settings = self.target.home.settings
                Recovery(self._files, self.directory, config, settings=settings).run()
                point = 0
            log = Log(place, Checkpointed(recovery_point=point))
            log.open()
        self.log = log
        self.end = log.log_end_offset

    @property
    def copy(self) -> Log:
        """The copy's log, once :meth:`prepare` was run."""
        assert self.log is not None
        return self.log

    def plan(self, original: Log) -> CopyStep | None:
        """The logs' thread: what to copy next, None if nothing is missing. A copy that does not
        belong to the original any more begins anew. Raises KafkaError, OSError."""
        start = original.log_start_offset
        restart = self._strays(original)
        self._generation = original.durability.generation
        begin = start if restart else self.end
        segments = original.segments
        for segment, following in zip(segments, [*segments[1:], None], strict=True):
            if following is not None and following.base_offset <= begin:
                continue
            place = segment.locate(begin) if segment.size else None
            if place is not None:
                size = min(max(CHUNK, place.size), segment.size - place.position)
                cold = ColdRead(segment.log.dup(), size, place.position)
                step = CopyStep(self, cold, place.base_offset if restart else None, start)
                step.left = segment.size - place.position
                step.left += sum(s.size for s in segments if s.base_offset > segment.base_offset)
                return step
        if restart:
            return CopyStep(self, None, original.log_end_offset, start)
        return None

    def rest(self, original: Log) -> CopyStep:
        """A step that copies nothing, to be flushed."""
        return CopyStep(self, None, None, original.log_start_offset)

    def _strays(self, original: Log) -> bool:
        """Whether the copy holds what the original does not (truncated), or nothing of it."""
        if self._generation is None:  # the first look: a copy of an earlier run
            copy = self.copy
            epoch = copy.latest_epoch
            same = epoch < 0 or original.end_offset_for_epoch(epoch)[0] == epoch
            within = self.limit is None or self.end <= self.limit
            if not same or not within or copy.log_start_offset == self.end:
                return True
        elif self._generation != original.durability.generation:
            return True
        return not original.log_start_offset <= self.end <= original.log_end_offset

    def close(self) -> None:
        """Make the copy durable and give descriptors back. Raises KafkaError."""
        if self.log is not None:
            log, self.log = self.log, None
            log.close()

    def abandon(self) -> None:
        """Give descriptors back; what was copied stays, to be checked before it is used."""
        self._generation = None
        self._torn = True
        if self.log is not None:
            self.log.abandon()
            self.log = None


@dataclass(slots=True, eq=False)
class CopyStep:
    """Append a range of the original to the copy, which first becomes empty at offset ``empty``
    (None: it goes on) of a log that may be read from ``start``. ``size`` bytes were copied,
    ``left`` were missing before."""

    move: LogDirMove
    cold: ColdRead | None
    empty: int | None
    start: int
    size: int = 0
    left: int = 0

    def run(self) -> None:
        """Any thread. Raises KafkaError; OSError if the original cannot be read."""
        move, copy = self.move, self.move.copy
        data = b"" if self.cold is None else self.cold.run()
        if self.empty is not None:
            copy.truncate_fully(self.empty, self.start)
        before = copy.log_end_offset
        copy.append_as_follower(memoryview(data))
        move.end = copy.log_end_offset
        if data and move.end <= before:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{copy.place.name} at offset {before}")
        if copy.log_start_offset < self.start:
            copy.raise_log_start(self.start)
        self.size = len(data)


@dataclass(slots=True, eq=False)
class MoveJob:
    """``work`` of a move in another thread; then ``after(error)`` on the logs' own."""

    work: Callable[[], None]
    after: Callable[[KafkaError | OSError | None], None]
    error: KafkaError | OSError | None = None

    def run(self) -> None:
        """Any thread."""
        try:
            self.work()
        except (KafkaError, OSError) as error:
            self.error = error

    def done(self) -> None:
        """The logs' thread."""
        self.after(self.error)
