"""One broker of ours as a process: start, stop, kill, pause, and the same again later."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pykafka_ops.errors import PkoError
from pykafka_ops.local import children

RECORD, LOG, DATA = "process.json", "broker.log", "data"
READY = re.compile(r"broker (\d+) ready on ([^ ,]+):(\d+)[, ]")
START_SECONDS = 120.0


class LocalBroker:
    """The broker of one directory: its data, its log and the record of its process.

    ``settings`` are those of server.properties. Port 0 takes a free one at the first start and
    the same again at later ones while it is free. ``mortal``: it ends with the thread that starts
    it.
    """

    def __init__(
        self,
        directory: Path,
        settings: Mapping[str, object] | None = None,
        *,
        broker_id: int = 0,
        port: int = 0,
        host: str = "127.0.0.1",
        mortal: bool = False,
    ) -> None:
        self.directory = directory.absolute()
        self.settings = {key: str(value) for key, value in (settings or {}).items()}
        self.broker_id, self.host, self.mortal = broker_id, host, mortal
        self._wish = port
        self.also: tuple[str, ...] = ()
        """More listeners, each NAME://host:port; clients get the first one, PLAINTEXT."""
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def data_dir(self) -> Path:
        """Its logs, and its metadata store where it has no ZooKeeper."""
        return self.directory / DATA

    @property
    def log(self) -> Path:
        """Where it logs to."""
        return self.directory / LOG

    def _record(self) -> dict[str, Any]:
        return children.read_record(self.directory / RECORD) or {}

    @property
    def port(self) -> int:
        """Where it listens, or listened last; 0 before its first start."""
        port = self._record().get("port")
        return port if isinstance(port, int) and 0 < port < 65536 else self._wish

    def wish_port(self, port: int) -> None:
        """Take that port at the first start if it is free."""
        self._wish = port

    @property
    def bootstrap_servers(self) -> str:
        """``host:port``."""
        return f"{self.host}:{self.port}"

    @property
    def pid(self) -> int | None:
        """Its process id; None while it does not run."""
        found = self._record()
        pid, started = found.get("pid"), found.get("started")
        if not isinstance(pid, int) or not isinstance(started, int):
            return None
        return pid if children.is_alive(pid, started) else None

    def argv(self, port: int) -> list[str]:
        """How to run it."""
        overrides = [w for k, v in self.settings.items() for w in ("--override", f"{k}={v}")]
        listeners = ",".join((f"PLAINTEXT://{self.host}:{port}", *self.also))
        return [
            *(sys.executable, "-m", "pykafka_ops", "broker", "start"),
            *("--data-dir", str(self.data_dir), "--listen", listeners),
            *("--override", f"broker.id={self.broker_id}"),
            *overrides,
        ]

    # --- verbs -----------------------------------------------------------------------------------

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start it and wait until it serves clients; nothing to do if it runs.

        Raises PkoError, with what it said, where it does not start.
        """
        if self.pid is None:
            self.launch()
            self.wait_ready(seconds)

    def launch(self) -> None:
        """Start its process; :meth:`wait_ready` is to follow."""
        port = self.port
        if port:
            port = children.free_port(self.host, port)
        self.process = children.spawn(
            self.argv(port), self.log, mortal=self.mortal, stdout=subprocess.PIPE
        )
        self._write(self.process.pid, port)

    def _write(self, pid: int, port: int) -> None:
        record = {"pid": pid, "started": children.started_at(pid) or 0, "port": port}
        children.write_record(self.directory / RECORD, record)

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        """Until it has said that it serves clients. Raises PkoError."""
        process = self.process
        assert process is not None, "launch it first"
        line = children.first_line(process, seconds)
        if process.stdout is not None:
            process.stdout.close()
        found = READY.match(line or "")
        if found is None:
            self.kill()
            said = children.tail(self.log, 1) or "it said nothing"
            what = f"said nothing for {seconds:.0f} s" if line is None else "did not start"
            raise PkoError(f"broker {self.broker_id} {what}: {said} (see {self.log})")
        self._write(process.pid, int(found[3]))

    def stop(self, seconds: float = 120.0) -> int | None:
        """A clean stop (SIGTERM); its pid, None if it did not run. Raises PkoError."""
        found = self._record()
        pid = self.pid
        if pid is None:
            self._reap()
            return None
        self.resume()
        if not children.end(pid, found["started"], seconds=seconds):
            raise PkoError(f"broker {self.broker_id} (pid {pid}) did not stop in {seconds:.0f} s")
        self._reap()
        return pid

    def terminate(self) -> None:
        """SIGTERM without waiting; :meth:`stop` waits."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """kill -9."""
        pid = self.pid
        if pid is not None:
            children.kill(pid, self._record()["started"])
        self._reap()

    def pause(self) -> None:
        """SIGSTOP: it keeps its connections and does nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: it goes on after :meth:`pause`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        pid = self.pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _reap(self) -> None:
        if self.process is not None:
            self.process.wait()
            self.process = None
