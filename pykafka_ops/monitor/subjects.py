"""The subjects of alerts: the groups, topics and brokers of a view, and the cluster itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from pykafka_ops.analysis.cluster_state import TROUBLES
from pykafka_ops.client.glance import disk_room
from pykafka_ops.mirror.report.rows import IDLE, LOST, PAUSED, UNKNOWN
from pykafka_ops.monitor.alerts.rules.facts import (
    BROKER,
    CLUSTER,
    GROUP,
    MIRROR,
    REACHABLE,
    TOPIC,
)
from pykafka_ops.monitor.alerts.rules.model import PollRound, Subject
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.view import NEVER, ClusterView, WatchedGroup

_GROUP_FACTS = (
    "state", "status", "partitions", "unknown_partitions", "lag", "max_lag", "lag_seconds",
    "rate_in", "rate_out", "catch_up_seconds", "lead",
)  # fmt: skip
_BROKER_FACTS = (
    "state", "controller", "rack", "replicas", "lagging", "leaders", "preferred",
    "imbalance_percent", "bytes", "free_bytes",
)  # fmt: skip
_LINK_FACTS = (
    "source", "source_cluster", "state", "worst", "partitions", "lag", "lag_bytes", "lag_seconds",
    "copied_per_second", "added_per_second", "eta_seconds", "processes", "stalled_seconds",
    "heartbeat_seconds",
)  # fmt: skip
_LINK_COUNTS = {
    "idle_partitions": IDLE,
    "gap_partitions": LOST,
    "paused_partitions": PAUSED,
    "unknown_partitions": UNKNOWN,
}


def poll_round(
    view: ClusterView,
    now: int,
    full_in: Mapping[int, float] | None = None,
    hanging: Mapping[str, int] | None = None,
) -> PollRound:
    """A view after a round, for the alerts; ``now`` is when the round ended, in ms; ``full_in`` are
    seconds until the disks of brokers are full, as far as that is known; ``hanging``
    are transactions by topic that has any (None: not known)."""
    if view.error is not None or view.at is None:
        missing = _line(view.error) if view.error else "no answer yet"
        lone = Subject(CLUSTER, view.name, {"cluster": view.name, REACHABLE: False})
        return PollRound(view.name, now, [lone], fresh=False, not_asked=[missing])
    return PollRound(
        view.name,
        now,
        [
            _cluster(view, hanging),
            *_brokers(view, full_in or {}),
            *_topics(view, hanging),
            *_groups(view),
            *_links(view),
        ],
        partial=_partial(view),
        not_asked=[_line(missing) for missing in view.not_asked],
    )


def _line(missing: NotAsked) -> str:
    return f"{missing.what}: {missing.message} [{missing.error}]"


def _partial(view: ClusterView) -> frozenset[str]:
    """Groups may be missing where a broker did not list its groups."""
    missing = any(one.what.startswith("groups") for one in view.not_asked)
    return frozenset({GROUP, MIRROR}) if missing or view.groups is None else frozenset()


def _cluster(view: ClusterView, hanging: Mapping[str, int] | None) -> Subject:
    groups = None if view.groups is None else len(view.groups)
    facts = {"cluster": view.name, REACHABLE: True, **(view.facts or {}), "groups": groups}
    facts["hanging_transactions"] = None if hanging is None else sum(hanging.values())
    return Subject(CLUSTER, view.name, facts)


def _brokers(view: ClusterView, full_in: Mapping[int, float]) -> Iterator[Subject]:
    dirs = view.dirs or {}
    for row in view.brokers:
        facts: dict[str, Any] = {name: row[name] for name in _BROKER_FACTS}
        found = dirs.get(int(str(row["id"])))
        facts["cluster"], facts["broker"] = view.name, row["id"]
        facts["dirs_failed"] = None if found is None else sum(d.error is not None for d in found)
        room = disk_room(dirs, int(str(row["id"])))
        if room.total and room.free is not None:
            facts["free_percent"] = round(100 * room.free / room.total, 1)
        facts["full_in_seconds"] = full_in.get(int(str(row["id"])))
        cause = f"broker {row['id']}" if row["state"] != "up" else ""
        yield Subject(BROKER, str(row["id"]), facts, cause)


def _topics(view: ClusterView, hanging: Mapping[str, int] | None) -> Iterator[Subject]:
    counts: dict[str, dict[str, int]] = {}
    for kind, found in (view.troubled or {}).items():
        for troubled, _ in found:
            of_topic = counts.setdefault(troubled, {})
            of_topic[kind] = of_topic.get(kind, 0) + 1
    moving: dict[str, int] = {}
    for moved, _ in view.moves or {}:
        moving[moved] = moving.get(moved, 0) + 1
    unknown = [kind for kind in TROUBLES if (view.facts or {}).get(kind) is None]
    for name, topic in (view.topics or {}).items():
        facts: dict[str, Any] = {kind: counts.get(name, {}).get(kind, 0) for kind in TROUBLES}
        facts.update(dict.fromkeys(unknown))
        partitions = topic.description.partitions
        facts |= {
            "cluster": view.name,
            "topic": name,
            "partitions": len(partitions),
            "replication_factor": max((len(p.replicas) for p in partitions), default=0),
            "reassigning": None if view.moves is None else moving.get(name, 0),
            "bytes": topic.bytes,
            "rate_in": topic.rate_in,
            "hanging_transactions": None if hanging is None else hanging.get(name, 0),
        }
        yield Subject(TOPIC, name, facts, _cause(view, name) if counts.get(name) else "")


def _cause(view: ClusterView, topic: str) -> str:
    """The broker that is down, where it alone is why a topic is in trouble."""
    away = {int(str(row["id"])) for row in view.brokers if row["state"] == "down"}
    found = (view.topics or {})[topic]
    missing = {b for p in found.description.partitions for b in p.replicas if b in away}
    return f"broker {missing.pop()}" if len(missing) == 1 else ""


def _groups(view: ClusterView) -> Iterator[Subject]:
    for name, group in (view.groups or {}).items():
        facts: dict[str, Any] = {fact: getattr(group.row, fact) for fact in _GROUP_FACTS}
        facts |= {
            "cluster": view.name,
            "group": name,
            "type": group.type.capitalize() or None,
            "members": group.member_count,
            "loss_in_seconds": inf if group.loss == NEVER else group.loss_in_seconds,
        }
        yield Subject(GROUP, name, facts, _group_cause(view, group))


def _links(view: ClusterView) -> Iterator[Subject]:
    for link in view.links:
        facts: dict[str, Any] = {fact: getattr(link, fact) for fact in _LINK_FACTS}
        facts |= {
            "cluster": view.name,
            "mirror": link.name,
            **{fact: link.counts.get(state, 0) for fact, state in _LINK_COUNTS.items()},
        }
        yield Subject(MIRROR, link.name, facts)


def _group_cause(view: ClusterView, group: WatchedGroup) -> str:
    """A group that cannot read since its worst partition has no leader."""
    offline = (view.troubled or {}).get("offline", ())
    worst = group.worst
    if worst is None or (worst.topic, worst.partition) not in offline:
        return ""
    return _cause(view, worst.topic)
