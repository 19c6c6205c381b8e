"""The states of alerts: pending, firing, resolved. A round goes in, changes come out.

Unknown facts change nothing: the alert keeps its state and says so. As in Prometheus, an alert
fires once its condition has held for a while. As with ``keep_firing_for``, it resolves once the
condition has not held for a while. That while grows each time the alert fires again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Final

from pykafka_ops.monitor.alerts.rules.causes import NAMED, brokers_down, cause_of
from pykafka_ops.monitor.alerts.rules.facts import AUDIT, CLUSTER, PROBE, REACHABLE, Facts
from pykafka_ops.monitor.alerts.rules.model import (
    FIRING,
    MOST_TEXT,
    PENDING,
    RESOLVED,
    Alert,
    AlertKey,
    AlertRule,
    PollRound,
    Subject,
)

FLAP_MS: Final = 3_600_000
"""How long the engine remembers that an alert fired."""
FLAP_HOLD_MS: Final = 60_000
"""How long an alert that fired again must stay calm to resolve; twice as long each time more."""
FLAP_MOST_MS: Final = 1_800_000
NEVER: Final = "never"
"""The text for a time that never comes."""
KEPT: Final = 1_000
"""Resolved alerts that are kept to show."""


class AlertEngine:
    """``open``: pending and firing alerts by key; ``past``: resolved ones, the newest last;
    ``openings``: when alerts fired within the last hour.

    ``changed`` collects changes to store: alerts by key, None for one to delete.
    """

    def __init__(self, rules: Iterable[AlertRule], new_id: Callable[[], str]) -> None:
        """``new_id`` makes unique ids."""
        self.rules = {rule.name: rule for rule in rules}
        self.open: dict[AlertKey, Alert] = {}
        self.past: deque[Alert] = deque(maxlen=KEPT)
        self.openings: dict[AlertKey, list[int]] = {}
        self.changed: dict[AlertKey, Alert | None] = {}
        self._new_id = new_id

    # --- rounds ----------------------------------------------------------------------------------

    def take(self, found: PollRound) -> None:
        """Evaluate the rules on a round."""
        subjects = _reachable(found)
        down = brokers_down(subjects)
        by_kind: dict[str, list[Subject]] = {}
        for subject in subjects:
            by_kind.setdefault(subject.kind, []).append(subject)
        seen: set[AlertKey] = set()
        for rule in self.rules.values():
            for subject in by_kind.get(rule.kind, ()):
                if rule.covers(found.cluster, subject.kind, subject.name):
                    key = AlertKey(rule.name, found.cluster, subject.kind, subject.name)
                    seen.add(key)
                    self._judge(rule, key, subject, found, down)
        self._missing(found, seen)
        self._forget_flaps(found.at)

    def drop_rules(self, now: int, clusters: Iterable[str]) -> None:
        """Resolve alerts whose rule is gone or no longer covers them, and those of clusters that
        the monitor no longer watches."""
        watched = set(clusters)
        for key in list(self.open):
            rule = self.rules.get(key.rule)
            if key.cluster not in watched:
                self._end(key, now, f"cluster {key.cluster} is not watched any more")
            elif rule is None:
                self._end(key, now, f"the rule {key.rule} is gone")
            elif not rule.covers(key.cluster, key.kind, key.name):
                self._end(key, now, f"the rule {key.rule} is not for this {key.kind} any more")

    def adopt(self, stored: Iterable[Alert]) -> None:
        """Continue with what another monitor, or this one before a restart, had stored. It takes
        precedence; what was found since stays only for other keys."""
        for alert in stored:
            if alert.fired_at is not None:
                times = self.openings.setdefault(alert.key, [])
                times += [] if alert.fired_at in times else [alert.fired_at]
            if alert.state == RESOLVED:
                self.past.append(alert)
                continue
            own = self.open.get(alert.key)
            if own is not None:
                alert.since = min(alert.since, own.since)
            if own is None or alert.state == FIRING or own.state == PENDING:
                self.open[alert.key] = alert

    def acknowledge(self, id_: str, who_and_why: str, now: int) -> Alert | None:
        """Note that somebody acknowledges an open alert; None where none has this id."""
        for alert in self.open.values():
            if alert.id == id_:
                alert.acknowledged, alert.acknowledged_at = who_and_why, now
                self.changed[alert.key] = alert
                return alert
        return None

    def firing(self) -> list[Alert]:
        """The firing alerts, the oldest first."""
        found = [a for a in self.open.values() if a.state == FIRING]
        return sorted(found, key=lambda a: (a.fired_at or 0, a.key))

    # --- one subject -----------------------------------------------------------------------------

    def _judge(
        self, rule: AlertRule, key: AlertKey, subject: Subject, found: PollRound, down: str
    ) -> None:
        now = found.at
        verdict, alert = rule.when.judged(subject.facts), self.open.get(key)
        if verdict is None:
            self._unknown(alert, found)
        elif not verdict:
            self._calm(alert, now, "")
        else:
            if alert is None:
                alert = self.open[key] = Alert(
                    self._new_id(), key, rule.severity, now,
                    condition=rule.text, summary=rule.summary,
                )  # fmt: skip
                self.changed[key] = alert
            self._holds(alert, rule, subject, now)
            if alert.state == PENDING and now - alert.since >= rule.for_ms:
                self._fire(alert, cause_of(rule, subject, down), now)

    def _holds(self, alert: Alert, rule: AlertRule, subject: Subject, now: int) -> None:
        if alert.calm_since is not None:
            alert.calm_since = None
            self.changed[alert.key] = alert
        alert.unknown_since, alert.unknown_why = None, ""
        alert.since = min(alert.since, now)  # a clock that was set back delays nothing
        alert.facts = {name: _bounded(value) for name, value in subject.facts.items()}
        alert.condition, alert.summary = rule.text, rule.summary

    def _fire(self, alert: Alert, cause: str, now: int) -> None:
        alert.state, alert.fired_at, alert.cause = FIRING, now, cause[:MOST_TEXT]
        self.openings.setdefault(alert.key, []).append(now)
        self.changed[alert.key] = alert

    def _unknown(self, alert: Alert | None, found: PollRound) -> None:
        if alert is None:
            return
        if alert.unknown_since is None:
            alert.unknown_since = found.at
        alert.unknown_why = "; ".join(found.not_asked[:NAMED])[:MOST_TEXT]

    def _calm(self, alert: Alert | None, now: int, reason: str) -> None:
        """The condition does not hold."""
        if alert is None:
            return
        alert.unknown_since, alert.unknown_why = None, ""
        if alert.state == PENDING:
            del self.open[alert.key]
            self.changed[alert.key] = None
            return
        if alert.calm_since is None or alert.calm_since > now:
            alert.calm_since = now
            self.changed[alert.key] = alert
        if now - alert.calm_since >= self.hold_ms(alert.key):
            self._end(alert.key, now, reason or "the condition does not hold any more")

    def hold_ms(self, key: AlertKey) -> int:
        """How long an alert must be calm to resolve: the rule's time, and more for one that
        flaps."""
        rule = self.rules.get(key.rule)
        times = len(self.openings.get(key, ())) - 2
        flapping = min(FLAP_HOLD_MS << min(times, 10), FLAP_MOST_MS) if times >= 0 else 0
        return max(rule.calm_ms if rule else 0, flapping)

    def _end(self, key: AlertKey, now: int, reason: str) -> None:
        alert = self.open.pop(key)
        if alert.state == PENDING:
            self.changed[key] = None
            return
        alert.state, alert.resolved_at, alert.reason = RESOLVED, now, reason
        alert.unknown_since, alert.unknown_why = None, ""
        self.past.append(alert)
        self.changed[key] = alert

    # --- missing subjects ------------------------------------------------------------------------

    def _missing(self, found: PollRound, seen: set[AlertKey]) -> None:
        """Alerts of subjects that the round lacks: the subject is gone if the round has all of its
        kind, else unknown."""
        for key, alert in list(self.open.items()):
            if key.cluster != found.cluster or key in seen:
                continue
            if key.rule not in self.rules or (found.fresh and key.kind not in found.partial):
                what = key.kind if key.rule in self.rules else "rule"
                self._calm(alert, found.at, f"the {what} is not there any more")
            else:
                self._unknown(alert, found)

    def _forget_flaps(self, now: int) -> None:
        for key, times in list(self.openings.items()):
            # what lies ahead was noted before the clock was set back
            kept = [at for at in times if now - FLAP_MS < at <= now]
            if kept or key in self.open:
                self.openings[key] = kept
            else:
                del self.openings[key]


def _reachable(found: PollRound) -> list[Subject]:
    """The subjects, with a cluster that says whether it answered. A round that is not fresh has
    this subject alone, and those of probes and audits, which ask by themselves."""
    known: Facts = {REACHABLE: found.fresh, "cluster": found.cluster}
    if not found.fresh:
        probes = [s for s in found.subjects if s.kind in (PROBE, AUDIT)]
        return [*probes, Subject(CLUSTER, found.cluster, known)]
    others = [s for s in found.subjects if s.kind != CLUSTER]
    for subject in found.subjects:
        if subject.kind == CLUSTER:
            known = {**subject.facts, **known}
            return [*others, Subject(CLUSTER, found.cluster, known, subject.cause)]
    return [*others, Subject(CLUSTER, found.cluster, known)]


def _bounded(value: object) -> object:
    """A value that fits into a message, and into JSON."""
    if isinstance(value, float) and not isfinite(value):
        return NEVER
    return value[:MOST_TEXT] if isinstance(value, str) else value
