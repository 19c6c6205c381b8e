"""A broker with a full disk: others lead until there is room again.

Apache Kafka takes the directory offline until its next start, and halts with the last one. Here
the directory stays: its records are read on, and what no other replica in sync has is written
again as soon as there is room. The rest is left to the others meanwhile, so that no producer waits
for this disk. The controller, ours or Apache Kafka's, is asked as for a failed directory: it sends
LeaderAndIsr for all replicas, and those that others have answer KAFKA_STORAGE_ERROR while the
directory is full (``LocalOrderExecutor``); nothing is copied to it either (``Fetcher``). With room
it is asked again, and they answer that they are there.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.log_manager import LogManager

log = logging.getLogger("kafka.server.ReplicaManager")

LOOK_SECONDS = 1.0
ASK_EVERY = 10
"""Checks after which the controller is asked again, if it has not answered yet."""
MOST_LOOKS = 64
SOON_SECONDS = 120.0
"""A directory that is full again so soon after it had room is tried after twice the time: the
system may count its free bytes otherwise than it gives them out (quotas)."""
ROOM = 64 << 20
"""Free bytes that are enough to go on, or a hundredth of the disk where that is less."""
LEAST_ROOM = 1 << 20


class FullDirs:
    """Watches directories from the first write that found no space until there is room.

    ``announce()`` has the controller ask which replicas this broker serves.
    """

    def __init__(
        self,
        logs: LogManager,
        replicas: Replicas,
        image: MetadataImage,
        announce: Callable[[], Awaitable[None]],
    ) -> None:
        self._logs, self._replicas, self._image = logs, replicas, image
        self._announce = announce
        self._tasks: set[asyncio.Task[None]] = set()
        self._looks: dict[DataDir, int] = {}
        """How many looks the last time took at least."""
        self._had_room: dict[DataDir, float] = {}
        self._stopped = False

    def filled(self, data_dir: DataDir) -> None:
        """A write to the directory found no space."""
        if self._stopped or data_dir.home.full:
            return
        data_dir.home.full = True
        loop = asyncio.get_running_loop()
        soon = loop.time() < self._had_room.get(data_dir, -SOON_SECONDS) + SOON_SECONDS
        self._looks[data_dir] = min(2 * self._looks[data_dir], MOST_LOOKS) if soon else 1
        log.error(
            "log directory %s is full: other replicas lead its partitions until it has room",
            data_dir.path,
        )
        task = jobs.start(f"watch on {data_dir.path}", self._watch(data_dir))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Watch nothing any more."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()

    async def _watch(self, data_dir: DataDir) -> None:
        for look in itertools.count():
            if not data_dir.online:
                return
            if look >= self._looks[data_dir] and self._has_room(data_dir):
                break
            if look % ASK_EVERY == 0 and any(map(self._counts_still, self._shared(data_dir))):
                await self._announce()
            await asyncio.sleep(LOOK_SECONDS)
        data_dir.home.full = False
        self._had_room[data_dir] = asyncio.get_running_loop().time()
        log.info("log directory %s has room again", data_dir.path)
        if self._shared(data_dir):
            await self._announce()

    def _has_room(self, data_dir: DataDir) -> bool:
        try:
            return has_room(*self._logs.files.space(data_dir.path))
        except OSError:  # the next write shows what is wrong with it
            return True

    def _shared(self, data_dir: DataDir) -> list[Partition]:
        """What is in the directory, and elsewhere."""
        return [
            partition
            for partition in self._replicas.all()
            if len(partition.replicas) > 1 and self._logs.directory_of(partition.key) is data_dir
        ]

    def _counts_still(self, partition: Partition) -> bool:
        """Whether it is in sync beside others, by the state that the controller sent."""
        listed = self._image.partition(*partition.key)
        isr = partition.isr if listed is None else listed.isr
        return len(isr) > 1 and partition.local_id in isr


def has_room(total: int, free: int) -> bool:
    """Whether a disk of ``total`` bytes has enough of them free to write on."""
    return free >= max(LEAST_ROOM, min(ROOM, total // 100))
