"""What a broker does again and again: background work of the logs, retention.

Counterpart of the tasks ``LogManager`` puts on ``KafkaScheduler``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from pykafka_ops.errors import KafkaError

if TYPE_CHECKING:
    from pykafka_ops.broker.state.configs import BrokerConfigs
    from pykafka_ops.broker.storage.log_dirs import LogDirs

log = logging.getLogger("kafka.log.LogManager")

TICK_SECONDS = 1.0


class PeriodicTasks:
    """Ticks the logs once a second, or sooner when a thread has finished something for them."""

    def __init__(self, logs: LogDirs, configs: BrokerConfigs, clock: Callable[[], int]) -> None:
        self._logs = logs
        self._configs = configs
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        delay: int = configs.value("log.initial.task.delay.ms")
        self._retention_at = clock() + delay
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
            self._logs.tick(self._clock())

    def _tick(self) -> None:
        now = self._clock()
        self._timer = self._loop.call_later(TICK_SECONDS, self._tick)
        self._logs.tick(now)
        if now >= self._retention_at and (self._retention is None or self._retention.done()):
            interval: int = self._configs.value("log.retention.check.interval.ms")
            self._retention_at = now + interval
            self._retention = self._loop.create_task(self._apply_retention(now))

    async def _apply_retention(self, now: int) -> None:
        """Every log in turn; clients are served between two of them."""
        for topic, index in self._logs.partitions():
            found = self._logs.get(topic, index)
            if found is None:
                continue
            try:
                deleted = found.delete_old_segments(now)
            except KafkaError as error:
                log.error("retention of %s-%d: %s", topic, index, error)
                continue
            if deleted:
                log.info("deleted %d segments of %s-%d", deleted, topic, index)
            await asyncio.sleep(0)
