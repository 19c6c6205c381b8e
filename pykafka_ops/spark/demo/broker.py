"""The demo's broker, started by ``pko broker start``."""

from __future__ import annotations

import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.errors import PkoError

READY = re.compile(r"ready on ([^ ]+:\d+) ")
PATIENCE = 30.0
"""Seconds it may take to start, and to stop."""


class DemoBroker:
    """``pko broker start`` in ``directory`` on a free port of this machine; stops at the end."""

    def __init__(self, directory: Path, settings: Mapping[str, str]) -> None:
        self.directory, self.settings = directory, settings
        self.servers = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> DemoBroker:
        """Start it and wait until it accepts clients. Raises PkoError with the end of its log."""
        log = self.directory.with_name("broker.log")
        overrides = [w for k, v in self.settings.items() for w in ("--override", f"{k}={v}")]
        argv = [
            *(sys.executable, "-m", "pykafka_ops", "broker", "start"),
            *("--data-dir", str(self.directory), "--listen", "127.0.0.1:0"),
            *("--log-file", str(log), *overrides),
        ]
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C is for the demo, which then stops the broker
        )
        said = self._first_line()
        found = READY.search(said)
        if found is None:
            self.stop()
            raise PkoError(f"the demo's broker did not start: {said.strip() or f'see {log}'}")
        self.servers = found[1]
        return self

    def _first_line(self) -> str:
        assert self._process is not None and self._process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._process.stdout], [], [], left)[0]:
                return self._process.stdout.readline()
        return f"it was not ready in {PATIENCE:.0f} s"

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop it, by force if it does not stop in time."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._process = None
