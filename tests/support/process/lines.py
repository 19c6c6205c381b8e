"""Many command lines of pko in one process of its own: a start costs more than most commands."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.process import line_driver
from tests.support.process.console import PATIENT, environment

LIMIT = 60.0
"""Seconds after which a line hangs."""
OTHERS = 0o077


class Heard(NamedTuple):
    """What a line answered, and what it took: its time-outs that ran out, the seconds that it
    paused on purpose, its connections; the programs that it ``started``, the files ``written``."""

    code: int
    out: str
    err: str
    seconds: float
    time_outs: int
    paused: float
    connections: int
    started: list[str]
    written: list[str]

    @property
    def told(self) -> str:
        """Output and errors."""
        return self.out + self.err

    def leaks(self, secrets: Collection[str]) -> list[str]:
        """In words, where others could read one of these: what is shown, what programs were given,
        files; of a file that is gone nobody knows who could."""
        found = [f"shows {word}" for word in secrets if word in self.told]
        found += [f"gives {text}" for text in self.started if any(w in text for w in secrets)]
        for path in map(Path, self.written):
            if not path.is_file():
                found += [] if path.is_char_device() else [f"{path} is gone"]
            elif path.stat().st_mode & OTHERS and any(w in _text(path) for w in secrets):
                found.append(f"{path} is open to others")
        return found


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


class Lines:
    """Call it with the words of a line. ``pid`` is the process that runs them all, in
    ``directory``."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory = directory
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        argv = [sys.executable, "-m", line_driver.__name__, directory, orders, answers]
        self._process = subprocess.Popen(
            list(map(str, argv)), pass_fds=(orders, answers), env=environment()
        )
        os.close(orders)
        os.close(answers)
        self._heard = os.fdopen(self._answers, encoding="utf-8")

    @property
    def pid(self) -> int:
        return self._process.pid

    def __call__(
        self,
        *argv: str,
        text: str = "",
        env: Mapping[str, str] = PATIENT,
        seconds: float = LIMIT,
    ) -> Heard:
        """Run it; AssertionError where it hangs for ``seconds``, or ends the process."""
        order = {"argv": argv, "text": text, "env": dict(env)}
        os.write(self._orders, json.dumps(order).encode() + b"\n")
        ready, _, _ = select.select([self._heard], [], [], seconds)
        if not ready:
            self.close()
            raise AssertionError(f"{' '.join(argv)}: no end within {seconds:g} s")
        line = self._heard.readline()
        assert line, f"{' '.join(argv)}: it ended the process"
        found = json.loads(line)
        out, err = (_text(self.directory / name) for name in ("stdout", "stderr"))
        return Heard(out=out, err=err, **found)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._orders)
        self._heard.close()
