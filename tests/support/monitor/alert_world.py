"""Rules, rounds and a clock for tests of alerts: seconds go by when told."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.conditions import parse_condition
from pykafka_ops.monitor.alerts.rules.desk import AlertDesk
from pykafka_ops.monitor.alerts.rules.facts import FACTS, GROUP, uncertain
from pykafka_ops.monitor.alerts.rules.incidents import Incident, Notice
from pykafka_ops.monitor.alerts.rules.model import Alert, AlertRule, PollRound, Silence, Subject

START = 1_763_760_000_000
S = 1_000


def rule(name: str = "late", when: str = "lag>10", kind: str = GROUP, **more: object) -> AlertRule:
    """A rule; patterns as texts."""
    for key in ("names", "exclude", "clusters"):
        if isinstance(more.get(key), str):
            more[key] = re.compile(str(more[key]))
    return AlertRule(name, kind, when, parse_condition(when, FACTS[kind], uncertain), **more)  # type: ignore[arg-type]


def group(name: str = "billing", lag: int | None = 0, **facts: object) -> Subject:
    """A group with a lag."""
    return Subject(GROUP, name, {"group": name, "lag": lag, **facts})  # type: ignore[dict-item]


def silence(until: int, **patterns: str) -> Silence:
    """A silence over what these patterns match."""
    compiled = {k: re.compile(v) for k, v in patterns.items()}
    return Silence("s1", until, "ann", "planned", None, compiled)


class AlertWorld:
    """A desk with its clock; ``sent`` is all that it sent, as (receivers, notice)."""

    def __init__(self, *rules: AlertRule, window: int = 0, **more: object) -> None:
        self._ids = itertools.count(1)
        self.more: dict[str, object] = {"window_ms": window * S, **more}
        self.rules = rules
        self.now = START
        self.sent: list[tuple[tuple[str, ...], Notice]] = []
        self.desk = self._desk()

    def _desk(self) -> AlertDesk:
        return AlertDesk(self.rules, ["ops"], lambda: f"id{next(self._ids)}", **self.more)  # type: ignore[arg-type]

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.now += int(seconds * S)

    def round(self, *subjects: Subject, after: float = 0, **more: object) -> list[Notice]:
        """A round some seconds after the last; what the desk sends then."""
        self.go(after)
        self.desk.take(PollRound("prod", self.now, subjects, **more))  # type: ignore[arg-type]
        return self.step()

    def step(self, after: float = 0) -> list[Notice]:
        """What the desk sends now; it is stored at once."""
        self.go(after)
        self.desk.step(self.now)
        found = list(self.desk.changes.notices)
        self.sent += [(each.receivers, each.notice) for each in found]
        self.desk.stored()
        return [each.notice for each in found]

    def phases(self) -> list[str]:
        """``open``, ``repeat`` and ``close`` as they were sent."""
        return [notice.phase for _, notice in self.sent]

    def restart(self) -> None:
        """A new desk that knows what the old one had stored."""
        old, self.desk = self.desk, self._desk()
        kept = [*old.engine.past, *old.engine.open.values()]
        self.desk.adopt(
            [Alert.from_dict(a.as_dict()) for a in kept],
            [Incident.from_dict(i.as_dict()) for i in old.incidents.open.values()],
            old.added.values(),
        )


def names(alerts: Sequence[Mapping[str, object]]) -> list[str]:
    """What the alerts of a notice are about."""
    return [str(a["key"][3]) for a in alerts]  # type: ignore[index]
