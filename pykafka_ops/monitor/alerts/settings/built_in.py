"""The built-in rules; the configuration changes one, or switches it off, by its name.

Limits follow the rules that Strimzi, Confluent and Grafana ship for Kafka.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.monitor.alerts.rules.facts import (
    AUDIT,
    BROKER,
    CLUSTER,
    GROUP,
    MIRROR,
    PROBE,
    TOPIC,
)

_PASSING: Final = "console-consumer-.*"
BUILT_IN: Final[Mapping[str, Mapping[str, object]]] = {
    "cluster-unreachable": {
        "of": CLUSTER, "when": "reachable=false", "for": "1m", "severity": "critical",
        "summary": "no broker of the cluster answers the monitor",
    },
    "no-controller": {
        "of": CLUSTER, "when": "no_controller>0&quorum_lost=0", "for": "30s",
        "severity": "critical", "summary": "nobody elects leaders or changes topics",
    },
    "quorum-lost": {
        "of": CLUSTER, "when": "quorum_lost>0", "for": "30s", "severity": "critical",
        "summary": "no controller leads the quorum: nobody elects leaders or changes topics",
    },
    "voter-behind": {
        "of": CLUSTER, "when": "voters_behind>0", "for": "5m", "severity": "warning",
        "summary": "a controller does not follow the quorum, which is lost if too many do not",
    },
    "broker-fenced": {
        "of": CLUSTER, "when": "brokers_fenced>0", "for": "5m", "severity": "warning",
        "summary": "brokers are registered, but send no heartbeats, or are not let in",
    },
    "offline-partitions": {
        "of": CLUSTER, "when": "offline>0", "for": "30s", "severity": "critical",
        "summary": "partitions without a leader can be neither read nor written",
    },
    "under-min-isr": {
        "of": CLUSTER, "when": "under_min_isr>0", "for": "1m", "severity": "critical",
        "summary": "with fewer replicas in sync than min.insync.replicas, acks=all is refused",
    },
    "under-replicated": {
        "of": CLUSTER, "when": "under_replicated>0", "for": "5m", "severity": "warning",
        "summary": "replicas are not in sync",
    },
    "broker-gone": {
        "of": BROKER, "when": "state!=up", "for": "1m", "severity": "critical",
        "summary": "the broker does not answer, or is not in the cluster any more",
    },
    "log-dir-failed": {
        "of": BROKER, "when": "dirs_failed>0", "severity": "critical",
        "summary": "a log directory failed: its replicas are offline",
    },
    "disk-runway": {
        "of": BROKER, "when": "full_in_seconds<86400|free_percent<10", "for": "10m",
        "severity": "warning", "summary": "the disk will be full within a day, or nearly is",
    },
    "group-stopped": {
        "of": GROUP, "when": "status=STOP", "for": "2m", "severity": "warning",
        "exclude": _PASSING, "summary": "the group is behind and does not read",
    },
    "group-stalled": {
        "of": GROUP, "when": "status=STALL", "for": "2m", "severity": "warning",
        "exclude": _PASSING, "summary": "the group is behind and comes no further",
    },
    "group-not-ready": {
        "of": GROUP, "when": "type=Streams&state=NotReady", "for": "2m", "severity": "warning",
        "summary": "the streams application waits: topics that it reads are missing or do not fit",
    },
    "share-backlog": {
        "of": GROUP, "when": "type=Share&status=WARN", "for": "5m", "severity": "warning",
        "exclude": _PASSING, "summary": "more is written than the share group is done with",
    },
    "group-rewound": {
        "of": GROUP, "when": "status=REWIND", "severity": "warning",
        "exclude": _PASSING, "summary": "the group went back and reads records again",
    },
    "records-lost": {
        "of": GROUP, "when": "status=LOST|status=AHEAD", "severity": "critical",
        "exclude": _PASSING,
        "summary": "the committed offset is outside of the log: records were deleted unread",
    },
    "loss-ahead": {
        "of": GROUP, "when": "loss_in_seconds<3600&lag_seconds>300", "for": "5m",
        "severity": "critical", "exclude": _PASSING,
        "summary": "retention deletes records within the hour that the group has not read",
    },
    "hanging-transaction": {
        "of": TOPIC, "when": "hanging_transactions>0", "for": "5m", "severity": "warning",
        "summary": "a transaction that nobody ends keeps readers of committed records waiting",
    },
    "probe-failed": {
        "of": PROBE, "when": "ok=false", "severity": "critical",
        "summary": "a step that clients rely on fails",
    },
    "mirror-stopped": {
        "of": MIRROR, "when": "state=no process", "for": "1m", "severity": "critical",
        "summary": "no process copies what is written at the source",
    },
    "mirror-stalled": {
        "of": MIRROR, "when": "state=stalled", "for": "1m", "severity": "critical",
        "summary": "records wait at the source, and the mirror does not come further",
    },
    "mirror-gap": {
        "of": MIRROR, "when": "gap_partitions>0", "severity": "critical",
        "summary": "the source deleted records before they were copied",
    },
    "mirror-late": {
        "of": MIRROR, "when": "lag_seconds>600", "for": "5m", "severity": "warning",
        "summary": "the copy is more than ten minutes behind the source",
    },
    "audit-missing": {
        "of": AUDIT, "when": "missing>0", "severity": "critical",
        "summary": "a tier lacks records that the other one has",
    },
    "audit-differs": {
        "of": AUDIT, "when": "state=altered|state=extra|state=reordered", "severity": "warning",
        "summary": "two tiers do not hold the same records",
    },
    "audit-late": {
        "of": AUDIT, "when": "behind_seconds>3600", "for": "10m", "severity": "warning",
        "summary": "the latest records of a tier are more than an hour behind those of the other",
    },
    "audit-stale": {
        "of": AUDIT, "when": "counted_age_seconds>86400", "severity": "warning",
        "summary": "nobody has counted the tiers for a day: pko audit collect",
    },
}  # fmt: skip
"""By name, as they would be written in the configuration."""
