"""A broker's data directories, started, stopped and killed at will."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from tests.support.memory.files import MemoryFiles
from tests.support.memory.logs import NOW, batch_of
from tests.support.waiting import wait_for

TOPIC_ID = bytes(range(16))


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
        self.logs.open(self.now)
        return self.logs

    def kill(self) -> None:
        """As kill -9 leaves it."""
        for data_dir in self.logs.dirs:
            data_dir.unlock()
        if isinstance(self.files, MemoryFiles):
            self.files.crash()

    def pass_time(self, ms: int, until: Callable[[], bool] = lambda: True) -> None:
        """Let the clock go on and background work finish."""
        self.now += ms

        def done() -> bool:
            self.logs.tick(self.now)
            return until()

        wait_for(done, what="background work", poll=0.001)


def append(log: Log, *content: bytes) -> int:
    data = batch_of(*content)
    return log.append_as_leader(data, leader_epoch=0, now=NOW).first_offset


def text(site: Site, path: str) -> str:
    return site.files.read(path).decode()
