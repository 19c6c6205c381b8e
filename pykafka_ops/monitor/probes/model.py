"""How the runs of a probe went: the last one, and the last hour. Pure; spans are of a clock that
never jumps, in seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.smoke.plan import FAILED, LEFT_OUT, NOT_RUN, OK, STEPS, StepOutcome
from pykafka_ops.monitor.probes.settings import ProbeSettings

HOUR: Final = 3600.0
MISSED: Final = 3
"""Runs that did not come: then nobody knows how it is."""
STEP_FACTS: Final = tuple(f"{step.name}_ms" for step in STEPS)
FACTS: Final = ("failed", "total_ms", "availability_percent", *STEP_FACTS)
"""Figures of a probe."""


class ProbeRun(NamedTuple):
    """One run, which began ``at`` (ms since 1970) and took ``total_ms``."""

    at: int
    total_ms: float
    outcomes: Sequence[StepOutcome]

    @property
    def trouble(self) -> StepOutcome | None:
        """The first step that failed, or could not be run; None where all is well."""
        return next((o for o in self.outcomes if o.verdict in (FAILED, NOT_RUN)), None)


class ProbeState:
    """What is known of one probe; ``now`` is the time of a clock that never jumps, in seconds."""

    def __init__(self, settings: ProbeSettings) -> None:
        self.settings = settings
        self.last: ProbeRun | None = None
        self.runs = {True: 0, False: 0}
        """Since the start, by whether they went well."""
        self._ended = 0.0
        self._since: float | None = None
        self._step = ""
        self._hour: deque[tuple[float, bool]] = deque()

    def begun(self, now: float) -> None:
        """A run begins."""
        self._since, self._step = now, ""

    def at_step(self, name: str) -> None:
        """The run has come to a step."""
        self._step = name

    def ended(self, run: ProbeRun, now: float) -> str:
        """A run is over; a line for the timeline, "" where all is as it was."""
        before = self.last
        self.last, self._ended, self._since = run, now, None
        good = run.trouble is None
        self.runs[good] += 1
        self._hour.append((now, good))
        while self._hour[0][0] < now - HOUR:
            self._hour.popleft()
        if before is None:
            return "" if good else f"the probe {self.settings.name} fails: {in_words(run.trouble)}"
        if (before.trouble is None) == good:
            return ""
        if good:
            return f"the probe {self.settings.name} goes well again"
        return f"the probe {self.settings.name} fails: {in_words(run.trouble)}"

    def availability(self, now: float) -> float | None:
        """Percent of the runs of the last hour that went well; None where there was none."""
        recent = [good for at, good in list(self._hour) if at >= now - HOUR]
        return round(100 * sum(recent) / len(recent), 2) if recent else None

    def age(self, now: float) -> float | None:
        """Seconds since the last run ended."""
        return None if self.last is None else round(max(0.0, now - self._ended), 1)

    def trouble(self, now: float) -> StepOutcome | None:
        """What is wrong; a run that should have ended long ago is, too. None: nothing, or it is
        not known."""
        since = self._since
        if since is not None and now - since > 2 * self.settings.timeout_ms / 1000:
            reason = f"hangs since {now - since:.0f} s"
            return StepOutcome(self._step or "start", FAILED, None, reason=reason)
        return self.last.trouble if self.last is not None else None

    def is_ok(self, now: float) -> bool | None:
        """Whether the last run went well; None where there is none, or later ones are missing."""
        if self.trouble(now) is not None:
            return False
        age = self.age(now)
        due = MISSED * max(self.settings.every_ms, self.settings.timeout_ms) / 1000
        return None if age is None or age > due else True

    def row(self, now: float) -> dict[str, Any]:
        """All of it, for the API; ``null`` is not known."""
        trouble, last, settings = self.trouble(now), self.last, self.settings
        return {
            "probe": settings.name,
            "ok": self.is_ok(now),
            "failed_step": trouble.step if trouble else None,
            "where": (trouble.where or None) if trouble else None,
            "reason": (trouble.reason or None) if trouble else None,
            "failed": self._failed(),
            "total_ms": last.total_ms if last else None,
            "availability_percent": self.availability(now),
            "at": last.at if last else None,
            "age_seconds": self.age(now),
            "every_ms": settings.every_ms,
            "timeout_ms": settings.timeout_ms,
            "runs": sum(self.runs.values()),
            "failures": self.runs[False],
            "steps": [o._asdict() for o in last.outcomes] if last else [],
        }

    def figures(self, now: float) -> dict[str, float | None]:
        """The facts that are numbers: times are of steps that went well."""
        last = self.last
        times = {f"{o.step}_ms": o.ms for o in last.outcomes if o.verdict == OK} if last else {}
        return {
            "failed": self._failed(),
            "total_ms": last.total_ms if last else None,
            "availability_percent": self.availability(now),
            **{name: times.get(name) for name in STEP_FACTS},
        }

    def _failed(self) -> int | None:
        return sum(o.verdict == FAILED for o in self.last.outcomes) if self.last else None


def in_words(outcome: StepOutcome | None) -> str:
    """A step that hurts, in words."""
    if outcome is None:
        return ""
    where = f" at {outcome.where}" if outcome.where else ""
    return f"{outcome.step}{where}: {outcome.reason}"


def was_run(outcome: StepOutcome) -> bool:
    """Whether the step was run at all."""
    return outcome.verdict not in (LEFT_OUT, NOT_RUN)
