"""What all logs of one data directory share: its files, its settings, its fate."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from pykafka_ops.broker.hot.heads import ShortenedError
from pykafka_ops.broker.state.producer_room import ProducerRoom
from pykafka_ops.broker.storage.clocks import monotonic_clock, wall_clock
from pykafka_ops.broker.storage.files import FULL, Files
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

NAMES_MS = 100
"""So long names of new directories gather before they are synced: one by one, that would cost more
than to make the directories."""


@dataclass(slots=True)
class StorageSettings:
    """Broker-wide settings of storage, named as Kafka's.

    ``clock`` gives ms since 1970, for what is compared with timestamps of records; ``timer`` gives
    monotonic ms, for all that waits: nothing is early or late because a clock was set.

    ``verify_transactions`` (``transaction.partition.verification.enable``) refuses transactional
    batches that come without a guard of ``Producers.start_verification``. ``move_threads``: how
    many replicas move between directories at a time (0: as many as there are directories).
    ``producer_room`` is for the producers of all logs.
    """

    clock: Callable[[], int] = wall_clock
    timer: Callable[[], float] = monotonic_clock
    recovery_threads_per_dir: int = 0
    producer_id_expiration_ms: int = 86_400_000
    producer_id_expiration_check_ms: int = 600_000
    verify_transactions: bool = False
    flush_check_ms: int = 2**63 - 1
    recovery_point_checkpoint_ms: int = 60_000
    log_start_checkpoint_ms: int = 60_000
    high_watermark_checkpoint_ms: int = 5_000
    move_threads: int = 0
    move_bytes_per_second: int = 2**63 - 1
    producer_room: ProducerRoom = field(default_factory=ProducerRoom)


class NoSpaceError(KafkaError):
    """KAFKA_STORAGE_ERROR of a disk that is full: the same may work later."""


class Job(Protocol):
    """Work for another thread; ``done`` is called by the logs' own thread afterwards."""

    def run(self) -> None:
        """The slow part; must not touch the log and must not raise."""

    def done(self) -> None:
        """Take the result in."""


@dataclass(slots=True, eq=False)
class FilesJob:
    """``work`` on files of a data directory; a disk that cannot do it is a failed disk. ``after``
    follows on the logs' own thread."""

    home: LogHome
    work: Callable[[], None]
    after: Callable[[], None] | None = None
    error: OSError | None = None

    def run(self) -> None:
        """Any thread."""
        try:
            self.work()
        except OSError as error:
            self.error = error

    def done(self) -> None:
        """The logs' own thread."""
        if self.error is not None:
            self.home.fail(self.error)
        elif self.after is not None:
            self.after()


class DiskErrors:
    """A ``with`` block around disk access; one for all that a home has."""

    __slots__ = ("_home",)

    def __init__(self, home: LogHome) -> None:
        self._home = home

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raises KafkaError KAFKA_STORAGE_ERROR for an OSError; the directory is failed."""
        if isinstance(error, OSError):
            raise self._home.fail(error) from error


class LogHome:
    """What the logs of one data directory share. A failing disk takes it offline, with all its
    logs, for good: ``on_failure(home, error)``.

    A file that was cut or removed by somebody else costs its log alone: ``on_shortened(error)``.
    A disk without space does not: ``on_full(home)`` says by ``full`` until when to spare it.

    ``on_flushed(topic, partition)``: what a log owed is durable now (``Tail.owed``).
    ``on_synced(ms)``: a flush of a log took so long.
    ``before_growth((topic, partition), recovery_point)`` is called before records are appended to
    a log for the first time, or since it was cut: no checkpoint may say that it is durable beyond
    its recovery point. It raises KafkaError KAFKA_STORAGE_ERROR.
    """

    def __init__(self, path: str, files: Files, settings: StorageSettings | None = None) -> None:
        self.path = path
        self.files = files
        self.settings = settings or StorageSettings()
        self.disk_errors = DiskErrors(self)
        self.error: OSError | None = None
        self.full = False
        self.cleaner_offsets: dict[tuple[str, int], int] = {}
        """Where the part of a compacted log begins that was not cleaned yet."""
        self.on_failure: Callable[[LogHome, OSError], None] | None = None
        self.on_shortened: Callable[[ShortenedError], None] | None = None
        self.on_full: Callable[[LogHome], None] | None = None
        self.on_flushed: Callable[[str, int], None] | None = None
        self.on_synced: Callable[[float], None] | None = None
        self.before_growth: Callable[[tuple[str, int], int], None] = lambda *_: None
        self.submitted: Callable[[Job], None] | None = None
        """Takes jobs to another thread."""
        self._names_changed = self._names_waiting = False
        self._names_lock = Lock()
        self.delete_later: Callable[[float, Callable[[], None]], None] | None = None

    @property
    def online(self) -> bool:
        """Whether the directory still works."""
        return self.error is None

    def submit(self, job: Job) -> None:
        """Run a job in the background; without a runner, at once."""
        if self.submitted is not None:
            self.submitted(job)
            return
        job.run()
        job.done()

    def schedule(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Call ``action`` on the logs' own thread in ``delay_ms``; without a runner, at once."""
        if self.delete_later is None:
            action()
        else:
            self.delete_later(self.settings.timer() + delay_ms, action)

    def names_changed(self) -> None:
        """Partitions' directories were made, renamed or removed: have that made durable soon, once
        for many. Whatever is flushed makes it so before (:meth:`sync_names`)."""
        self._names_changed = True
        if not self._names_waiting:
            self._names_waiting = True
            self.schedule(NAMES_MS, lambda: self.submit(FilesJob(self, self._sync_soon)))

    def _sync_soon(self) -> None:
        self._names_waiting = False  # what changes from here on may miss this sync
        self.sync_names()

    def sync_names(self) -> None:
        """Any thread: make the names of the directories durable, if they are not. Raises
        OSError."""
        with self._names_lock:
            if self._names_changed:
                self._names_changed = False
                try:
                    self.files.sync_directory(self.path)
                except OSError:
                    self._names_changed = True
                    raise

    def check(self) -> None:
        """Raise KafkaError KAFKA_STORAGE_ERROR if the directory is offline."""
        if self.error is not None:
            raise self.refusal(self.error)

    def fail(self, error: OSError) -> KafkaError:
        """An operation failed: the error for the client. A full disk is not the end of it."""
        if isinstance(error, ShortenedError):
            if self.on_shortened is not None:
                self.on_shortened(error)
            return self.refusal(error)
        if error.errno in FULL:
            if self.on_full is not None:
                self.on_full(self)
            return NoSpaceError(ErrorCode.KAFKA_STORAGE_ERROR, self._text(error))
        if self.error is None:
            self.error = error
            if self.on_failure is not None:
                self.on_failure(self, error)
        return self.refusal(error)

    def refusal(self, error: OSError) -> KafkaError:
        """KAFKA_STORAGE_ERROR with what happened."""
        return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, self._text(error))

    def _text(self, error: OSError) -> str:
        reason = error.strerror or errno.errorcode.get(error.errno or 0, str(error))
        return f"log directory {self.path}: {reason}"
