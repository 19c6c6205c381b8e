"""What ``pko audit`` has counted of tiers that should hold the same: one sample for each pair."""

from __future__ import annotations

from pykafka_ops.metrics.family import Book, Labels
from pykafka_ops.monitor.alerts.rules.facts import AUDIT_STATES
from pykafka_ops.monitor.tiers.figures import AuditFigures


def tell(book: Book, found: AuditFigures) -> None:
    """Add a pair."""
    pair = found.pair
    labels = Labels(cluster=pair.cluster, tier_a=pair.a, tier_b=pair.b)
    book.plain("pko_audit_up", "1 if both tiers could be compared").add(
        int(not found.problem), labels
    )
    state = book.plain("pko_audit_state", f"1 for the worst state: {', '.join(AUDIT_STATES)}")
    if found.state is not None:
        state.add(1, Labels(cluster=pair.cluster, tier_a=pair.a, tier_b=pair.b, state=found.state))
    for name, what, value in (
        ("partitions", "Partitions that are compared", found.partitions),
        ("differing_partitions", "Partitions that do not agree", found.differing_partitions),
        ("missing_records", "Records that B lacks, at least", found.missing),
        ("extra_records", "Records that B has and A has not, at least", found.extra),
        ("pending_records", "Records that B may still get", found.pending),
        ("behind_seconds", "How far the latest record of B is behind", found.behind_seconds),
        ("counted_age_seconds", "Since the tiers were counted", found.counted_age_seconds),
    ):
        book.plain(f"pko_audit_{name}", what).add(value, labels)
