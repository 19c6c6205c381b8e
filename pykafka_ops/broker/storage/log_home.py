"""What all logs of one data directory share: its files, its settings, its fate."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pykafka_ops.broker.storage.clocks import monotonic_clock, wall_clock
from pykafka_ops.broker.storage.files import FULL, Files
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


@dataclass(slots=True)
class StorageSettings:
    """Broker-wide settings of storage, named as Kafka's.

    ``clock`` gives ms since 1970, for what is compared with timestamps of records; ``timer`` gives
    monotonic ms, for all that waits: nothing is early or late because a clock was set.

    ``verify_transactions`` (``transaction.partition.verification.enable``) refuses transactional
    batches that come without a guard of ``Producers.start_verification``. ``move_threads``: how
    many replicas move between directories at a time (0: as many as there are directories).
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
    """``work`` on files of a data directory; a disk that cannot do it is a failed disk."""

    home: LogHome
    work: Callable[[], None]
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


class LogHome:
    """What the logs of one data directory share. A failing disk takes it offline, with all its
    logs, for good: ``on_failure(home, error)``.

    A disk without space does not: ``on_full(home)`` says by ``full`` until when to spare it.

    ``on_flushed(topic, partition)``: what a log owed is durable now (``Durability.owed``).
    ``before_growth((topic, partition), recovery_point)`` is called before records are appended to
    a log for the first time, or since it was cut: no checkpoint may say that it is durable beyond
    its recovery point. It raises KafkaError KAFKA_STORAGE_ERROR.
    """

    def __init__(self, path: str, files: Files, settings: StorageSettings | None = None) -> None:
        self.path = path
        self.files = files
        self.settings = settings or StorageSettings()
        self.error: OSError | None = None
        self.full = False
        self.cleaner_offsets: dict[tuple[str, int], int] = {}
        """Where the part of a compacted log begins that was not cleaned yet."""
        self.on_failure: Callable[[LogHome, OSError], None] | None = None
        self.on_full: Callable[[LogHome], None] | None = None
        self.on_flushed: Callable[[str, int], None] | None = None
        self.before_growth: Callable[[tuple[str, int], int], None] = lambda *_: None
        self.submitted: Callable[[Job], None] | None = None
        """Takes jobs to another thread."""
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

    def check(self) -> None:
        """Raise KafkaError KAFKA_STORAGE_ERROR if the directory is offline."""
        if self.error is not None:
            raise self.refusal(self.error)

    def fail(self, error: OSError) -> KafkaError:
        """An operation failed: the error for the client. A full disk is not the end of it."""
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
