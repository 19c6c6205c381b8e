"""What changed and what is wrong now, as lists."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.monitor.alerts.rules.model import Alert, about
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.wording.text import safe, span
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import iso, moment


def timeline(
    events: Iterable[HistoryEvent], empty: str, most: int | None = None, *, dated: bool = False
) -> Markup:
    """The events, the newest first; in words where there are none. With ``most`` lines what one
    subject did again and again is one of them. ``dated``: with their days."""
    listed = list(events)
    shown = [(e, 0) for e in listed] if most is None else _folded(listed)
    items = [_event(event, again, dated) for event, again in shown[:most]]
    kind = "timeline dated" if dated else "timeline"
    return el("ol", *items, class_=kind) if items else el("p", empty, class_="nothing")


def _folded(events: Iterable[HistoryEvent]) -> list[tuple[HistoryEvent, int]]:
    """The newest event of every kind and subject, and how many came before it."""
    counts: dict[tuple[str, str], int] = {}
    newest: dict[tuple[str, str], HistoryEvent] = {}
    for event in events:
        key = event.kind, event.subject
        newest.setdefault(key, event)
        counts[key] = counts.get(key, -1) + 1
    return [(event, counts[key]) for key, event in newest.items()]


def _event(event: HistoryEvent, again: int, dated: bool) -> Markup:
    before = el("span", f" (and {again} more before)", class_="dim") if again else None
    return el(
        "li",
        el("time", moment(event.at_ms, "%d %b %H:%M:%S" if dated else "%H:%M:%S"),
           datetime=iso(event.at_ms),
           title=moment(event.at_ms)),
        el("span", el("span", event.kind, class_="tag"), el("bdi", safe(event.text)), before),
    )  # fmt: skip


def alert_list(alerts: Iterable[Alert], now: int) -> Markup:
    """Alerts with how long they last and what they say."""
    items = []
    for alert in alerts:
        since = alert.fired_at if alert.fired_at is not None else alert.since
        tone = "warn" if alert.severity in ("warning", "info") else "bad"
        taken = f" – acknowledged by {safe(alert.acknowledged)}" if alert.acknowledged else ""
        said = f"{alert.key.rule}: {alert.summary or about(alert.key)}{taken}"
        items.append(
            el("li",
               el("time", f"{span(max(0, now - since) / 1000)}", datetime=iso(since),
                  title=f"since {moment(since)}"),
               el("span", el("span", alert.severity, class_=f"tag {tone}"), el("bdi", safe(said))))
        )  # fmt: skip
    return el("ol", *items, class_="timeline")
