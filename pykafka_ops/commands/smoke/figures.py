"""How long steps took so far, and how often they failed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from pykafka_ops.client.smoke.plan import FAILED, NOT_RUN, StepOutcome

KEPT: Final = 100_000
"""The latest times of a step; the oldest are forgotten beyond that."""


class Figures:
    """Of one step: runs, failures (not run counts as one), times in ms."""

    def __init__(self) -> None:
        self.runs = self.failures = 0
        self.times: deque[float] = deque(maxlen=KEPT)

    def add(self, outcome: StepOutcome) -> None:
        """One more round."""
        self.runs += 1
        self.failures += outcome.verdict in (FAILED, NOT_RUN)
        if outcome.ms is not None and outcome.verdict != FAILED:
            self.times.append(outcome.ms)

    def row(self) -> dict[str, object]:
        """Times of the runs that went well; None where there are none."""
        times = sorted(self.times)
        return {
            "runs": self.runs,
            "failures": self.failures,
            "min_ms": times[0] if times else None,
            "median_ms": percentile(times, 50) if times else None,
            "p99_ms": percentile(times, 99) if times else None,
        }


def percentile(ordered: Sequence[float], share: int) -> float:
    """The smallest value that ``share`` percent of all do not exceed (nearest rank)."""
    return ordered[-(-len(ordered) * share // 100) - 1]
