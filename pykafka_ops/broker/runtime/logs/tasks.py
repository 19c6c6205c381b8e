"""What a broker does again and again: background work of the logs, retention.

Counterpart of the tasks ``LogManager`` puts on ``KafkaScheduler``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.log_manager import LogManager

log = logging.getLogger("kafka.log.LogManager")

TICK_SECONDS = 1.0


class PeriodicTasks:
    """Ticks the logs once a second, or sooner when a thread has finished something for them.

    ``clock`` gives ms since 1970, ``timer`` monotonic ms.
    """

    def __init__(
        self,
        logs: LogManager,
        configs: BrokerConfigs,
        *,
        clock: Callable[[], int],
        timer: Callable[[], float],
    ) -> None:
        self._logs = logs
        self._configs = configs
        self._clock, self._now = clock, timer
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        delay: int = configs.value("log.initial.task.delay.ms")
        self._retention_at = timer() + delay
        self._retention: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; ``wake`` of the logs may be called from any thread from now on."""
        self._timer = self._loop.call_later(TICK_SECONDS, self._tick)

    def wake(self) -> None:
        """A thread has something for the logs."""
        self._loop.call_soon_threadsafe(self._take_in)

    async def stop(self) -> None:
        """Stop ticking; a retention run under way is ended between two logs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._retention is not None:
            self._retention.cancel()
            await asyncio.gather(self._retention, return_exceptions=True)

    def _take_in(self) -> None:
        if self._timer is not None:
            self._logs.tick(self._now())

    def _tick(self) -> None:
        now = self._now()
        self._timer = self._loop.call_later(TICK_SECONDS, self._tick)
        self._logs.tick(now)
        if now >= self._retention_at and (self._retention is None or self._retention.done()):
            interval: int = self._configs.value("log.retention.check.interval.ms")
            self._retention_at = now + interval
            self._retention = jobs.start("retention", self._apply_retention(self._clock()))

    async def _apply_retention(self, now: int) -> None:
        """Every log that is not the cleaner's in turn; clients are served in between."""
        time_slice = TimeSlice()
        for key in self._logs.served():
            data_dir = self._logs.directory_of(key)
            config = self._logs.config_of(key[0])
            if data_dir is None or config.compacts:
                continue
            with jobs.logged(f"retention of {key[0]}-{key[1]}"):
                if data_dir.may_expire(key, config, now):
                    self._expire(key, now)
            await time_slice.pause()

    def _expire(self, key: tuple[str, int], now: int) -> None:
        found = self._logs.get(*key)
        deleted = found.delete_old_segments(now) if found is not None else 0
        if deleted:
            log.info("deleted %d segments of %s-%d", deleted, *key)
