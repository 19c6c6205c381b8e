"""The bodies of Burrow's HTTP API v3, fields in its order. Source: httpserver/structs.go,
protocol/{evaluator,storage}.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.analysis.commits.burrow import WINDOW, Commit
from pykafka_ops.monitor.burrow.status import (
    NAMES,
    NOTFOUND,
    OK,
    PartitionFound,
    group_status,
    partition_status,
)

Body = dict[str, Any]
_SECOND = 1000


def body(message: str, request: Body, *, error: bool = False, **fields: Any) -> Body:
    """An answer; ``request`` comes last, as in most of Burrow's."""
    return {"error": error, "message": message, **fields, "request": request}


def not_found(cluster: str, group: str) -> Body:
    """The status of a group that nobody knows."""
    return {
        **_head(cluster, group, NOTFOUND, 1.0),
        "partitions": [],
        "partition_count": 0,
        "maxlag": None,
        "totallag": 0,
    }


def group(
    cluster: str, name: str, found: Sequence[PartitionFound], now: int, *, everything: bool
) -> Body:
    """The status of a group; without ``everything`` partitions that are OK are left out."""
    judged = [(partition_status(p, now), p) for p in found]
    bodies = [_partition(status, p) for status, p in judged]
    worst = max(range(len(found)), key=lambda i: (found[i].lag, -i), default=None)
    complete = sum(p.complete == 1.0 for p in found) / len(found) if found else 0.0
    shown = [b for (status, _), b in zip(judged, bodies, strict=True) if everything or status > OK]
    return {
        **_head(cluster, name, group_status([status for status, _ in judged]), complete),
        "partitions": shown,
        "partition_count": len(found),
        "maxlag": None if worst is None else bodies[worst],
        "totallag": sum(p.lag for p in found),
    }


def _head(cluster: str, name: str, status: int, complete: float) -> Body:
    return {"cluster": cluster, "group": name, "status": NAMES[status], "complete": complete}


def _partition(status: int, found: PartitionFound) -> Body:
    return {
        "topic": found.topic,
        "partition": found.partition,
        "owner": found.owner,
        "client_id": found.client_id,
        "status": NAMES[status],
        "start": _offset(found.commits[0]) if found.commits else None,
        "end": _offset(found.commits[-1]) if found.commits else None,
        "current_lag": found.lag,
        "complete": found.complete,
    }


def _offset(commit: Commit) -> Body:
    seen = commit.timestamp - commit.timestamp % _SECOND
    return {
        "offset": commit.offset,
        "timestamp": commit.timestamp,
        "observedAt": seen,
        "lag": commit.lag,
    }


def consumer_detail(found: Sequence[PartitionFound]) -> Mapping[str, list[Body]]:
    """Partitions by topic, the index is the partition; nulls stand for commits yet to come."""
    topics: dict[str, dict[int, PartitionFound]] = {}
    for one in found:
        topics.setdefault(one.topic, {})[one.partition] = one
    return {
        topic: [_window(partitions.get(n)) for n in range(max(partitions) + 1)]
        for topic, partitions in topics.items()
    }


def _window(found: PartitionFound | None) -> Body:
    if found is None or not found.commits:
        owner, client_id, lag = (found.owner, found.client_id, found.lag) if found else ("", "", 0)
        return {"offsets": [], "owner": owner, "client_id": client_id, "current-lag": lag}
    missing: list[Body | None] = [None] * (WINDOW - len(found.commits))
    return {
        "offsets": [*missing, *map(_offset, found.commits)],
        "owner": found.owner,
        "client_id": found.client_id,
        "current-lag": found.lag,
    }
