"""The checkpoint files of a data directory: written now and then, in another thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

from pykafka_ops.broker.storage.log_home import LogHome
from pykafka_ops.disk.checkpoint import format_offsets, parse_offsets
from pykafka_ops.errors import CorruptIndexError

Key = tuple[str, int]
Again = Callable[[], "CheckpointJob | None"]

_log = logging.getLogger("kafka.log.LogManager")


class Checkpoint:
    """One file, offsets by partition.

    ``again`` gives the job that writes them as they are then. It is called once the file is free,
    if anybody wanted it written meanwhile.
    """

    def __init__(self, home: LogHome, name: str, again: Again = lambda: None) -> None:
        self.home = home
        self._name = name
        self._path = f"{home.path}/{name}"
        self._again = again
        self._written: Mapping[Key, int] | None = None
        self._busy = self._missed = False
        self._lock = Lock()
        self._numbers = 0
        self._newest = 0
        """Number of the newest content in the file; guarded by the lock."""

    def read(self) -> dict[Key, int] | None:
        """What the file holds, nothing if it is missing; None if it is damaged. Raises OSError."""
        try:
            return parse_offsets(self.home.files.read(self._path).decode(), self._name)
        except FileNotFoundError:
            return {}
        except (CorruptIndexError, UnicodeDecodeError) as error:
            _log.warning("%s: %s", self.home.path, error)
            return None

    def job(self, offsets: Mapping[Key, int]) -> CheckpointJob | None:
        """What writes ``offsets``; None if the file holds them, or is being written: then what they
        are afterwards follows at once."""
        if self._busy:
            self._missed = True
            return None
        if self._written == offsets or not self.home.online:
            return None
        return self._job(offsets)

    def write_now(self, offsets: Mapping[Key, int]) -> None:
        """Overtake what is under way. Raises KafkaError KAFKA_STORAGE_ERROR."""
        job = self._job(offsets)
        job.run()
        job.done()
        if job.error is not None:
            raise self.home.refusal(job.error)

    def _job(self, offsets: Mapping[Key, int]) -> CheckpointJob:
        self._busy = True
        self._numbers += 1
        return CheckpointJob(self, dict(offsets), self._numbers)

    def write(self, job: CheckpointJob) -> None:
        """Any thread: replace the file, unless something newer is in it. Raises OSError."""
        with self._lock:
            if job.number > self._newest:
                content = format_offsets(job.offsets).encode()
                self.home.files.write_atomic(self._path, content)
                self._newest = job.number

    def dropped(self) -> None:
        """Any thread: a job ended as nobody expected; the next one writes all again."""
        self._busy = False

    def done(self, job: CheckpointJob) -> None:
        """The directory's thread: remember what the file holds; a full disk is tried again."""
        if job.error is not None:
            self.home.fail(job.error)
        if job.number == self._numbers:  # else a newer one is under way, or was
            self._busy = False
            if job.error is None:
                self._written = job.offsets

    def follow(self) -> None:
        """The directory's thread: write what was wanted while the file was busy."""
        if self._missed and not self._busy:
            self._missed = False
            if (job := self._again()) is not None:
                self.home.submit(job)


class RecoveryPoints(Checkpoint):
    """``recovery-point-offset-checkpoint``: up to where each log is durable.

    What the file says of a log outlives it: one that was cut, or made anew under an old name,
    would be taken for durable after a crash up to where the former one was.
    """

    def __init__(self, home: LogHome, name: str, again: Again = lambda: None) -> None:
        super().__init__(home, name, again)
        self._claims: dict[Key, int] = {}
        """The most that the file may say of a partition, now or once a job is done."""

    def read(self) -> dict[Key, int] | None:
        """The same; from now on it is known what the file claims."""
        offsets = super().read()
        self._claims = dict(offsets or {})
        return offsets

    def claims_more(self, key: Key, offset: int) -> bool:
        """Whether the file may say that a log is durable beyond ``offset``."""
        return self._claims.get(key, 0) > offset

    def _job(self, offsets: Mapping[Key, int]) -> CheckpointJob:
        claims = self._claims
        for key, offset in offsets.items():
            if offset > claims.get(key, 0):
                claims[key] = offset
        return super()._job(offsets)

    def done(self, job: CheckpointJob) -> None:
        super().done(job)
        if self._written is job.offsets:
            self._claims = dict(job.offsets)


@dataclass(slots=True, eq=False)
class CheckpointJob:
    """Replace a checkpoint file."""

    checkpoint: Checkpoint
    offsets: dict[Key, int]
    number: int
    error: OSError | None = None

    def run(self) -> None:
        """Any thread."""
        try:
            self.checkpoint.write(self)
        except OSError as error:
            self.error = error
        except Exception:
            self.checkpoint.dropped()
            raise

    def done(self) -> None:
        """The directory's thread."""
        self.checkpoint.done(self)
        self.checkpoint.follow()
