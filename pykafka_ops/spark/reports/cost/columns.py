"""The columns of the cost report: what each figure is. Money is per month of 730 hours."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.cost import FOUND, MEASURED, RETENTION, SCALED, UNREAD
from pykafka_ops.spark.model import Column

_TOPIC: Final = Column("topic", "Topic")
_REPLICA_BYTES: Final = Column("replica_bytes", "All replicas", "bytes", "On disk.")
_COST: Final = Column(
    "cost", "Cost", "money",
    "Of all that has a price, per month; empty: some of it is not known.",
)  # fmt: skip
_SHARE: Final = Column("share", "Share", "share", "Of all costs that are known.")
_PARTS: Final = (
    Column("storage_cost", "At rest", "money", "All replicas for a month."),
    Column("in_cost", "In", "money", "What producers write in a month."),
    Column("out_cost", "Out", "money", "What groups read in a month."),
)

TOPICS: Final = (
    _TOPIC,
    Column("bytes", "Bytes", "bytes", "On disk, of one replica per partition.", detail=True),
    Column("replication", "Replicas", kind="number",
           doc="Of a partition, the most; empty: there may be others than those found."),
    _REPLICA_BYTES,
    Column("basis", "By", values=(FOUND, SCALED, MEASURED), detail=True,
           doc="measured: every replica; scaled: one copy for each that was not found; found: those"
           " that were found, since nobody knows how many there are (--replication-factor)."),
    Column("written_per_month", "In/month", "bytes",
           "Bytes written to one replica, at the rate of the last day; empty: not known, as of"
           " compacted logs, where what was written is gone."),
    Column("read_per_month", "Out/month", "bytes",
           "What groups read, at the rates of their commits; empty: not known of one of them."),
    Column("growth_per_month", "Growth", "bytes",
           "More in all replicas in a month, by the rate of the last day and retention."),
    *_PARTS,
    _COST,
    Column("cost_in_a_month", "In a month", "money", "The same once it has grown so.", detail=True),
    _SHARE,
    Column("unknown", "Not known", doc="What the cost lacks.", spare=True),
)  # fmt: skip
OWNERS: Final = (
    Column("owner", "Owner"),
    Column("team", "Team", detail=True, spare=True),
    Column("topics", "Topics", kind="number"),
    _REPLICA_BYTES,
    *_PARTS,
    Column("cost", "Cost", "money", "Of all that has a price, as far as it is known."),
    _SHARE,
    Column("saving", "Could save", "money", "By the section savings.", spare=True),
    Column("unknown_topics", "Unknown", kind="number", detail=True,
           doc="Topics whose cost is not known, or may be more: the sum is at least that."),
)  # fmt: skip
SAVINGS: Final = (
    _TOPIC,
    Column("kind", "Why", values=(RETENTION, UNREAD),
           doc="retention: all groups have read what is older; unread: no group has an offset."),
    Column("retention_ms", "Time limit", doc="retention.ms now; -1: none.", kind="number"),
    Column("proposed_ms", "Proposed", kind="number",
           doc="Twice the age of the oldest record that a group has not read, in full hours, and no"
           " less than --keep-at-least."),
    Column("oldest_unread_seconds", "Oldest unread", "seconds", spare=True,
           doc="Age of the oldest record that a group has not read; 0: all is read."),
    Column("bytes", "Bytes", "bytes", "That are older than that, of all replicas."),
    Column("saving", "Saves", "money", "At rest, per month."),
    Column("advice", "Advice", detail=True),
)  # fmt: skip
