"""The facts that conditions of alerts may ask for, by kind of subject.

Names are those of ``pko groups lag``, ``pko cluster status`` and ``pko cluster brokers``. Spans in
seconds, rates in records per second, sizes in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.analysis import cluster_state
from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.analysis.lag.rows import AHEAD, LOST, STATUSES, understated

GROUP, TOPIC, BROKER, CLUSTER, PROBE = "group", "topic", "broker", "cluster", "probe"
MIRROR, AUDIT = "mirror", "audit"
KINDS: Final = (GROUP, TOPIC, BROKER, CLUSTER, PROBE, MIRROR, AUDIT)
"""What an alert may be about."""
REACHABLE: Final = "reachable"
"""Of a cluster: whether it answered in the last round; known even when nothing else is."""
_NUMBER, _TEXT, _FLAG = ConditionField(), ConditionField("text"), ConditionField("flag")
_SPARE_TEXT, _SPARE_NUMBER = ConditionField("text", spare=True), ConditionField(spare=True)

Facts = Mapping[str, "int | float | str | bool | None"]
"""Of one subject; None or missing: unknown. ``inf``: never, as for the loss of records that are all
read (``loss_in_seconds``) or for a disk that does not fill."""
Fields = Mapping[str, Mapping[str, ConditionField]]
PROBE_STEPS: Final = tuple(
    f"{step}_ms"
    for step in (
        "metadata", "create", "produce", "consume", "group", "transaction", "compacted", "delete"
    )
)  # fmt: skip
"""How long the steps of a probe took, as ``client.smoke.plan`` has them."""

LINK_STATES: Final = (
    "ok", "behind", "paused", "not known", "not begun", "stalled", "stopped", "no process", "gap"
)  # fmt: skip
"""Of mirror links, as ``cluster.links`` has them."""
AUDIT_STATES: Final = ("equal", "open", "partial", "reordered", "altered", "extra", "missing")
"""Of two tiers, as ``pko audit`` has them; the worst last."""

GROUP_TYPES: Final = ("Classic", "Consumer", "Share", "Streams")
KRAFT_FACTS: Final = (
    "quorum_lost", "quorum_voters", "voters_behind", "brokers_fenced", "elr", "last_known_elr",
)  # fmt: skip
"""Of the quorum and of what only clusters in KRaft have, as ``cluster.kraft`` has them."""

FACTS: Final[Fields] = {
    GROUP: {
        "cluster": _TEXT,
        "group": _TEXT,
        "type": ConditionField("text", GROUP_TYPES),
        "state": _TEXT,
        "status": ConditionField("text", STATUSES),
        **dict.fromkeys(
            ("members", "partitions", "unknown_partitions", "lag", "max_lag", "lag_seconds",
             "rate_in", "rate_out", "catch_up_seconds", "lead", "loss_in_seconds"), _NUMBER,
        ),
        "held_by_transaction": _SPARE_TEXT,
    },
    TOPIC: {
        "cluster": _TEXT,
        "topic": _TEXT,
        **dict.fromkeys(
            ("partitions", "replication_factor", *cluster_state.TROUBLES, "reassigning", "bytes",
             "rate_in", "idle_seconds", "hanging_transactions"), _NUMBER,
        ),
    },
    BROKER: {
        "cluster": _TEXT,
        "broker": _NUMBER,
        "state": ConditionField("text", ("up", "down", "silent")),
        "controller": _FLAG,
        "rack": _SPARE_TEXT,
        "version": _TEXT,
        **dict.fromkeys(
            ("replicas", "lagging", "leaders", "preferred", "imbalance_percent", "dirs_failed",
             "bytes", "free_bytes", "free_percent"), _NUMBER,
        ),
        "full_in_seconds": _SPARE_NUMBER,
    },
    CLUSTER: {
        "cluster": _TEXT,
        REACHABLE: _FLAG,
        **dict.fromkeys(
            (*cluster_state.FACTS, *KRAFT_FACTS, "groups", "hanging_transactions"), _NUMBER
        ),
    },
    PROBE: {
        "cluster": _TEXT,
        "probe": _TEXT,
        "ok": _FLAG,
        "failed_step": _SPARE_TEXT,
        "reason": _SPARE_TEXT,
        **dict.fromkeys(
            ("failed", "total_ms", "availability_percent", "age_seconds", *PROBE_STEPS), _NUMBER
        ),
    },
    MIRROR: {
        "cluster": _TEXT,
        "mirror": _TEXT,
        "source": _TEXT,
        "source_cluster": _SPARE_TEXT,
        "state": ConditionField("text", LINK_STATES),
        "worst": _SPARE_TEXT,
        **dict.fromkeys(
            ("partitions", "lag", "lag_bytes", "lag_seconds", "copied_per_second",
             "added_per_second", "eta_seconds", "idle_partitions", "gap_partitions",
             "paused_partitions", "unknown_partitions", "processes"), _NUMBER,
        ),
        "stalled_seconds": _SPARE_NUMBER,
        "heartbeat_seconds": _SPARE_NUMBER,
    },
    AUDIT: {
        "cluster": _TEXT,
        "audit": _TEXT,
        "tier_a": _TEXT,
        "tier_b": _TEXT,
        "state": ConditionField("text", AUDIT_STATES),
        "worst": _SPARE_TEXT,
        **dict.fromkeys(
            ("partitions", "differing_partitions", "missing", "extra", "pending", "behind_seconds",
             "counted_age_seconds"), _NUMBER,
        ),
    },
}  # fmt: skip
"""By kind, what its conditions may ask for."""


def uncertain(row: Mapping[str, object], name: str) -> bool:
    """Whether a lag says less than the truth: records were lost, or the log ends before the commit.

    Partitions without a commit do not count here: they are a fact of their own, and would keep
    every alert about a group that never reads some partition from ending.
    """
    status = row.get("status")
    return status in (LOST, AHEAD) and understated({"status": status}, name)
