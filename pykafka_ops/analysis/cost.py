"""What topics cost: bytes at rest and on the network in money, and what could be kept for less.

Prices are per GiB (2**30 bytes), a month has 730 hours. Money is a float in whatever currency the
prices are in. None is what is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.analysis.retention import RetentionPolicy

GIB: Final = 1 << 30
MONTH_HOURS: Final = 730
MONTH_MS: Final = MONTH_HOURS * UNITS["h"]
FOUND, SCALED, MEASURED = "found", "scaled", "measured"
"""Whose bytes count: replicas that were found, where nobody knows if there are more; one copy times
the replication factor where some were not found; every replica."""
RETENTION, UNREAD = "retention", "unread"
"""Why a topic can be kept for less time: its readers need less; nobody reads it."""
_LEAST: Final = ("replica_bytes", "storage_cost", "cost", "growth_per_month", "cost_in_a_month")


class Prices(NamedTuple):
    """For a GiB: ``stored`` for a month, ``written`` to a broker, ``read`` from one; None: it has
    no price, and is not counted."""

    stored: float | None = None
    written: float | None = None
    read: float | None = None


NO_PRICES: Final = Prices()


@dataclass(frozen=True, slots=True)
class CostRules:
    """``replication`` is the number of replicas where no cluster tells (None: not known);
    ``keep_ms`` what no proposal goes below."""

    prices: Prices = NO_PRICES
    currency: str = ""
    replication: int | None = None
    keep_ms: int = UNITS["d"]


def money(size: float | None, price: float | None) -> float | None:
    """What so many bytes cost; None where either is not known."""
    return None if size is None or price is None else round(size / GIB * price, 6)


def total(parts: Iterable[tuple[float | None, float | None]]) -> float | None:
    """The sum of costs, each beside its price: what has no price costs nothing here; None where
    one that has a price is not known."""
    priced = [cost for cost, price in parts if price is not None]
    known = [cost for cost in priced if cost is not None]
    return round(sum(known), 6) if len(known) == len(priced) else None


class StoredCopies(NamedTuple):
    """Bytes of all replicas (None: not known), how many there are of a partition (the most), and
    whose they are."""

    bytes: int | None
    replication: int | None
    basis: str


def copies(partitions: Iterable[tuple[int | None, Sequence[int], int | None]]) -> StoredCopies:
    """Of the partitions of a topic: bytes of one copy, of the replicas found, how many replicas
    there should be (None: not known)."""
    size: int | None = 0
    most, basis = 0, MEASURED
    known = True
    for one, found, wanted in partitions:
        missing = 0 if wanted is None else max(0, wanted - len(found))
        if size is None or (one is None and (missing or not found)):
            size = None
        else:
            size += sum(found) + missing * (one or 0)
        most = max(most, len(found) + missing)
        known = known and wanted is not None
        if missing:
            basis = SCALED
    return StoredCopies(size, most, basis) if known else StoredCopies(size, None, FOUND)


class RetentionCut(NamedTuple):
    """A shorter ``retention.ms``: why, how long (ms), and what then goes of one copy (bytes)."""

    kind: str
    retention_ms: int
    bytes: int


def shorter(
    policy: RetentionPolicy,
    ages: Mapping[int, int],
    needed_ms: int | None,
    rules: CostRules,
    *,
    is_read: bool,
) -> RetentionCut | None:
    """What a topic can do with: twice the age of the oldest record that a group has not read
    (``needed_ms``; 0: all is read; None: not known), in full hours, and ``keep_ms`` at least.

    ``ages`` are bytes of one copy by age in hours. None where nothing would go, where only
    compaction takes records, or where it is not known what readers need.
    """
    if not policy.delete or (is_read and needed_ms is None):
        return None
    need = 2 * (needed_ms or 0) if is_read else 0
    hours = -(-max(need, rules.keep_ms) // UNITS["h"])
    limit = hours * UNITS["h"]
    if 0 <= policy.retention_ms <= limit:
        return None
    gone = sum(size for age, size in ages.items() if age >= hours)
    return RetentionCut(RETENTION if is_read else UNREAD, limit, gone) if gone else None


def cost_says_less(row: Mapping[str, object], name: str) -> bool:
    """Whether a figure of a cost report may be less than the truth: replicas may be elsewhere, or
    some topics of an owner have costs that nobody knows."""
    return name in _LEAST and (row.get("basis") == FOUND or bool(row.get("unknown_topics")))
