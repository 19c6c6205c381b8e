"""Our broker as a child process: start, stop, kill -9, restart on the same port and directory."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.process.process import Process

READY = re.compile(r"broker (\d+) ready on ([^ :]+):(\d+) in (\d+) ms")


class BrokerProcess:
    """``pko broker start`` on its own data directory; the port stays the same over restarts."""

    kind = "pko"

    def __init__(
        self,
        data_dir: Path,
        overrides: Mapping[str, object] | None = None,
        *,
        log: Path | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir
        self.overrides = dict(overrides or {})
        self.log = log or data_dir.parent / f"{data_dir.name}.log"
        self.arguments = list(arguments)
        self.port = 0
        self.ready_ms = 0
        self.process: Process | None = None

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def running(self) -> Process:
        assert self.process is not None, "not started"
        return self.process

    def argv(self) -> list[str]:
        overrides = [a for k, v in self.overrides.items() for a in ("--override", f"{k}={v}")]
        return [
            *(sys.executable, "-m", "pykafka_ops", "broker", "start"),
            *("--data-dir", str(self.data_dir), "--listen", self.bootstrap),
            *overrides,
            *self.arguments,
        ]

    def start(self, seconds: float = 60.0) -> BrokerProcess:
        """Start it and wait for its line that says it accepts clients."""
        assert self.process is None or not self.process.alive(), "already running"
        self.process = Process(self.argv(), self.log)
        line = self.process.first_line(seconds)
        found = READY.fullmatch(line)
        assert found, f"unexpected first line {line!r}\n{self.process.log_tail()}"
        self.port, self.ready_ms = int(found[3]), int(found[4])
        return self

    def start_refused(self, seconds: float = 30.0) -> tuple[int, str]:
        """Start it where it must not start: its exit code and what it said."""
        before = self.log.stat().st_size if self.log.exists() else 0
        process = Process(self.argv(), self.log)
        try:
            code = process.popen.wait(seconds)
        finally:
            process.kill()
        return code, self.log.read_text(errors="replace")[before:]

    def stop(self, seconds: float = 30.0) -> int:
        return self.running.stop(seconds)

    def kill(self) -> None:
        self.running.kill()

    def restart(self, seconds: float = 60.0) -> BrokerProcess:
        """Clean stop, then start again."""
        assert self.stop() == 0, self.running.log_tail()
        return self.start(seconds)

    def close(self) -> None:
        """End it whatever its state."""
        if self.process is not None and self.process.alive():
            self.process.kill()

    def log_tail(self) -> str:
        return self.process.log_tail() if self.process else ""
