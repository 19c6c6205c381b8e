"""A broker's data directories, started, stopped and killed at will."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any
from unittest import mock

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage import log_manager
from pykafka_ops.broker.storage.background import Background
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_home import Job, StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from tests.support.memory.files import MemoryFiles
from tests.support.memory.logs import NOW, batch_of
from tests.support.waiting import wait_for

TOPIC_ID = bytes(range(16))


class Watched(Background):
    """Knows whether jobs are under way."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._under_way = 0
        self._count = Lock()

    def submit(self, job: Job) -> None:
        with self._count:
            self._under_way += 1
        super().submit(job)

    def _work(self, job: Job) -> None:
        try:
            super()._work(job)
        finally:
            with self._count:
                self._under_way -= 1

    @property
    def idle(self) -> bool:
        """Whether every job has ended and was taken in."""
        return not self._under_way and not self._finished

    def kill(self) -> None:
        """Nothing is done or taken in any more."""
        self._pool.shutdown(cancel_futures=True)


class Site:
    """A broker's storage, restarted at will."""

    def __init__(self, files: Files | None = None, dirs: tuple[str, ...] = ("/a", "/b")) -> None:
        self.files = files or MemoryFiles()
        self.paths = dirs
        self.config = TopicConfig(file_delete_delay_ms=1000)
        self.gone: list[tuple[str, list[tuple[str, int]], bool]] = []
        self.now = NOW
        self.logs: LogManager

    @property
    def memory(self) -> MemoryFiles:
        assert isinstance(self.files, MemoryFiles)
        return self.files

    def start(self, broker_id: int = 1, cluster_id: str = "cluster") -> LogManager:
        self.logs = LogManager(
            self.paths,
            broker_id=broker_id,
            cluster_id=cluster_id,
            config_of=lambda _: self.config,
            files=self.files,
            settings=StorageSettings(clock=lambda: self.now, timer=lambda: self.now),
            on_offline=lambda *args: self.gone.append(args),
        )
        with mock.patch.object(log_manager, "Background", Watched):
            self.logs.open(self.now)
        return self.logs

    def kill(self) -> None:
        """As kill -9 leaves it."""
        if isinstance(background := self.logs._background, Watched):
            background.kill()
        for data_dir in self.logs.dirs:
            data_dir.unlock()
        if isinstance(self.files, MemoryFiles):
            self.files.crash()

    def pass_time(self, ms: int, until: Callable[[], bool] = lambda: True) -> None:
        """Let the clock go on and background work finish: that of before at the time of before."""
        if ms:
            self._settle()
            self.now += ms
        self._settle(until)

    def _settle(self, until: Callable[[], bool] = lambda: True) -> None:
        def done() -> bool:
            self.logs.tick(self.now)
            background = self.logs._background
            return until() and (not isinstance(background, Watched) or background.idle)

        wait_for(done, what="background work", poll=0.001)


def append(log: Log, *content: bytes) -> int:
    data = batch_of(*content)
    return log.append_as_leader(data, leader_epoch=0, now=NOW).first_offset


def text(site: Site, path: str) -> str:
    return site.files.read(path).decode()
