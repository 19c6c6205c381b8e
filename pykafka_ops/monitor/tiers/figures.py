"""What two tiers make of each other, in figures: for alerts, metrics and the history. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.alerts.rules.facts import AUDIT, AUDIT_STATES
from pykafka_ops.monitor.alerts.rules.model import Subject
from pykafka_ops.monitor.tiers.books import BooksSeen, PairSeen, Row
from pykafka_ops.monitor.tiers.settings import TierPair

KEPT: Final = ("missing", "extra", "pending", "differing_partitions", "behind_seconds")
"""What the history keeps."""


class AuditFigures(NamedTuple):
    """Of one pair; ``problem`` says why nothing is known. ``missing`` and ``extra`` in records, the
    least that can be wrong. ``counted_age_seconds``: since the older count of both tiers."""

    pair: TierPair
    problem: str = ""
    state: str | None = None
    partitions: int | None = None
    differing_partitions: int | None = None
    missing: int | None = None
    extra: int | None = None
    pending: int | None = None
    behind_seconds: float | None = None
    counted_age_seconds: float | None = None
    worst: str | None = None

    def facts(self) -> dict[str, Any]:
        """What rules of alerts may ask for."""
        own = self._asdict()
        del own["pair"], own["problem"]
        pair = self.pair
        names = {"cluster": pair.cluster, "audit": pair.name, "tier_a": pair.a, "tier_b": pair.b}
        return {**names, **own}

    def subject(self) -> Subject:
        """For the alerts."""
        return Subject(AUDIT, self.pair.name, self.facts())


def figures(seen: BooksSeen, pair: TierPair, now: int) -> AuditFigures:
    """Of a pair, at a time (ms)."""
    found = next((one for one in seen.pairs if one.pair == pair), None)
    if found is None or found.problem:
        return AuditFigures(pair, seen.problem or (found.problem if found else "not looked at yet"))
    counted = [row["counted_at"] for row in seen.tiers if row["tier"] in (pair.a, pair.b)]
    old = None if None in counted or not counted else max(0, now - min(counted)) / 1000
    return _figures(found, old)


def _figures(seen: PairSeen, counted_age: float | None) -> AuditFigures:
    worst = max(seen.rows, key=_badness, default=None)
    behind = seen.behind_ms
    return AuditFigures(
        seen.pair,
        state=AUDIT_STATES[0] if worst is None else str(worst["state"]),
        partitions=len(seen.rows) + seen.equal,
        differing_partitions=sum(bool(row["differing"]) for row in seen.rows),
        missing=_sum(seen, "missing"),
        extra=_sum(seen, "extra"),
        pending=_sum(seen, "pending"),
        behind_seconds=None if behind is None else behind / 1000,
        counted_age_seconds=counted_age,
        worst=None if worst is None else f"{worst['topic']}-{worst['partition']}",
    )


def _badness(row: Row) -> tuple[int, int]:
    state, missing = str(row["state"]), row["missing"]
    known = AUDIT_STATES.index(state) if state in AUDIT_STATES else len(AUDIT_STATES)
    return known, missing if isinstance(missing, int) else 0


def _sum(seen: PairSeen, name: str) -> int | None:
    values = [row[name] for row in seen.rows]
    return None if None in values else sum(values)


def kept(found: AuditFigures) -> Mapping[str, float]:
    """What the history keeps of it."""
    every = found.facts()
    return {name: every[name] for name in KEPT if every[name] is not None}
