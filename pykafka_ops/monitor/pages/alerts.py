"""Alerts: what fires, what may fire soon, what was, and what is kept quiet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pykafka_ops.monitor.alerts.rules.model import Alert, Silence, about
from pykafka_ops.monitor.alerts.service import AlertsNow
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import (
    ROWS,
    PageColumn,
    PageRequest,
    address,
    block,
    document,
    table,
)
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import moment, safe, whole
from pykafka_ops.page.markup import Markup, el


def _severity(value: object) -> str:
    return "warn" if value in ("warning", "info") else "bad"


_COLUMNS: Final = (
    PageColumn("severity", "Severity", tone=_severity, status=True),
    PageColumn("rule", "Alert"),
    PageColumn("about", "About", link=lambda row: str(row["href"])),
    PageColumn("since", "Since", moment),
    PageColumn("summary", "What"),
)
OPEN: Final = (*_COLUMNS, PageColumn("acknowledged", "Taken on by"))
PAST: Final = (*_COLUMNS[1:], PageColumn("ended", "Ended", moment), PageColumn("reason", "Why"))
_SILENCES: Final = (
    PageColumn("until", "Until", moment),
    PageColumn("what", "Keeps quiet"),
    PageColumn("who", "Who"),
    PageColumn("why", "Why"),
)
_PAGES: Final = {"group": "groups", "topic": "topics", "broker": "brokers"}


def alerts(asked: PageRequest, view: ClusterView, state: AlertsNow | None) -> str:
    """The page of alerts of a cluster."""
    if state is None:
        body = el("p", "This monitor sends no alerts.", class_="nothing")
        return document(asked, view, "Alerts", block("Alerts", "", body))
    firing, pending, past = (
        [a for a in found if a.key.cluster == asked.cluster]
        for found in (state.firing, state.pending, state.past)
    )
    return document(
        asked, view, "Alerts", _trouble(state),
        tiles(
            FigureTile("Fire", whole(len(firing)), tone=line.BAD if firing else line.GOOD),
            FigureTile("May fire soon", whole(len(pending)), "the condition holds, not for long"),
            FigureTile("Silences", whole(len(state.silences))),
            FigureTile("Sent by", "this monitor" if state.leads else "another monitor"),
        ),
        _alerts("Fire", OPEN, firing, "none fires"),
        _alerts("May fire soon", _COLUMNS, pending, "none"),
        _silences(state.silences),
        _alerts("Were", PAST, list(reversed(past)), "none that this monitor remembers"),
    )  # fmt: skip


def _trouble(state: AlertsNow) -> Markup | None:
    if not state.trouble:
        return None
    return el("p", f"Alerts cannot be sent: {safe(state.trouble)}", class_="stale bad")


def _alerts(
    title: str, columns: Sequence[PageColumn], found: Sequence[Alert], empty: str
) -> Markup:
    rows = [_row(alert) for alert in found[:ROWS]]
    return block(f"{title}: {len(found):,}", "", table(columns, rows, empty, label=title))


def _row(alert: Alert) -> dict[str, Any]:
    key = alert.key
    where = (_PAGES[key.kind], key.name) if key.kind in _PAGES else ()
    return {
        "severity": alert.severity,
        "rule": key.rule,
        "about": about(key),
        "href": address(key.cluster, *where),
        "since": alert.fired_at if alert.fired_at is not None else alert.since,
        "summary": alert.summary or alert.condition,
        "acknowledged": alert.acknowledged,
        "ended": alert.resolved_at,
        "reason": alert.reason,
    }


def _silences(found: Sequence[Silence]) -> Markup:
    rows = [
        {
            "until": s.until,
            "what": ", ".join(f"{name}={p.pattern}" for name, p in s.patterns.items()) or "all",
            "who": s.who,
            "why": s.why,
        }
        for s in found[:ROWS]
    ]
    return block(f"Silences: {len(found):,}", "", table(_SILENCES, rows, "none", label="Silences"))
