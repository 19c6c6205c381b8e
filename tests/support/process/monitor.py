"""A monitor that runs, asked by HTTP."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.process.console import start
from tests.support.waiting import PATIENCE, wait_for


class MonitorProcess:
    """``pko monitor run`` with these words; it listens on a free port. ``data`` is its directory,
    which stays; else it has one of its own."""

    def __init__(
        self, *words: str, data: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self._data = TemporaryDirectory()
        where = ("--listen", "127.0.0.1:0", "--data-dir", str(data or self._data.name))
        self.process: Popen[bytes] = start("monitor", "run", *where, *words, env=env)
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r"http://\S+?/", said.decode())
        if found is None:
            raise AssertionError(said + self.process.communicate(timeout=PATIENCE)[1])
        self.url = found[0].rstrip("/")

    def __enter__(self) -> MonitorProcess:
        wait_for(lambda: self.get("/readyz")[0] == 200, what="the monitor is ready")
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)
        self._data.cleanup()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)
        self._data.cleanup()

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and body."""
        request = urllib.request.Request(self.url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    @property
    def data(self) -> Path:
        """Its directory."""
        return Path(self._data.name)

    def post(self, path: str, body: object, **headers: str) -> tuple[int, Any]:
        """Status and body of a change asked for as a script does."""
        head = {"Content-Type": "application/json", "X-Pko": "1", **headers}
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, head, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def json(self, path: str) -> Any:
        """The body of a good answer."""
        status, body = self.get(path)
        assert status == 200, body
        return json.loads(body)
