"""What reports must say of a cluster by rule, from the rules alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from pykafka_ops.analysis.commits.burrow import OK, STOP
from pykafka_ops.analysis.skew import hot
from tests.support.by_rule.rules import RECORD, SINCE, ClusterRules, group_name


def lag_summary(rules: ClusterRules) -> dict[str, object]:
    """Of ``summary`` of the lag report."""
    every = np.arange(rules.partitions)
    stopped = [g["status"] == STOP for g in groups(rules).values()]
    return {
        "groups": rules.groups,
        "partitions": rules.partitions,
        "lag": int(rules.lag(every).sum()),
        "unknown_partitions": 0,
        "unread_topics": 0,
        "groups_in_trouble": sum(stopped),
        "groups_unknown": 0,
        "silent_groups": sum(not rules.members(g) for g in range(rules.groups)),
    }


def skew_summary(rules: ClusterRules) -> dict[str, object]:
    """Of ``summary`` of the skew report."""
    records = rules.records(np.arange(rules.partitions))
    topics = [records[rules.partitions_of(t)] * RECORD for t in range(rules.topics)]
    return {
        "topics": rules.topics,
        "partitions": rules.partitions,
        "records": int(records.sum()),
        "bytes": int(records.sum()) * RECORD,
        "hot_partitions": sum(sum(hot(sizes.tolist())) for sizes in topics),
    }


def retention_summary(rules: ClusterRules) -> dict[str, object]:
    """Of ``summary`` of the retention report: no log is older than its topic keeps it."""
    size = int(rules.bytes(np.arange(rules.partitions)).sum())
    return {
        "topics": rules.topics,
        "bytes": size,
        "replica_bytes": size * rules.copies(),
        "topics_over": 0,
        "over_bytes": 0,
        "leaving_in_a_day": 0,
    }


def brokers(rules: ClusterRules) -> list[dict[str, Any]]:
    """Of the rows of ``brokers`` of the skew report, by id."""
    rows = []
    for broker in range(rules.brokers):
        held = rules.held(broker)
        led = held[held % rules.brokers == broker]
        rows.append(
            {
                "broker": broker,
                "rack": rules.rack(broker),
                "replicas": len(held),
                "leaders": len(led),
                "bytes": int(rules.bytes(held).sum()),
                "leader_bytes": int(rules.bytes(led).sum()),
            }
        )
    return rows


def groups(rules: ClusterRules) -> dict[str, dict[str, Any]]:
    """Of the rows of ``groups`` of the lag report, by name: who has members commits, and catches
    up; who has none and is behind has stopped."""
    found = {}
    for group in range(rules.groups):
        every = np.array([n for t in rules.reads(group) for n in rules.partitions_of(t)])
        lags = rules.lag(every)
        found[group_name(group)] = {
            "partitions": len(every),
            "lag": int(lags.sum()),
            "max_lag": int(lags.max()),
            "status": STOP if lags.any() and not rules.members(group) else OK,
            "last_commit": rules.now - SINCE if rules.members(group) else None,
        }
    return found


def differences(found: dict[str, Any], wanted: dict[str, object]) -> dict[str, tuple[object, ...]]:
    """What a report says, and what it must say, where that is not the same."""
    return {k: (found.get(k), v) for k, v in wanted.items() if found.get(k) != v}


SUMMARIES = {"lag": lag_summary, "skew": skew_summary, "retention": retention_summary}
"""By the kind of report."""
