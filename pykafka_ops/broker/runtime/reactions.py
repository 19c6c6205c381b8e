"""What a running broker does when settings change, a log moves or a log directory fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.broker.metadata.znodes.admin import LogDirEvents

if TYPE_CHECKING:
    from pykafka_ops.broker.runtime.parts import Parts
    from pykafka_ops.broker.state.configs.topic import TopicConfig

log = logging.getLogger("kafka.server.KafkaServer")

RETRY_S = 1.0
UNCLEAN = "unclean.leader.election.enable"


class Reactions:
    """Callbacks of one broker's parts; ``on_fatal`` is called when it cannot go on."""

    def __init__(self, parts: Parts, on_fatal: Callable[[], None]) -> None:
        self._parts = parts
        self._on_fatal = on_fatal
        self._tasks: set[asyncio.Task[None]] = set()
        self.fatal = False
        """Whether the last log directory failed."""

    def wake_logs(self) -> None:
        """From any thread: the logs have something to take in."""
        self._parts.tasks.wake()

    def topic_changed(self, topic: str, config: TopicConfig) -> None:
        """A topic has other settings."""
        self._parts.logs.update_config(topic, config)
        if config.unclean_leader_election_enable:
            self._parts.controller.unclean_allowed(topic)

    def settings_changed(self, names: frozenset[str]) -> None:
        """These settings of the broker have other values."""
        log.info("settings changed: %s", ", ".join(sorted(names)))
        parts = self._parts
        parts.server.reconfigure()
        rate = parts.configs.value("replica.alter.log.dirs.io.max.bytes.per.second")
        parts.logs.settings.move_bytes_per_second = rate
        verify = parts.configs.value("transaction.partition.verification.enable")
        parts.logs.settings.verify_transactions = verify
        for data_dir in parts.logs.online:
            data_dir.forget_expiry()
            for found in data_dir.open_logs():
                found.update_config(parts.settings.topic_config(found.topic))
        parts.cleaner.reconfigure(names)
        parts.fetchers.reconfigure()
        if UNCLEAN in names and parts.configs.value(UNCLEAN):
            parts.controller.unclean_allowed(None)

    def log_moved(self, topic: str, index: int) -> None:
        """A replica is in another directory: the partition goes on with that log."""
        partition = self._parts.replicas.find(topic, index)
        if partition is not None:
            partition.move_log()

    def dir_failed(self, path: str, gone: list[tuple[str, int]], last: bool) -> None:
        """Answer who waits on logs that are gone; without any directory the broker is over."""
        self._parts.executor.dir_failed(gone)
        if last:
            log.critical("the last log directory, %s, failed: the broker stops", path)
            self.fatal = True
            self._on_fatal()
            return
        task = asyncio.get_running_loop().create_task(self.announce())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def announce(self) -> None:
        """Have the controller ask us which replicas we serve."""
        membership = self._parts.membership
        while True:
            try:
                await membership.store.create(
                    LogDirEvents.prefix, LogDirEvents.encode(membership.broker_id), sequence=True
                )
            except StoreError as error:
                log.warning("the controller does not know of our log directories yet: %s", error)
                await asyncio.sleep(RETRY_S)
            else:
                return

    def stop(self) -> None:
        """Announce nothing any more."""
        for task in self._tasks:
            task.cancel()
