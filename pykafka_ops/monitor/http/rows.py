"""Rows and bodies that ``/api/v1`` and the pages have in common. Pure but for the lock of a
cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster

Body = dict[str, Any]


def topic_row(topic: WatchedTopic) -> Body:
    """A topic in one row."""
    partitions = topic.description.partitions
    return {
        "topic": topic.description.name,
        "id": topic.description.id.hex(),
        "internal": topic.description.internal,
        "partitions": len(partitions),
        "replicas": max((len(p.replicas) for p in partitions), default=0),
        "under_replicated": sum(len(p.isr) < len(p.replicas) for p in partitions),
        "offline": sum(p.leader < 0 for p in partitions),
        "records": _records(topic),
        "rate_in": topic.rate_in,
        "bytes": topic.bytes,
    }


def _records(topic: WatchedTopic) -> int | None:
    """Offsets between begin and end; None where one is not known."""
    if len(topic.starts) != len(topic.ends) or min((*topic.starts, *topic.ends), default=0) < 0:
        return None
    return sum(topic.ends) - sum(topic.starts)


def _at(offsets: Sequence[int], partition: int) -> int | None:
    if partition >= len(offsets) or offsets[partition] < 0:
        return None
    return offsets[partition]


def group_row(group: WatchedGroup) -> Body:
    """A group in one row: that of ``pko groups lag``, and what threatens it."""
    return {
        **asdict(group.row),
        "type": group.type,
        "coordinator": group.coordinator,
        "members": len(group.members),
        "topics": list(group.topics),
        "since": group.since,
        "loss_in_seconds": group.loss_in_seconds,
        "loss": group.loss,
        "worst": asdict(group.worst) if group.worst else None,
    }


def topic_body(view: ClusterView, name: str) -> Body | None:
    """A topic with its partitions and settings; None for an unknown one."""
    topic = (view.topics or {}).get(name)
    if topic is None:
        return None
    rows = []
    for p in topic.description.partitions:
        start, end = (_at(offsets, p.number) for offsets in (topic.starts, topic.ends))
        rows.append({**p._asdict(), "start": start, "end": end})
    return {**topic_row(topic), "settings": dict(topic.settings), "rows": rows}


def group_body(watched: WatchedCluster, name: str) -> Body | None:
    """A group with its members and partitions; None for an unknown one."""
    group = (watched.view.groups or {}).get(name)
    if group is None:
        return None
    members = [m._asdict() for m in group.members]
    rows = [asdict(row) for row in watched.rows(name)]
    return {**group_row(group), "member_list": members, "rows": rows}


def move_rows(view: ClusterView) -> list[Body]:
    """Moves under way, [] also where nobody told."""
    moves = view.moves or {}
    return [{"topic": t, "partition": n, **m._asdict()} for (t, n), m in moves.items()]
