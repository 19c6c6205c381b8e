"""Our broker as a child process: start, stop, kill -9, restart on the same port and directory."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.process.process import Process
from tests.support.process.server import ServerProcess
from tests.support.waiting import PATIENCE

READY = re.compile(r"broker (\d+) ready on ([^ :]+):(\d+)(?:, \S+)* in (\d+) ms")


class BrokerProcess(ServerProcess):
    """``pko broker start``."""

    kind = "pko"

    def __init__(
        self,
        data_dir: Path,
        overrides: Mapping[str, object] | None = None,
        *,
        log: Path | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        super().__init__(data_dir, overrides, log)
        self.arguments = list(arguments)
        self.ready_ms = 0
        self.also: list[str] = []
        """More listeners, each NAME://host:port; the first one is PLAINTEXT."""

    @property
    def listen(self) -> str:
        """Where it is told to listen."""
        return ",".join((f"PLAINTEXT://{self.bootstrap}", *self.also))

    def argv(self) -> list[str]:
        overrides = [a for k, v in self.overrides.items() for a in ("--override", f"{k}={v}")]
        return [
            *(sys.executable, "-m", "pykafka_ops", "broker", "start"),
            *("--data-dir", str(self.data_dir), "--listen", self.listen),
            *overrides,
            *self.arguments,
        ]

    def start(self, seconds: float = PATIENCE) -> BrokerProcess:
        """Start it and wait for its line that says it accepts clients."""
        self.launch()
        line = self.running.first_line(seconds)
        found = READY.fullmatch(line)
        assert found, f"unexpected first line {line!r}\n{self.log_tail()}"
        self.port, self.ready_ms = int(found[3]), int(found[4])
        return self

    def start_refused(self, seconds: float = PATIENCE) -> tuple[int, str]:
        """Start it where it must not start: its exit code and what it said."""
        before = self.log.stat().st_size if self.log.exists() else 0
        process = Process(self.argv(), self.log)
        try:
            code = process.popen.wait(seconds)
        finally:
            process.kill()
        return code, self.log.read_text(errors="replace")[before:]

    def restart(self, seconds: float = PATIENCE) -> BrokerProcess:
        """Clean stop, then start again."""
        assert self.stop() == 0, self.running.log_tail()
        return self.start(seconds)
