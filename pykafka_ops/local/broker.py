"""One broker of ours as a process: start, stop, kill, pause, and the same again later."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.errors import PkoError
from pykafka_ops.local import children
from pykafka_ops.local.process import LocalProcess

RECORD, LOG, DATA = "process.json", "broker.log", "data"
READY = re.compile(r"broker (\d+) ready on ([^ ,]+):(\d+)[, ]")
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
        """More listeners, each NAME://host:port; clients get the first one, PLAINTEXT."""

    @property
    def data_dir(self) -> Path:
        """Its logs, and its metadata store where it has no ZooKeeper."""
        return self.directory / DATA

    @property
    def port(self) -> int:
        """Where it listens, or listened last; 0 before its first start."""
        port = self.record().get("port")
        return port if isinstance(port, int) and 0 < port < 65536 else self._wish

    def wish_port(self, port: int) -> None:
        """Take that port at the first start if it is free."""
        self._wish = port

    @property
    def bootstrap_servers(self) -> str:
        """``host:port``."""
        return f"{self.host}:{self.port}"

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
        self._write(self.process.pid, {"port": port})

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
            raise PkoError(f"{self.what} {what}: {said} (see {self.log})")
        self._write(process.pid, {"port": int(found[3])})
