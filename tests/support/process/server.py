"""What a broker of ours and one of Apache Kafka have alike as child processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.process.process import Process
from tests.support.waiting import PATIENCE


class ServerProcess:
    """A broker on its own data directory; the port stays the same over restarts."""

    kind = ""

    def __init__(
        self, data_dir: Path, overrides: Mapping[str, object] | None, log: Path | None = None
    ) -> None:
        self.data_dir = data_dir
        self.overrides = dict(overrides or {})
        self.log = log or data_dir.parent / f"{data_dir.name}.log"
        self.port = 0
        self.process: Process | None = None

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def running(self) -> Process:
        assert self.process is not None, "not started"
        return self.process

    def argv(self) -> list[str]:
        """How to run it."""
        raise NotImplementedError

    def launch(self) -> None:
        """Start it, wait for nothing."""
        assert self.process is None or not self.process.alive(), "already running"
        self.process = Process(self.argv(), self.log)

    def stop(self, seconds: float = PATIENCE) -> int:
        """SIGTERM, and its exit code: after a clean stop 0, and 143 of Apache Kafka."""
        return self.running.stop(seconds)

    def kill(self) -> None:
        """kill -9."""
        self.running.kill()

    def close(self) -> None:
        """End it whatever its state."""
        if self.process is not None and self.process.alive():
            self.process.kill()

    def log_tail(self) -> str:
        return self.process.log_tail() if self.process else ""
