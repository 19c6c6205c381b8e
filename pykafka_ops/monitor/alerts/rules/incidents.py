"""Incidents: alerts of one cluster and one cause share a message when they fire, and one when they
resolve.

The first alert of a cause waits a little for others. Later alerts get a message of their own; it
waits longer for each one before it within the hour. So a broker that goes down causes one message,
with all that it affects, and no firing alert is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from pykafka_ops.monitor.alerts.rules.model import (
    FIRING,
    MOST_TEXT,
    SEVERITIES,
    Alert,
    AlertKey,
    AlertRule,
    Silence,
)

WINDOW_MS: Final = 30_000
"""How long the first alert of a cause waits for others."""
WINDOW_MOST_MS: Final = 600_000
LATELY_MS: Final = 3_600_000
OPEN, REPEAT, CLOSE = "open", "repeat", "close"
LISTED: Final = 500
"""Alerts that a message carries; it counts the others."""


class IncidentKey(NamedTuple):
    """Alerts that share a message have the same cluster, cause (else rule) and receivers."""

    cluster: str
    cause: str
    receivers: tuple[str, ...]


@dataclass(slots=True)
class Incident:
    """Alerts that share a message. ``members`` are ids; those in ``over`` have resolved.

    ``due``: when to send the first message, ``sent_at``: when the last was sent (None: not yet).
    """

    id: str
    key: IncidentKey
    due: int
    begun: int
    severity: str
    close: bool
    sent_at: int | None = None
    repeats: int = 0
    members: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """As stored."""
        found: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        return {**found, "key": [*self.key[:2], list(self.key.receivers)]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Incident:
        """From ``as_dict``."""
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        of, why, receivers = cast("tuple[str, str, list[str]]", stored["key"])
        known["key"] = IncidentKey(of, why, tuple(receivers))
        return cls(**known)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message. ``id`` is the same for each try: receivers can recognise it.

    ``incident`` is the same from open to close; ``alerts``: at most LISTED, as
    ``Alert.as_dict``, ``total``: how many there are; ``number`` counts the repeats.
    """

    id: str
    incident: str
    phase: str
    cluster: str
    cause: str
    severity: str
    since: int
    at: int
    total: int
    alerts: tuple[Mapping[str, object], ...]
    number: int = 0
    expires: int = 0
    """ms; when a receiver that gets no repeat may resolve it by itself (0: never)."""

    @property
    def firing(self) -> bool:
        """Whether it says that something is wrong; else it says that it is over."""
        return self.phase != CLOSE

    def as_dict(self) -> dict[str, object]:
        """As stored."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Notice:
        """From ``as_dict``."""
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        known["alerts"] = tuple(stored["alerts"])  # type: ignore[arg-type]
        return cls(**known)  # type: ignore[arg-type]


class AddressedNotice(NamedTuple):
    """A message and its receivers."""

    receivers: tuple[str, ...]
    notice: Notice


class Incidents:
    """The open incidents, by id; ``changed``: changes to store, None: delete it."""

    def __init__(
        self,
        rules: Mapping[str, AlertRule],
        everybody: Sequence[str],
        new_id: Callable[[], str],
        *,
        window_ms: int = WINDOW_MS,
        heartbeats: Mapping[str, int] | None = None,
    ) -> None:
        """``everybody``: the receivers of rules that name none. ``heartbeats``: receivers that get
        open incidents again every so many ms, whatever the rules say."""
        self.rules, self.everybody, self._new_id = rules, tuple(everybody), new_id
        self.window_ms, self.heartbeats = window_ms, dict(heartbeats or {})
        self.open: dict[str, Incident] = {}
        self.changed: dict[str, Incident | None] = {}
        self.lately: dict[IncidentKey, list[int]] = {}
        self.joined: list[Alert] = []
        """Alerts that the last step put into an incident."""
        self._beaten: dict[tuple[str, str], int] = {}

    def adopt(self, stored: Iterable[Incident]) -> None:
        """Continue with what was stored."""
        for incident in stored:
            self.open[incident.id] = incident
            self.lately.setdefault(incident.key, []).append(incident.begun)

    def step(
        self,
        alerts: Mapping[AlertKey, Alert],
        ended: Iterable[Alert],
        silences: Sequence[Silence],
        now: int,
    ) -> list[AddressedNotice]:
        """The messages to send at ``now``. ``alerts`` are open, ``ended`` are resolved. This puts
        firing alerts into incidents."""
        by_id = {a.id: a for a in alerts.values()}
        over = {a.id: a for a in ended}
        self.joined = []
        for alert in sorted(alerts.values(), key=lambda a: (a.fired_at or 0, a.key)):
            if alert.state == FIRING and not alert.incident and not _quiet(alert, silences, now):
                self._join(alert, now)
        due: list[AddressedNotice] = []
        for incident in list(self.open.values()):
            self._update(incident, by_id)
            due += self._due(incident, {**over, **by_id}, silences, now)
        self._forget(now)
        return due

    # --- grouping --------------------------------------------------------------------------------

    def _join(self, alert: Alert, now: int) -> None:
        rule = self.rules.get(alert.key.rule)
        named = rule.notify if rule else None
        receivers = self.everybody if named is None else named
        key = IncidentKey(alert.key.cluster, alert.cause or f"rule {alert.key.rule}", receivers)
        incident = next((i for i in self.open.values() if i.key == key and i.sent_at is None), None)
        if incident is None:
            before = self.lately.setdefault(key, [])
            window = min(self.window_ms << min(len(before), 10), WINDOW_MOST_MS)
            incident = Incident(self._new_id(), key, now + window, now, alert.severity, close=False)
            self.open[incident.id] = incident
            before.append(now)
        incident.members.append(alert.id)
        incident.severity = max(incident.severity, alert.severity, key=SEVERITIES.index)
        incident.close = incident.close or rule is None or rule.close
        incident.begun = min(incident.begun, alert.fired_at or now)
        alert.incident = incident.id
        self.joined.append(alert)
        self.changed[incident.id] = incident

    def _update(self, incident: Incident, alive: Mapping[str, Alert]) -> None:
        over = set(incident.over)
        gone = [m for m in incident.members if m not in alive and m not in over]
        if gone:
            incident.over += gone
            self.changed[incident.id] = incident

    # --- messages --------------------------------------------------------------------------------

    def _due(
        self, incident: Incident, known: Mapping[str, Alert], silences: Sequence[Silence], now: int
    ) -> list[AddressedNotice]:
        left = len(incident.members) - len(incident.over)
        if not left:
            del self.open[incident.id]
            self.changed[incident.id] = None
            if incident.sent_at is None or not incident.close:
                return []  # resolved before its first message, or no rule wants the closing one
            return [self._addressed(incident, CLOSE, known, now)]
        if incident.sent_at is None:
            # a due time far ahead was set before the clock was set back
            waits = now < incident.due <= now + WINDOW_MOST_MS
            if waits or all(_quiet(a, silences, now) for a in _firing(incident, known)):
                return []
            return [self._addressed(incident, OPEN, known, now)]
        return self._again(incident, known, silences, now)

    def _again(
        self, incident: Incident, known: Mapping[str, Alert], silences: Sequence[Silence], now: int
    ) -> list[AddressedNotice]:
        wanted = [
            self.rules[a.key.rule].repeat_ms
            for a in _firing(incident, known)
            if a.key.rule in self.rules and not a.acknowledged and not _quiet(a, silences, now)
        ]
        every = min((ms for ms in wanted if ms), default=0)
        if every and abs(now - (incident.sent_at or 0)) >= every:
            return [self._addressed(incident, REPEAT, known, now)]
        return self._beat(incident, known, now)

    def _beat(
        self, incident: Incident, known: Mapping[str, Alert], now: int
    ) -> list[AddressedNotice]:
        """Repeat for receivers that resolve what they hear no more of."""
        due = []
        for name in incident.key.receivers:
            every = self.heartbeats.get(name, 0)
            last = self._beaten.get((incident.id, name), incident.sent_at or 0)
            if every and abs(now - last) >= every:
                self._beaten[incident.id, name] = now
                due.append(name)
        if not due:
            return []
        incident.repeats += 1
        self.changed[incident.id] = incident
        return [AddressedNotice(tuple(due), self._notice(incident, REPEAT, known, now))]

    def _addressed(
        self, incident: Incident, phase: str, known: Mapping[str, Alert], now: int
    ) -> AddressedNotice:
        if phase == REPEAT:
            incident.repeats += 1
        if phase != CLOSE:
            incident.sent_at = now
            self.changed[incident.id] = incident
        for name in incident.key.receivers:
            self._beaten[incident.id, name] = now
        return AddressedNotice(incident.key.receivers, self._notice(incident, phase, known, now))

    def _notice(
        self, incident: Incident, phase: str, known: Mapping[str, Alert], now: int
    ) -> Notice:
        if phase == CLOSE:
            shown = [known[m] for m in incident.members if m in known]
        else:
            shown = _firing(incident, known)
        listed = tuple(_clipped(a.as_dict()) for a in shown[:LISTED])
        number = incident.repeats if phase == REPEAT else 0
        beats = [self.heartbeats[r] for r in incident.key.receivers if r in self.heartbeats]
        return Notice(
            f"{incident.id}-{phase}{number or ''}", incident.id, phase, incident.key.cluster,
            incident.key.cause, incident.severity, incident.begun, now,
            len(shown) if phase != CLOSE else len(incident.members), listed, number,
            now + 4 * max(beats) if beats and phase != CLOSE else 0,
        )  # fmt: skip

    def _forget(self, now: int) -> None:
        self.lately = {
            key: kept
            for key, times in self.lately.items()
            if (kept := [at for at in times if now - LATELY_MS < at <= now])
        }
        self._beaten = {k: at for k, at in self._beaten.items() if k[0] in self.open}


def _firing(incident: Incident, known: Mapping[str, Alert]) -> list[Alert]:
    return [known[m] for m in incident.members if m in known and known[m].state == FIRING]


def _quiet(alert: Alert, silences: Sequence[Silence], now: int) -> bool:
    return any(s.covers(alert.key, alert.severity, now) for s in silences)


def _clipped(alert: Mapping[str, object]) -> Mapping[str, object]:
    """The alert with long names cut: a message must not grow without bound."""
    return {**alert, "key": [str(part)[:MOST_TEXT] for part in cast("list[str]", alert["key"])]}
