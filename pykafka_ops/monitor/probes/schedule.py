"""Probes on their schedule: a thread for each cluster, where no two run at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.smoke.plan import FAILED, StepOutcome
from pykafka_ops.monitor.alerts.rules.facts import PROBE
from pykafka_ops.monitor.alerts.rules.model import Subject
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.probes.model import ProbeRun, ProbeState
from pykafka_ops.monitor.probes.runner import ProbeRunner
from pykafka_ops.monitor.probes.settings import ProbeSettings

log = logging.getLogger("pko.monitor")

JOIN_SECONDS: Final = 15.0
"""How long a run under way may take to clean up at the end."""


class _Line:
    """The probes of one cluster, one after the other."""

    def __init__(
        self,
        cluster: str,
        probes: Sequence[tuple[ProbeState, ProbeRunner]],
        ended: Callable[[ProbeState, ProbeRun, str], None],
    ) -> None:
        self._probes, self._tell = list(probes), ended
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._work, name=f"probe-{cluster}", daemon=True)

    def stop(self) -> None:
        self._stop.set()
        for _, runner in self._probes:
            runner.hurry()

    def _work(self) -> None:
        due = dict.fromkeys(range(len(self._probes)), time.monotonic())
        while not self._stop.is_set():
            number = min(due, key=lambda n: due[n])
            if self._stop.wait(max(0.0, due[number] - time.monotonic())):
                return
            state, runner = self._probes[number]
            due[number] = time.monotonic() + state.settings.every_ms / 1000
            self._run(state, runner)

    def _run(self, state: ProbeState, runner: ProbeRunner) -> None:
        state.begun(time.monotonic())
        at = int(time.time() * 1000)
        try:
            run = runner.run(state.at_step)
        except Exception:  # a fault of ours must not end the schedule
            log.exception("the probe %s failed", state.settings.name)
            reason = "the monitor failed; its log says why"
            run = ProbeRun(at, 0.0, [StepOutcome("start", FAILED, None, reason=reason)])
        if not self._stop.is_set():
            self._tell(state, run, state.ended(run, time.monotonic()))


class Probes:
    """Made, ``start``, ``stop``; what they found may be asked for by any thread."""

    def __init__(
        self,
        settings: Sequence[ProbeSettings],
        clients: Mapping[str, ClientConfig],
        history: History | None = None,
    ) -> None:
        self._history = history
        self.states: dict[str, list[ProbeState]] = {}
        """By cluster, in the order of the configuration."""
        self._lines = []
        for cluster in dict.fromkeys(one.cluster for one in settings):
            own = [one for one in settings if one.cluster == cluster]
            probes = [(ProbeState(one), ProbeRunner(one, clients[cluster])) for one in own]
            self.states[cluster] = [state for state, _ in probes]
            self._lines.append(_Line(cluster, probes, self._ended))

    def start(self) -> None:
        """Begin to probe."""
        for line in self._lines:
            line.thread.start()

    def stop(self) -> None:
        """Probe no more; what a run under way has made is removed."""
        for line in self._lines:
            line.stop()
        for line in self._lines:
            if line.thread.is_alive():
                line.thread.join(JOIN_SECONDS)

    def rows(self, cluster: str) -> list[dict[str, Any]]:
        """The probes of a cluster, as the API lists them."""
        now = time.monotonic()
        return [state.row(now) for state in self.states.get(cluster, ())]

    def subjects(self, cluster: str) -> list[Subject]:
        """The probes of a cluster, for the alerts."""
        now = time.monotonic()
        return [_subject(state, now) for state in self.states.get(cluster, ())]

    def _ended(self, state: ProbeState, run: ProbeRun, change: str) -> None:
        name, cluster = state.settings.name, state.settings.cluster
        if change:
            log.info("cluster %s: %s", cluster, change)
        if self._history is None:
            return
        figures = {"ok": int(run.trouble is None), **state.figures(time.monotonic())}
        values = {
            SeriesKey(PROBE, name, fact): value
            for fact, value in figures.items()
            if value is not None
        }
        self._history.record(cluster, run.at, values)
        if change:
            self._history.note(cluster, run.at, PROBE, name, change, state.row(time.monotonic()))


def _subject(state: ProbeState, now: float) -> Subject:
    trouble = state.trouble(now)
    facts = {
        "cluster": state.settings.cluster,
        "probe": state.settings.name,
        "ok": state.is_ok(now),
        "failed_step": trouble.step if trouble else None,
        "reason": trouble.reason if trouble else None,
        "age_seconds": state.age(now),
        **state.figures(now),
    }
    return Subject(PROBE, state.settings.name, facts)
