"""What is done to all logs again and again: checkpoints, flushes by time, forgetting producers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from pykafka_ops.broker import jobs
from pykafka_ops.broker.state.configs.topic import MAX_LONG
from pykafka_ops.broker.storage.checkpoints import CheckpointJob
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_home import StorageSettings

_FLUSH_CHECK_MS = 1_000
_SAVE_NEW_MS = 1_000


class Upkeep:
    """Keeps the directories that ``online()`` names. Times are those of ``settings.timer``."""

    def __init__(self, settings: StorageSettings, online: Callable[[], Sequence[DataDir]]) -> None:
        self._settings = settings
        self._online = online
        self._done_at: dict[str, float] = {}
        self._unsaved_until = math.inf

    def start(self, now: float) -> None:
        """All was done ``now``."""
        self._done_at = dict.fromkeys(self._tasks(), now)

    def log_made(self) -> None:
        """There is a new log: recovery shall soon know it for ours."""
        if self._unsaved_until == math.inf:
            self._unsaved_until = self._settings.timer() + _SAVE_NEW_MS

    def tick(self, now: float) -> None:
        """Do what is due."""
        if now >= self._unsaved_until:
            self._unsaved_until = math.inf
            self._save_recovery_points(now)
        for name, (period, action) in self._tasks().items():
            if now >= self._done_at[name] + period:
                self._done_at[name] = now
                jobs.attempt(f"upkeep of {name}", partial(action, now))

    def _tasks(self) -> dict[str, tuple[int, Callable[[float], None]]]:
        """Period in ms, action."""
        settings = self._settings
        return {
            "recovery points": (settings.recovery_point_checkpoint_ms, self._save_recovery_points),
            "log starts": (settings.log_start_checkpoint_ms, self._save_start_offsets),
            "high watermarks": (settings.high_watermark_checkpoint_ms, self._save_high_watermarks),
            "producers": (settings.producer_id_expiration_check_ms, self._expire_producers),
            "flush": (min(settings.flush_check_ms, _FLUSH_CHECK_MS), self._flush_by_time),
        }

    def _save_recovery_points(self, _: float) -> None:
        self._save([d.collect_recovery_points() for d in self._online()])

    def _save_start_offsets(self, _: float) -> None:
        self._save([d.collect_start_offsets() for d in self._online()])

    def _save_high_watermarks(self, _: float) -> None:
        self._save([d.collect_high_watermarks() for d in self._online()])

    def _save(self, jobs: Sequence[CheckpointJob | None]) -> None:
        for job in jobs:
            if job is not None:
                job.checkpoint.home.submit(job)

    def _expire_producers(self, _: float) -> None:
        now = self._settings.clock()
        for data_dir in self._online():
            for log in data_dir.open_logs():
                with jobs.logged(f"expiry of producers of {log.place.name}"):
                    log.producers.expire(now, self._settings.producer_id_expiration_ms)

    def _flush_by_time(self, now: float) -> None:
        """``flush.ms`` of single topics."""
        for data_dir in self._online():
            logs = [log for log in data_dir.partitions.values() if log is not None]
            for log in [log for log in logs if log.place.config.flush_ms != MAX_LONG]:
                if log.is_open:
                    with jobs.logged(f"flush of {log.place.name}"):
                        self._flush_if_due(log, now)

    def _flush_if_due(self, log: Log, now: float) -> None:
        durability = log.durability
        if now - durability.last_flush_ms >= log.config.flush_ms:
            durability.last_flush_ms = now
            job = durability.flush_job()
            if job is not None:
                log.place.home.submit(job)
