"""How fast partitions are copied, and grow at the source. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple

from pykafka_ops.client.leaders import Partition

STEP_MS: Final = 1_000
SAMPLES: Final = 11
"""Rates are means of the last ten seconds."""
STANDS: Final = 0.001


class Sample(NamedTuple):
    """Where a partition was: position and end at the source, bytes copied so far."""

    position: int
    end: int
    bytes: int


class Rates(NamedTuple):
    """A second: source offsets copied and added, bytes copied."""

    copied: float
    added: float
    bytes: float


class CopyMeter:
    """Takes samples of all partitions of a link."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, dict[Partition, Sample]]] = deque(maxlen=SAMPLES)

    def note(self, now_ms: int, samples: Mapping[Partition, Sample]) -> None:
        """Add samples; those that come within a second of the last are left out."""
        if not self._samples or now_ms - self._samples[-1][0] >= STEP_MS:
            self._samples.append((now_ms, dict(samples)))

    def rates(self) -> dict[Partition, Rates]:
        """Of the partitions that have two samples, the newest among them."""
        if len(self._samples) < 2:
            return {}
        last_ms, newest = self._samples[-1]
        found = {}
        for partition, last in newest.items():
            first = next(((ms, s[partition]) for ms, s in self._samples if partition in s), None)
            if first is None or first[0] >= last_ms:
                continue
            seconds = (last_ms - first[0]) / 1000
            found[partition] = Rates(
                max(0, last.position - first[1].position) / seconds,
                max(0, last.end - first[1].end) / seconds,
                max(0, last.bytes - first[1].bytes) / seconds,
            )
        return found


def eta_seconds(lag: int, rates: Rates | None) -> float | None:
    """When a partition has caught up, at this pace; 0: it has; None: not known, or never."""
    if lag == 0:
        return 0.0
    if lag < 0 or rates is None or rates.copied - rates.added < STANDS:
        return None
    return lag / (rates.copied - rates.added)
