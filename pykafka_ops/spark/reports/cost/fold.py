"""Rows of partitions to topics, owners and savings, in money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pykafka_ops.analysis.cost import (
    FOUND,
    MONTH_HOURS,
    UNREAD,
    CostRules,
    copies,
    money,
    shorter,
    total,
)
from pykafka_ops.analysis.moments import span_text
from pykafka_ops.analysis.owners import OwnerRules
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.reports.known import known_sum
from pykafka_ops.spark.schemas import columns

Row = dict[str, Any]
_PARTS: Final = ("storage_cost", "in_cost", "out_cost")


SUMS: Final = columns(
    "topic string, bytes bigint, written double, read double, growth bigint, replica_bytes bigint,"
    "replication int, basis string, kind string, proposed_ms bigint, needed bigint, gone bigint"
)
"""A topic: bytes of one copy, those written and read in an hour, growth in a month; StoredCopies;
the RetentionCut that is possible, with ``gone`` bytes of one copy, null: none. Null otherwise is
not known."""


@dataclass(slots=True)
class TopicCost:
    """The partitions of a topic; sums are None once one of them is."""

    name: str
    bytes: int | None = 0
    written: float | None = 0.0
    read: float | None = 0.0
    growth: int | None = 0
    readers: int = 0
    needed: int | None = 0
    held: list[tuple[int | None, Sequence[int], int | None]] = field(default_factory=list)
    ages: dict[int, int] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a partition: FIGURES, ``sizes`` of its replicas and how many are ``wanted``."""
        self.readers += row["readers"]
        for name in ("bytes", "written", "read", "growth"):
            both = getattr(self, name), row[name]
            setattr(self, name, None if None in both else both[0] + both[1])
        known = self.needed is not None and row["need_known"]
        self.needed = max(self.needed or 0, row["needed"]) if known else None
        for each in row["ages"] or ():
            self.ages[each["age"]] = self.ages.get(each["age"], 0) + each["bytes"]
        size = row["bytes"]
        self.held.append((size, row["sizes"] or ([] if size is None else [size]), row["wanted"]))

    def sums(self, policy: RetentionPolicy, rules: CostRules) -> Row:
        """SUMS of the topic."""
        stored, cut = copies(self.held), None
        if self.name not in INTERNAL:
            cut = shorter(policy, self.ages, self.needed, rules, is_read=self.readers > 0)
        return {
            "topic": self.name,
            **{name: getattr(self, name) for name in ("bytes", "written", "read", "growth")},
            "replica_bytes": stored.bytes,
            "replication": stored.replication,
            "basis": stored.basis,
            "kind": cut and cut.kind,
            "proposed_ms": cut and cut.retention_ms,
            "needed": self.needed,
            "gone": cut and cut.bytes,
        }


def topic_row(sums: Mapping[str, Any], rules: CostRules) -> Row:
    """The row of a topic, without its share, of SUMS."""
    prices, replica_bytes = rules.prices, sums["replica_bytes"]
    monthly = (sums["written"], sums["read"])
    written, read = (None if n is None else round(n * MONTH_HOURS) for n in monthly)
    growth = _in_all(sums["growth"], sums["bytes"], replica_bytes)
    parts = [
        (money(replica_bytes, prices.stored), prices.stored),
        (money(written, prices.written), prices.written),
        (money(read, prices.read), prices.read),
    ]
    cost, more = total(parts), money(growth, prices.stored or 0.0)
    lacks = [
        name
        for name, (part, price) in zip(("at rest", "in", "out"), parts, strict=True)
        if price is not None and part is None
    ]
    return {
        "topic": sums["topic"],
        "bytes": sums["bytes"],
        "replication": sums["replication"],
        "replica_bytes": replica_bytes,
        "basis": sums["basis"],
        "written_per_month": written,
        "read_per_month": read,
        "growth_per_month": growth,
        **{name: part for name, (part, _) in zip(_PARTS, parts, strict=True)},
        "cost": cost,
        "cost_in_a_month": None if cost is None or more is None else round(cost + more, 6),
        "unknown": ", ".join(lacks) or None,
    }


def _in_all(size: int | None, of_one: int | None, of_all: int | None) -> int | None:
    """What is so many bytes of one copy, in all replicas."""
    if size is None or of_one is None or of_all is None:
        return None
    return round(size * of_all / of_one) if of_one else size


def with_shares(rows: Sequence[Row]) -> list[Row]:
    """The dearest first after what is not known, each with its share of all that is known."""
    whole = _parts(rows) or 0.0
    return sorted(
        (
            {**r, "share": r["cost"] / whole if whole and r["cost"] is not None else None}
            for r in rows
        ),
        key=lambda r: (r["cost"] is not None, -(r["cost"] or 0.0), str(next(iter(r.values())))),
    )


def saving_rows(
    topics: Iterable[Mapping[str, Any]], policies: Mapping[str, RetentionPolicy], rules: CostRules
) -> Iterator[Row]:
    """What shorter retention would save, of SUMS."""
    for topic in topics:
        if topic["kind"] is None:
            continue
        policy = policies.get(topic["topic"], RetentionPolicy())
        size = _in_all(topic["gone"], topic["bytes"], topic["replica_bytes"])
        is_unread, proposed = topic["kind"] == UNREAD, topic["proposed_ms"]
        why = (
            "no group reads it: ask whether anybody needs it"
            if is_unread
            else "all groups have read what is older"
        )
        yield {
            "topic": topic["topic"],
            "kind": topic["kind"],
            "retention_ms": policy.retention_ms,
            "proposed_ms": proposed,
            "oldest_unread_seconds": None if is_unread else (topic["needed"] or 0) / 1000,
            "bytes": size,
            "saving": money(size, rules.prices.stored),
            "advice": f"keep {span_text(proposed)} (retention.ms={proposed}): {why}",
        }


def owner_rows(rows: Sequence[Row], savings: Sequence[Row], owners: OwnerRules) -> list[Row]:
    """A row per owner and team; costs are sums of what is known, None where nothing is."""
    saved = {row["topic"]: row for row in savings}
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        owner = owners.of(row["topic"])
        found.setdefault((owner.owner, owner.team), []).append(row)
    made = []
    for (name, team), mine in found.items():
        parts = {part: _known(mine, part) for part in _PARTS}
        cuts = [saved[r["topic"]] for r in mine if r["topic"] in saved]
        made.append(
            {
                "owner": name,
                "team": team or None,
                "topics": len(mine),
                "replica_bytes": known_sum(r["replica_bytes"] for r in mine),
                **parts,
                "cost": _parts(mine),
                "saving": _known(cuts, "saving") if cuts else None,
                "unknown_topics": sum(map(_is_least, mine)),
            }
        )
    return with_shares(made)


def _known(rows: Sequence[Row], name: str) -> float | None:
    """The sum of what is known; None where nothing is."""
    known = [r[name] for r in rows if r[name] is not None]
    return round(sum(known), 6) if known or not rows else None


def _parts(rows: Sequence[Row]) -> float | None:
    """What is known of the costs of all; None where nothing is."""
    known = [r[part] for r in rows for part in _PARTS if r[part] is not None]
    return round(sum(known), 6) if known or not rows else None


def _is_least(row: Row) -> bool:
    """Whether the topic may cost more."""
    return None in (row["cost"], row["replica_bytes"]) or row["basis"] == FOUND


def summary(rows: Sequence[Row], savings: Sequence[Row], *, savings_known: bool) -> Row:
    """The figures on top; sums are over what is known: what topics cost that lack a part, too."""
    return {
        "topics": len(rows),
        "replica_bytes": known_sum(r["replica_bytes"] for r in rows),
        "storage_cost": _known(rows, "storage_cost"),
        "cost": _parts(rows),
        "unknown_topics": sum(map(_is_least, rows)),
        "growth_per_month": _known(rows, "growth_per_month"),
        "saving": _known(savings, "saving") if savings_known else None,
    }
