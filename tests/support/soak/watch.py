"""Samples of what a broker holds, and how quickly it answers."""

from __future__ import annotations

import os
import statistics
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.support.process.process import Process
from tests.support.soak.hostile import Probe
from tests.support.soak.trend import Allowed, Sample, Trend, after

MB = 1 << 20


class Figure(NamedTuple):
    """What is watched: how it is shown, and how much it may grow."""

    name: str
    unit: str
    allowed: Allowed


FIGURES = (
    Figure("memory", "MiB", Allowed(8, 0.15)),
    Figure("open files", "", Allowed(20, 0.15)),
    Figure("threads", "", Allowed(4, 0)),
    Figure("data", "MiB", Allowed(30, 0.3)),
    Figure("answer, median", "ms", Allowed(10, 1)),
)


class Line(NamedTuple):
    """A figure's row of the table, and whether it grows."""

    cells: tuple[str, ...]
    grows: bool


class Watch:
    """The samples of one broker."""

    def __init__(self, process: Process, data_dir: Path, probe: Probe) -> None:
        self._process = process
        self._data_dir = data_dir
        self._probe = probe
        self._begun = time.monotonic()
        self._samples: dict[str, list[Sample]] = {figure.name: [] for figure in FIGURES}
        self.slowest_ms = 0.0

    @property
    def seconds(self) -> float:
        """Since the begin."""
        return time.monotonic() - self._begun

    def sample(self) -> str:
        """Take one of each; a line that shows them."""
        latencies = self._probe.take()
        found = {
            "memory": self._process.rss() / MB,
            "open files": self._process.open_files(),
            "threads": self._threads(),
            "data": self._on_disk() / MB,
        }
        if latencies:
            found["answer, median"] = statistics.median(latencies)
            self.slowest_ms = max(self.slowest_ms, *latencies)
        now = self.seconds
        for name, value in found.items():
            self._samples[name].append((now, value))
        return ", ".join(f"{name} {value:.1f}" for name, value in found.items())

    def lines(self, warm_up: float) -> list[Line]:
        """Each figure from ``warm_up`` seconds on."""
        made = []
        for figure in FIGURES:
            samples = after(self._samples[figure.name], warm_up)
            if len(samples) < 4:
                made.append(Line((figure.name, "too few samples"), grows=True))
                continue
            trend = Trend.of(samples)
            highest = max(value for _, value in self._samples[figure.name])
            numbers = (trend.first, trend.last, trend.gain, highest)
            grows = trend.grows(figure.allowed)
            verdict = "grows" if grows else "steady"
            cells = (
                f"{figure.name} {figure.unit}".strip(),
                *(f"{n:.1f}" for n in numbers),
                verdict,
            )
            made.append(Line(cells, grows))
        return made

    def _threads(self) -> int:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("Threads:")[2].split()[0])

    def _on_disk(self) -> int:
        size = 0
        for folder, _, names in os.walk(self._data_dir):  # passes over what is deleted meanwhile
            for name in names:
                if name.endswith(".log"):
                    with suppress(FileNotFoundError):
                        size += os.stat(os.path.join(folder, name)).st_size
        return size
