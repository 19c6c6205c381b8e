"""How the monitor itself is: its rounds, its history, its alerts, who watches it."""

from __future__ import annotations

import resource
from typing import Final

from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.monitor.alerts.rules.model import SEVERITIES
from pykafka_ops.monitor.alerts.service import AlertService, AlertsNow
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.service import Service

COUNTER: Final = MetricKind.COUNTER


def tell(book: Book, service: Service, streams: int) -> None:
    """Add all that is known; ``streams``: browsers that hear of every round."""
    for name in service.clusters:
        _rounds(book, service, name)
    if service.history is not None:
        _history(book, service.history)
    state = service.alerts_now()
    if service.alerts is not None and state is not None:
        _alerts(book, service.alerts, state)
    clients = book.plain("pko_monitor_sse_clients", "Browsers that hear of every round")
    clients.add(streams)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    cpu = book.plain("process_cpu_seconds", "CPU time in seconds", COUNTER)
    cpu.add(round(spent.ru_utime + spent.ru_stime, 3))
    memory = book.plain("process_resident_memory_bytes", "Memory in use")
    memory.add(_resident())


def _resident() -> int | None:
    """None where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return None


def _rounds(book: Book, service: Service, name: str) -> None:
    """How the last round of a cluster went."""
    view, labels = service.clusters[name].view, Labels(cluster=name)
    book.plain("pko_monitor_cluster_up", "1 if the last round had an answer").add(
        int(view.error is None and view.at is not None), labels
    )
    book.plain("pko_monitor_rounds", "Rounds with an answer", COUNTER).add(view.number, labels)
    took = view.took_ms / 1000 if view.at is not None else None
    book.plain("pko_monitor_poll_seconds", "How long the last round took").add(took, labels)
    age = service.age_seconds(view)
    book.plain("pko_monitor_poll_age_seconds", "How old all of this is").add(age, labels)
    book.plain("pko_monitor_not_asked", "Things that the last round could not ask").add(
        len(view.not_asked), labels
    )
    requests = book.plain("pko_monitor_requests", "Requests to brokers, by API", COUNTER)
    for api, count in sorted(dict(service.requests.get(name, {})).items()):
        requests.add(count, Labels(cluster=name, api=api))


def _history(book: Book, history: History) -> None:
    status = history.status()
    book.plain("pko_monitor_history_up", "1 if the history is written").add(int(not status.trouble))
    book.plain("pko_monitor_history_bytes", "Bytes of the history's file").add(status.bytes)
    book.plain("pko_monitor_series", "Series in the history").add(status.series)
    book.plain("pko_monitor_history_lost", "Values that could not be written", COUNTER).add(
        status.lost
    )
    book.plain(
        "pko_monitor_history_refused", "Values of new series that had no place", COUNTER
    ).add(status.refused)


def _alerts(book: Book, alerts: AlertService, state: AlertsNow) -> None:
    leads = book.plain("pko_monitor_alerts_lead", "1 if this monitor sends alerts")
    leads.add(int(state.leads and not state.trouble))
    firing = book.plain("pko_monitor_alerts_firing", "Alerts that fire, by severity")
    for severity in SEVERITIES:
        count = sum(alert.severity == severity for alert in state.firing)
        firing.add(count, Labels(severity=severity))
    pending = book.plain("pko_monitor_alerts_pending", "Alerts that fire if they last")
    pending.add(len(state.pending))
    sent = book.plain(
        "pko_monitor_deliveries",
        "Tries to send to a receiver since the start, by result: sent, failed (is tried again), "
        "gave_up",
        COUNTER,
    )
    for (receiver, result), count in sorted(alerts.deliveries_by_result().items()):
        sent.add(count, Labels(receiver=receiver, result=result))
