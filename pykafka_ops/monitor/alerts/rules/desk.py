"""The rules at work: rounds go in; messages to send and changes to store come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.rules.engine import AlertEngine
from pykafka_ops.monitor.alerts.rules.incidents import (
    WINDOW_MS,
    AddressedNotice,
    Incident,
    Incidents,
)
from pykafka_ops.monitor.alerts.rules.model import (
    FIRING,
    Alert,
    AlertKey,
    AlertRule,
    PollRound,
    Silence,
)

MOST_SILENCES = 1_000


class AlertChanges(NamedTuple):
    """Changes to store, by key and by id (None: delete it), and messages to send."""

    alerts: Mapping[AlertKey, Alert | None]
    incidents: Mapping[str, Incident | None]
    silences: Mapping[str, Silence | None]
    notices: Sequence[AddressedNotice]

    def __bool__(self) -> bool:
        return bool(self.alerts or self.incidents or self.silences or self.notices)


class AlertDesk:
    """One for a monitor. Several evaluate the same rounds; the leader sends.

    ``configured`` are the silences of the configuration, ``added`` those that people added since.
    """

    def __init__(
        self,
        rules: Iterable[AlertRule],
        everybody: Sequence[str],
        new_id: Callable[[], str],
        *,
        silences: Iterable[Silence] = (),
        window_ms: int = WINDOW_MS,
        heartbeats: Mapping[str, int] | None = None,
    ) -> None:
        """``everybody``: the receivers of rules that name none. ``heartbeats``: receivers that get
        open alerts again every so many ms."""
        self.engine = AlertEngine(rules, new_id)
        self.incidents = Incidents(
            self.engine.rules, everybody, new_id, window_ms=window_ms, heartbeats=heartbeats
        )
        self.configured = tuple(silences)
        self.added: dict[str, Silence] = {}
        self._silences_changed: dict[str, Silence | None] = {}
        self._new_id = new_id
        self._notices: list[AddressedNotice] = []

    def take(self, found: PollRound) -> None:
        """Evaluate the rules on a round of one cluster."""
        self.engine.take(found)

    def adopt(
        self,
        alerts: Iterable[Alert] = (),
        incidents: Iterable[Incident] = (),
        silences: Iterable[Silence] = (),
    ) -> None:
        """Go on from what was stored, by this monitor or another."""
        self.incidents.adopt(incidents)
        self.engine.adopt(alerts)
        for alert in self.engine.open.values():
            if alert.incident not in self.incidents.open:
                alert.incident = ""  # nobody would send its closing message
        self.added.update({s.id: s for s in silences})

    def step(self, now: int) -> None:
        """Decide which messages are due at ``now``; ``changes`` has them then."""
        for id_ in [s.id for s in self.added.values() if s.until <= now]:
            del self.added[id_]
            self._silences_changed[id_] = None
        found = self.incidents.step(self.engine.open, self.engine.past, self.silences, now)
        self._notices += found
        for alert in self.incidents.joined:
            self.engine.changed[alert.key] = alert

    @property
    def silences(self) -> list[Silence]:
        """All of them, those of the configuration first."""
        return [*self.configured, *self.added.values()]

    @property
    def changes(self) -> AlertChanges:
        """What is not stored yet; call ``stored`` once it is."""
        return AlertChanges(
            dict(self.engine.changed), dict(self.incidents.changed),
            dict(self._silences_changed), tuple(self._notices),
        )  # fmt: skip

    def stored(self) -> None:
        """All changes are stored."""
        self.engine.changed.clear()
        self.incidents.changed.clear()
        self._silences_changed.clear()
        self._notices.clear()

    # --- what people do --------------------------------------------------------------------------

    def silence(self, wanted: Silence) -> None:
        """Add a silence; UsageError where there are too many."""
        if len(self.added) >= MOST_SILENCES:
            raise UsageError(f"there are {MOST_SILENCES} silences: end some first")
        self.added[wanted.id] = self._silences_changed[wanted.id] = wanted

    def end_silence(self, id_: str) -> Silence:
        """End a silence that somebody added; UsageError where there is none with this id."""
        found = self.added.pop(id_, None)
        if found is None:
            of_file = any(s.id == id_ for s in self.configured)
            why = "it is part of the configuration" if of_file else "there is no such silence"
            raise UsageError(f"cannot end silence {id_}: {why}")
        self._silences_changed[id_] = None
        return found

    def acknowledge(self, id_: str, who: str, why: str, now: int) -> Alert:
        """``who`` acknowledges an alert: it is not repeated until it resolves. UsageError."""
        alert = self.engine.acknowledge(id_, f"{who}: {why}" if why else who, now)
        if alert is None:
            raise UsageError(f"no alert {id_} is open")
        return alert

    def quiet(self, alert: Alert, now: int) -> Silence | None:
        """The silence that covers an alert, if any does."""
        found = (s for s in self.silences if s.covers(alert.key, alert.severity, now))
        return next(found, None)

    def firing(self) -> list[Alert]:
        """The alerts that fire, the oldest first."""
        return self.engine.firing()

    def pending(self) -> list[Alert]:
        """The alerts whose condition holds, but not for long enough yet."""
        return [a for a in self.engine.open.values() if a.state != FIRING]
