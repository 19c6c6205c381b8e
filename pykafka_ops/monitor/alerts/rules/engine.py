"""Alerts by the rules: pending, firing, resolved. A round goes in, what changed comes out.

What is not known changes nothing: such an alert keeps its state and says so. As in Prometheus, an
alert fires once its condition has held for a while; as in its ``keep_firing_for``, it ends once the
condition has not held for a while, and for the longer the more often it came back lately.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Final

from pykafka_ops.monitor.alerts.rules.causes import NAMED, brokers_down, cause_of
from pykafka_ops.monitor.alerts.rules.facts import CLUSTER, PROBE, REACHABLE, Facts
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
"""How long it is remembered that an alert came and went."""
FLAP_HOLD_MS: Final = 60_000
"""How long an alert that came back once must be calm to end; twice as long for each time more."""
FLAP_MOST_MS: Final = 1_800_000
NEVER: Final = "never"
"""What is shown of a time that never comes."""
KEPT: Final = 1_000
"""Resolved alerts that are remembered, for people."""


class AlertEngine:
    """``open`` are the alerts by what they are about; ``past``: those that are over, the last one
    last; ``openings``: when alerts fired within the last hour.

    ``changed`` collects what is to be stored: alerts by key, None for one that is gone.
    """

    def __init__(self, rules: Iterable[AlertRule], new_id: Callable[[], str]) -> None:
        """``new_id`` makes ids that nobody else makes."""
        self.rules = {rule.name: rule for rule in rules}
        self.open: dict[AlertKey, Alert] = {}
        self.past: deque[Alert] = deque(maxlen=KEPT)
        self.openings: dict[AlertKey, list[int]] = {}
        self.changed: dict[AlertKey, Alert | None] = {}
        self._new_id = new_id

    # --- what comes in ---------------------------------------------------------------------------

    def take(self, found: PollRound) -> None:
        """Judge a round."""
        subjects = _reachable(found)
        down = brokers_down(subjects)
        seen: set[AlertKey] = set()
        for rule in self.rules.values():
            for subject in subjects:
                if rule.covers(found.cluster, subject.kind, subject.name):
                    key = AlertKey(rule.name, found.cluster, subject.kind, subject.name)
                    seen.add(key)
                    self._judge(rule, key, subject, found, down)
        self._missing(found, seen)
        self._forget_flaps(found.at)

    def drop_rules(self, now: int, clusters: Iterable[str]) -> None:
        """End alerts whose rule is gone or does not cover them any more, and those of clusters that
        are not watched any more."""
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
        """Go on from what another monitor, or this one in an earlier life, knew: it counts more
        than what was found since, which stays only where the other knew nothing."""
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
        """Note that somebody takes on an open alert; None where none has this id."""
        for alert in self.open.values():
            if alert.id == id_:
                alert.acknowledged, alert.acknowledged_at = who_and_why, now
                self.changed[alert.key] = alert
                return alert
        return None

    def firing(self) -> list[Alert]:
        """The alerts that fire, in the order in which they began to."""
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
        """How long an alert must be calm to end: the rule's time, and more for one that flaps."""
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

    # --- what is not there -----------------------------------------------------------------------

    def _missing(self, found: PollRound, seen: set[AlertKey]) -> None:
        """Of subjects that the round has not got: gone if it has all of their kind, else not
        known."""
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
    """The subjects; the cluster among them says whether it could be asked. Of a round that is not
    fresh that is all that is known, and what probes found, which ask by themselves."""
    known: Facts = {REACHABLE: found.fresh, "cluster": found.cluster}
    if not found.fresh:
        probes = [s for s in found.subjects if s.kind == PROBE]
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
