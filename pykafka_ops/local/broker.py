"""One broker as a process: start, stop, kill, pause, and start again later."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pykafka_ops.errors import PkoError
from pykafka_ops.local import children
from pykafka_ops.local.children import LocalProcess
from pykafka_ops.security.java import VARIABLES

RECORD, LOG, DATA = "process.json", "broker.log", "data"
PID_FILE = "broker.pid"
"""File in the data directory of a broker that serves clients: its pid and listeners."""
START_SECONDS = 120.0


class LocalBroker(LocalProcess):
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
        super().__init__(directory, f"broker {broker_id}", record=RECORD, log=LOG, mortal=mortal)
        self.settings = {key: str(value) for key, value in (settings or {}).items()}
        self.broker_id, self.host = broker_id, host
        self._wish = port
        self.also: tuple[str, ...] = ()
        """More listeners, each NAME://host:port; clients get the first one."""
        self.listener = "PLAINTEXT"
        """Name of the first one."""
        self.properties_file: Path | None = None
        """A server.properties beside ``settings``: what it has is not in the list of processes."""

    @property
    def data_dir(self) -> Path:
        """Directory of its logs, and of its metadata store where it has no ZooKeeper."""
        return self.directory / DATA

    @property
    def is_ready(self) -> bool:
        """Whether it runs and serves clients."""
        found = self.running()
        return found is not None and bool(found.get("ready") or self._serves())

    @property
    def port(self) -> int:
        """Where it listens, or listened last; 0 before its first start."""
        port = self.record().get("port")
        if isinstance(port, int) and 0 < port < 65536:
            return port
        return self._serves() or self._wish

    def wish_port(self, port: int) -> None:
        """Use this port at the first start if it is free."""
        self._wish = port

    @property
    def bootstrap_servers(self) -> str:
        """``host:port``."""
        return f"{self.host}:{self.port}"

    def argv(self, port: int) -> list[str]:
        """The command line that runs it."""
        overrides = [w for k, v in self.settings.items() for w in ("--override", f"{k}={v}")]
        listeners = ",".join((f"{self.listener}://{self.host}:{port}", *self.also))
        file = () if self.properties_file is None else (str(self.properties_file),)
        return [
            *(sys.executable, "-m", "pykafka_ops", "broker", "start", *file),
            *("--data-dir", str(self.data_dir), "--listen", listeners),
            *("--override", f"broker.id={self.broker_id}"),
            *overrides,
        ]

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start it, if it does not run, and wait until it serves clients.

        Raises PkoError, with what it said, where it does not start.
        """
        if self.pid is None:
            self.launch()
        self.wait_ready(seconds)

    def launch(self) -> None:
        """Start its process; :meth:`wait_ready` is to follow. Raises PkoError.

        A login to another ZooKeeper (``KAFKA_OPTS``) is not for this one's, which is open.
        """
        port = self.port
        if port:
            port = children.free_port(self.host, port)
        left = self._pid_file()
        if left and not children.is_alive(left["pid"]):  # or a new process may pass for it
            with contextlib.suppress(OSError):
                (self.data_dir / PID_FILE).unlink()
        env = {k: v for k, v in os.environ.items() if k not in VARIABLES}
        self.process = children.spawn(self.argv(port), self.log, env=env, mortal=self.mortal)
        self._write(self.process.pid, {"port": port, "ready": False})

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        """Until it serves clients, whoever launched it; one that does not is ended.

        Raises PkoError, with what it said last.
        """
        found = self.record()
        if found.get("ready"):
            return
        children.wait_until(lambda: self._serves() > 0 or self.running() is None, seconds)
        port = self._serves()
        if not port:
            late = self.running() is not None
            self.kill()
            said = children.tail(self.log, 1) or "it said nothing"
            what = f"served nobody for {seconds:.0f} s" if late else "did not start"
            raise PkoError(f"{self.what} {what}: {said} (see {self.log})")
        self._write(found["pid"], {"port": port, "ready": True})

    def _serves(self) -> int:
        """The port on which it says that it serves clients; 0 before."""
        left, found = self._pid_file(), self.running()
        if left is None or found is None or left["pid"] != found["pid"]:
            return 0
        port = str(next(iter(left.get("listeners") or ()), "")).rpartition(":")[2]
        return int(port) if port.isascii() and port.isdigit() else 0

    def _pid_file(self) -> dict[str, Any] | None:
        found = children.read_record(self.data_dir / PID_FILE)
        return found if found is not None and isinstance(found.get("pid"), int) else None
