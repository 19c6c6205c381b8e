"""Our own form: the notice with all facts, for programs. Also what commands get on stdin."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.monitor.alerts.rules.facts import CLUSTER
from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.shapes.words import cause_words, key_of, link, time_text, title

VERSION = 1


def generic(notice: Notice, url: str) -> dict[str, object]:
    """The body. ``id`` is the incident's, ``key`` the message's own; ``rule``, ``subject`` and
    ``facts`` are those of the first alert."""
    first = alert_body(notice.alerts[0]) if notice.alerts else {}
    return {
        "version": VERSION,
        "id": notice.incident,
        "key": notice.id,
        "state": "firing" if notice.firing else "resolved",
        "phase": notice.phase,
        "severity": notice.severity,
        "cluster": notice.cluster,
        "cause": cause_words(notice),
        "title": title(notice),
        "rule": first.get("rule"),
        "subject": first.get("subject", {}),
        "facts": first.get("facts", {}),
        "since": time_text(notice.since),
        "at": time_text(notice.at),
        "repeat": notice.number,
        "total": notice.total,
        "alerts": [alert_body(alert) for alert in notice.alerts],
        "url": link(url, notice) or None,
    }


def alert_body(alert: Mapping[str, object]) -> dict[str, object]:
    """One alert; times as ISO 8601, None where there is none."""
    key = key_of(alert)
    times = {
        name: time_text(alert[name]) if alert.get(name) is not None else None
        for name in ("since", "fired_at", "resolved_at", "unknown_since")
    }
    return {
        "id": alert["id"],
        "state": alert["state"],
        "rule": key.rule,
        "severity": alert["severity"],
        "cluster": key.cluster,
        "subject": {} if key.kind == CLUSTER else {key.kind: key.name},
        "condition": alert.get("condition"),
        "summary": alert.get("summary"),
        "facts": alert.get("facts"),
        **times,
        "reason": alert.get("reason"),
        "acknowledged": alert.get("acknowledged"),
    }
