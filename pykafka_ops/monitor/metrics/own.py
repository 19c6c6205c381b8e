"""What no exporter tells: verdicts, delays, what retention will take; and how the monitor is."""

from __future__ import annotations

from math import inf

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.monitor.cluster.view import NEVER, ClusterView


def tell_groups(book: Book, view: ClusterView) -> None:
    """The groups of a cluster."""
    verdict = book.plain(
        "pko_kafka_group_verdict", f"1 for the group's verdict: {', '.join(STATUSES)}"
    )
    figures = {
        "time_lag_seconds": ("lag_seconds", "How much older the next record to read is"),
        "eta_seconds": ("catch_up_seconds", "Until the group has caught up"),
        "unknown_partitions": ("unknown_partitions", "Partitions whose lag is not known"),
    }
    for name, group in (view.groups or {}).items():
        labels = Labels(cluster=view.name, group=name)
        verdict.add(1, Labels(cluster=view.name, group=name, verdict=group.row.status))
        for metric, (fact, what) in figures.items():
            book.plain(f"pko_kafka_group_{metric}", what).add(getattr(group.row, fact), labels)
        loss = inf if group.loss == NEVER else group.loss_in_seconds
        book.plain("pko_kafka_group_loss_seconds", "Until retention takes what is not read").add(
            loss, labels
        )


def tell_poll(book: Book, view: ClusterView, age_seconds: float | None) -> None:
    """How the last round of a cluster went."""
    labels = Labels(cluster=view.name)
    book.plain("pko_monitor_cluster_up", "1 if the last round had an answer").add(
        int(view.error is None and view.at is not None), labels
    )
    book.plain("pko_monitor_rounds", "Rounds with an answer", MetricKind.COUNTER).add(
        view.number, labels
    )
    took = view.took_ms / 1000 if view.at is not None else None
    book.plain("pko_monitor_poll_seconds", "How long the last round took").add(took, labels)
    book.plain("pko_monitor_poll_age_seconds", "How old all of this is").add(age_seconds, labels)
    book.plain("pko_monitor_not_asked", "Things that the last round could not ask").add(
        len(view.not_asked), labels
    )
