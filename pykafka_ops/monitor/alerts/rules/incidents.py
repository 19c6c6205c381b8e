"""What is told together: alerts of one cluster and one cause, once when they begin, once when they
end.

The first alert of a cause waits a little for others; what comes later is told in a message of its
own, which waits for longer the more of them there were within the hour. So a broker that goes down
is one message, whatever it takes with it, and nothing that fires is left out.
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
"""Alerts that a message carries; the others are counted."""


class IncidentKey(NamedTuple):
    """What is told in one message: same cluster, cause (else rule) and receivers."""

    cluster: str
    cause: str
    receivers: tuple[str, ...]


@dataclass(slots=True)
class Incident:
    """Alerts that are told together. ``members`` are ids; those in ``over`` have ended.

    ``due``: when it is told first, ``told_at``: when it was told last (None: not yet).
    """

    id: str
    key: IncidentKey
    due: int
    begun: int
    severity: str
    close: bool
    told_at: int | None = None
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
    """A message. ``id`` is the same however often it is sent: receivers may tell it by that.

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
    """ms; when a receiver that is not told again may take it for over (0: never)."""

    @property
    def firing(self) -> bool:
        """Whether it says that something is wrong, not that it is over."""
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


class Told(NamedTuple):
    """A message and who gets it."""

    receivers: tuple[str, ...]
    notice: Notice


class Incidents:
    """The incidents that are open, by id; ``changed``: what is to be stored, None: gone."""

    def __init__(
        self,
        rules: Mapping[str, AlertRule],
        everybody: Sequence[str],
        new_id: Callable[[], str],
        *,
        window_ms: int = WINDOW_MS,
        heartbeats: Mapping[str, int] | None = None,
    ) -> None:
        """``everybody``: who gets what names no receiver. ``heartbeats``: receivers that are to be
        told again every so many ms as long as something is wrong, whatever else is said."""
        self.rules, self.everybody, self._new_id = rules, tuple(everybody), new_id
        self.window_ms, self.heartbeats = window_ms, dict(heartbeats or {})
        self.open: dict[str, Incident] = {}
        self.changed: dict[str, Incident | None] = {}
        self.lately: dict[IncidentKey, list[int]] = {}
        self.joined: list[Alert] = []
        """Alerts that learnt in the last step which incident they are told in."""
        self._beaten: dict[tuple[str, str], int] = {}

    def adopt(self, stored: Iterable[Incident]) -> None:
        """Go on from what was stored."""
        for incident in stored:
            self.open[incident.id] = incident
            self.lately.setdefault(incident.key, []).append(incident.begun)

    def step(
        self,
        alerts: Mapping[AlertKey, Alert],
        ended: Iterable[Alert],
        silences: Sequence[Silence],
        now: int,
    ) -> list[Told]:
        """What is to be told at ``now``. ``alerts`` are open, ``ended`` those that ended; alerts
        learn here which incident they are told in."""
        by_id = {a.id: a for a in alerts.values()}
        over = {a.id: a for a in ended}
        self.joined = []
        for alert in sorted(alerts.values(), key=lambda a: (a.fired_at or 0, a.key)):
            if alert.state == FIRING and not alert.incident and not _quiet(alert, silences, now):
                self._join(alert, now)
        told: list[Told] = []
        for incident in list(self.open.values()):
            self._update(incident, by_id)
            told += self._tell(incident, {**over, **by_id}, silences, now)
        self._forget(now)
        return told

    # --- who belongs together --------------------------------------------------------------------

    def _join(self, alert: Alert, now: int) -> None:
        rule = self.rules.get(alert.key.rule)
        named = rule.notify if rule else None
        receivers = self.everybody if named is None else named
        key = IncidentKey(alert.key.cluster, alert.cause or f"rule {alert.key.rule}", receivers)
        incident = next((i for i in self.open.values() if i.key == key and i.told_at is None), None)
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

    # --- what is told ----------------------------------------------------------------------------

    def _tell(
        self, incident: Incident, known: Mapping[str, Alert], silences: Sequence[Silence], now: int
    ) -> list[Told]:
        left = len(incident.members) - len(incident.over)
        if not left:
            del self.open[incident.id]
            self.changed[incident.id] = None
            if incident.told_at is None or not incident.close:
                return []  # over before anybody was told, or nobody wants to know
            return [self._told(incident, CLOSE, known, now)]
        if incident.told_at is None:
            # a due time far ahead was set before the clock was set back
            waits = now < incident.due <= now + WINDOW_MOST_MS
            if waits or all(_quiet(a, silences, now) for a in _firing(incident, known)):
                return []
            return [self._told(incident, OPEN, known, now)]
        return self._again(incident, known, silences, now)

    def _again(
        self, incident: Incident, known: Mapping[str, Alert], silences: Sequence[Silence], now: int
    ) -> list[Told]:
        wanted = [
            self.rules[a.key.rule].repeat_ms
            for a in _firing(incident, known)
            if a.key.rule in self.rules and not a.acknowledged and not _quiet(a, silences, now)
        ]
        every = min((ms for ms in wanted if ms), default=0)
        if every and abs(now - (incident.told_at or 0)) >= every:
            return [self._told(incident, REPEAT, known, now)]
        return self._beat(incident, known, now)

    def _beat(self, incident: Incident, known: Mapping[str, Alert], now: int) -> list[Told]:
        """Again to those who would take silence for the end."""
        due = []
        for name in incident.key.receivers:
            every = self.heartbeats.get(name, 0)
            last = self._beaten.get((incident.id, name), incident.told_at or 0)
            if every and abs(now - last) >= every:
                self._beaten[incident.id, name] = now
                due.append(name)
        if not due:
            return []
        incident.repeats += 1
        self.changed[incident.id] = incident
        return [Told(tuple(due), self._notice(incident, REPEAT, known, now))]

    def _told(self, incident: Incident, phase: str, known: Mapping[str, Alert], now: int) -> Told:
        if phase == REPEAT:
            incident.repeats += 1
        if phase != CLOSE:
            incident.told_at = now
            self.changed[incident.id] = incident
        for name in incident.key.receivers:
            self._beaten[incident.id, name] = now
        return Told(incident.key.receivers, self._notice(incident, phase, known, now))

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
    """A name may be of any length, a message may not."""
    return {**alert, "key": [str(part)[:MOST_TEXT] for part in cast("list[str]", alert["key"])]}
