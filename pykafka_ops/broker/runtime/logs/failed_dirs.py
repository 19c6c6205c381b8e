"""What a running broker does when a log directory fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.broker.metadata.znodes.admin import LogDirEvents
from pykafka_ops.broker.runtime.cluster.membership import Membership

log = logging.getLogger("kafka.server.KafkaServer")

RETRY_S = 1.0


class FailedDirs:
    """``drop(partitions)`` answers who waits on logs that are gone; ``on_fatal`` is called when the
    broker cannot go on."""

    def __init__(
        self,
        membership: Membership,
        drop: Callable[[list[tuple[str, int]]], None],
        on_fatal: Callable[[], None],
    ) -> None:
        self._membership = membership
        self._drop = drop
        self._on_fatal = on_fatal
        self._tasks: set[asyncio.Task[None]] = set()
        self.fatal = False
        """Whether the last log directory failed."""

    def failed(self, path: str, gone: list[tuple[str, int]], last: bool) -> None:
        """A directory failed with these partitions; without any directory the broker is over."""
        self._drop(gone)
        if last:
            log.critical("the last log directory, %s, failed: the broker stops", path)
            self.fatal = True
            self._on_fatal()
            return
        task = jobs.start("news of a failed directory", self.announce())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def announce(self) -> None:
        """Have the controller ask us which replicas we serve."""
        store, broker_id = self._membership.store, self._membership.broker_id
        while True:
            try:
                await store.create(
                    LogDirEvents.prefix, LogDirEvents.encode(broker_id), sequence=True
                )
            except StoreError as error:
                log.warning("cannot report failed log directories to the controller: %s", error)
                await asyncio.sleep(RETRY_S)
            else:
                return

    def stop(self) -> None:
        """Announce nothing any more."""
        for task in self._tasks:
            task.cancel()
