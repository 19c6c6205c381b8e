"""The process of one directory, found by any program through its record there."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pykafka_ops.errors import PkoError
from pykafka_ops.local import children


class LocalProcess:
    """What runs or ran in ``directory``: stop, kill, pause, and where its log and record are.

    ``what`` names it in messages. ``mortal``: it ends with the thread that starts it.
    """

    def __init__(
        self, directory: Path, what: str, *, record: str, log: str, mortal: bool = False
    ) -> None:
        self.directory = directory.absolute()
        self.what, self.mortal = what, mortal
        self.log = self.directory / log
        """Where it logs to."""
        self.process: subprocess.Popen[bytes] | None = None
        self._path = self.directory / record

    def record(self) -> dict[str, Any]:
        """What the last start left: ``pid``, ``started`` (tick), ``port`` and more; or nothing."""
        return children.read_record(self._path) or {}

    def running(self) -> dict[str, Any] | None:
        """Its record while it runs; None if it does not."""
        found = self.record()
        pid, started = found.get("pid"), found.get("started")
        if not isinstance(pid, int) or not isinstance(started, int):
            return None
        return found if children.is_alive(pid, started) else None

    @property
    def pid(self) -> int | None:
        """Its process id; None while it does not run."""
        found = self.running()
        return int(found["pid"]) if found else None

    def stop(self, seconds: float = 120.0) -> int | None:
        """A clean stop (SIGTERM); its pid, None if it did not run. Raises PkoError."""
        found = self.running()
        if found is not None:
            self.resume()
            if not children.end(found["pid"], found["started"], seconds=seconds):
                raise PkoError(f"{self.what} (pid {found['pid']}) did not stop in {seconds:.0f} s")
        self._reap()
        return int(found["pid"]) if found else None

    def terminate(self) -> None:
        """SIGTERM without waiting; :meth:`stop` waits."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """kill -9."""
        found = self.running()
        if found is not None:
            children.kill(found["pid"], found["started"])
        self._reap()

    def pause(self) -> None:
        """SIGSTOP: it keeps its connections and does nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: it goes on after :meth:`pause`."""
        self._signal(signal.SIGCONT)

    def _write(self, pid: int, more: Mapping[str, object]) -> None:
        """Leave the record of a process that was started. Raises PkoError."""
        started = children.started_at(pid) or 0
        children.write_record(self._path, {"pid": pid, "started": started, **more})

    def _signal(self, number: int) -> None:
        pid = self.pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _reap(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            self.process = None
