"""Alerts, incidents, silences and messages in the file."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from typing import Final, NamedTuple

from pykafka_ops.monitor.alerts.rules.desk import AlertChanges
from pykafka_ops.monitor.alerts.rules.engine import KEPT
from pykafka_ops.monitor.alerts.rules.incidents import REPEAT, Incident
from pykafka_ops.monitor.alerts.rules.model import Alert, Silence
from pykafka_ops.monitor.alerts.store.database import AlertDatabase

ALERT, PAST, INCIDENT, SILENCE = "alert", "past", "incident", "silence"
WAITING, SENT, DEAD = "waiting", "sent", "dead"
MOST_WAITING: Final = 10_000
"""Messages that may wait for one receiver; beyond it repeats are dropped first, then the oldest."""


class StoredAlerts(NamedTuple):
    """All that was stored."""

    alerts: list[Alert]
    incidents: list[Incident]
    silences: list[Silence]


def load(database: AlertDatabase) -> StoredAlerts:
    """What this monitor before a restart, or another one, stored. Raises StorageError."""
    found: dict[str, list[Mapping[str, object]]] = {}
    with database.transaction() as db:
        for kind, body in db.execute("SELECT kind, body FROM records ORDER BY kind, at"):
            found.setdefault(kind, []).append(json.loads(body))
    alerts = [Alert.from_dict(body) for kind in (PAST, ALERT) for body in found.get(kind, ())]
    incidents = [Incident.from_dict(body) for body in found.get(INCIDENT, ())]
    return StoredAlerts(alerts, incidents, [_silence(b) for b in found.get(SILENCE, ())])


def store(database: AlertDatabase, changes: AlertChanges, now: int) -> None:
    """Write all changes, and put messages into the spool, in one transaction of the leader. Raises
    LostLeadError, StorageError: then nothing was written."""
    put = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)"
    drop = "DELETE FROM records WHERE kind = ? AND key = ?"
    with database.transaction(fenced=True) as db:
        for key, alert in changes.alerts.items():
            name = json.dumps(key)
            db.execute(drop, (ALERT, name))
            if alert is not None:
                over = alert.resolved_at is not None
                kind, name = (PAST, alert.id) if over else (ALERT, name)
                at = alert.resolved_at or alert.since
                db.execute(put, (kind, name, json.dumps(alert.as_dict()), at))
        for id_, incident in changes.incidents.items():
            db.execute(drop, (INCIDENT, id_))
            if incident is not None:
                body = json.dumps(incident.as_dict())
                db.execute(put, (INCIDENT, id_, body, incident.begun))
        for id_, silence in changes.silences.items():
            db.execute(drop, (SILENCE, id_))
            if silence is not None:
                db.execute(put, (SILENCE, id_, json.dumps(_plain(silence)), silence.until))
        for receivers, notice in changes.notices:
            body = json.dumps(notice.as_dict())
            db.execute("INSERT OR IGNORE INTO notices VALUES (?, ?)", (notice.id, body))
            for receiver in receivers:
                _enqueue(db, (notice.id, receiver, notice.incident, notice.phase, now))
        old = "SELECT key FROM records WHERE kind = ? ORDER BY at DESC LIMIT -1 OFFSET ?"
        db.execute(f"DELETE FROM records WHERE kind = ? AND key IN ({old})", (PAST, PAST, KEPT))


def _enqueue(db: sqlite3.Connection, row: tuple[str, str, str, str, int]) -> None:
    notice, receiver, incident, phase, now = row
    (waiting,) = db.execute(
        "SELECT count(*) FROM spool WHERE state = ? AND receiver = ?", (WAITING, receiver)
    ).fetchone()
    if waiting >= MOST_WAITING:
        db.execute(
            "UPDATE spool SET state = ?, reason = 'too many messages wait', done_at = ?"
            " WHERE number = (SELECT number FROM spool WHERE state = ? AND receiver = ?"
            " ORDER BY phase != ?, number LIMIT 1)",
            (DEAD, now, WAITING, receiver, REPEAT),
        )
    db.execute(
        "INSERT OR IGNORE INTO spool (id, notice, receiver, incident, phase, state, attempts,"
        " next_at, created, reason) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, '')",
        (f"{notice}-{receiver}", notice, receiver, incident, phase, WAITING, now, now),
    )


def _plain(silence: Silence) -> dict[str, object]:
    names = ("id", "until", "who", "why", "start")
    found: dict[str, object] = {name: getattr(silence, name) for name in names}
    return {**found, "patterns": {k: p.pattern for k, p in silence.patterns.items()}}


def _silence(body: Mapping[str, object]) -> Silence:
    patterns: Mapping[str, str] = body["patterns"]  # type: ignore[assignment]
    return Silence(**{**body, "patterns": {k: re.compile(p) for k, p in patterns.items()}})  # type: ignore[arg-type]
