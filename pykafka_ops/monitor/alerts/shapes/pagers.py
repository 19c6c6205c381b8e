"""PagerDuty's and Alertmanager's forms.

Sources: PagerDuty Events API v2; Alertmanager API v2 (openapi.yaml, postableAlerts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.monitor.alerts.rules.facts import CLUSTER
from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.shapes.generic import alert_body
from pykafka_ops.monitor.alerts.shapes.words import (
    cause_words,
    clean,
    key_of,
    line,
    lines,
    link,
    time_text,
    title,
)

DETAILED: Final = 50
"""Alerts with all facts in an event: it may have 512 KB."""
SUMMARY: Final = 1_024
ALERTS_PATH: Final = "/api/v2/alerts"


def pagerduty(notice: Notice, url: str, routing_key: str) -> dict[str, object]:
    """The body of an event: open and repeat trigger, close resolves, by one dedup_key."""
    body: dict[str, object] = {
        "routing_key": routing_key,
        "event_action": "trigger" if notice.firing else "resolve",
        "dedup_key": notice.incident,
        "client": "pko monitor",
        "payload": {
            "summary": clean(title(notice), SUMMARY),
            "source": clean(notice.cluster, SUMMARY),
            "severity": notice.severity,
            "timestamp": time_text(notice.since),
            "component": "kafka",
            "group": clean(notice.cluster, SUMMARY),
            "class": cause_words(notice),
            "custom_details": {
                "total": notice.total,
                "lines": lines(notice),
                "alerts": [alert_body(alert) for alert in notice.alerts[:DETAILED]],
            },
        },
    }
    page = link(url, notice)
    if page:
        body |= {"client_url": page, "links": [{"href": page, "text": "Open in the monitor"}]}
    return body


def alertmanager(notice: Notice, url: str) -> list[dict[str, object]]:
    """The body for Alertmanager: every alert by itself, as it groups them in its own way.

    Alertmanager resolves an alert by itself at ``Notice.expires``, unless it gets it again.
    """
    return [_posted(notice, alert, link(url, notice)) for alert in notice.alerts]


def _posted(notice: Notice, alert: Mapping[str, object], page: str) -> dict[str, object]:
    key = key_of(alert)
    labels = {
        "alertname": _label(key.rule),
        "cluster": _label(key.cluster),
        "severity": str(alert["severity"]),
        "kind": key.kind,
    }
    if key.kind != CLUSTER:
        labels[key.kind] = _label(key.name)
    ends = alert.get("resolved_at") or (notice.expires if notice.firing else notice.at)
    posted: dict[str, object] = {
        "labels": labels,
        "annotations": {
            "summary": clean(alert.get("summary") or line(alert), SUMMARY),
            "description": clean(line(alert), SUMMARY),
            "condition": clean(alert.get("condition"), SUMMARY),
        },
        "startsAt": time_text(alert.get("fired_at") or notice.since),
    }
    if ends:
        posted["endsAt"] = time_text(ends)
    if page:
        posted["generatorURL"] = page
    return posted


def _label(text: str) -> str:
    """A label's value: any text that can be encoded."""
    return clean(text, SUMMARY)
