"""Rows and bodies that ``/api/v1`` and the pages have in common. Pure but for the lock of a
cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, Generic, TypeVar

from pykafka_ops.analysis.lag.rows import GroupLag, LagRow
from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.client.quorum import by_role, leader_of
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.wording.causes import broken
from pykafka_ops.monitor.wording.moves import move_progress
from pykafka_ops.monitor.wording.verdict import suffering_groups

Body = dict[str, Any]
T = TypeVar("T")
_ROW_FIELDS: Final = tuple(field.name for field in fields(LagRow))
_LAG_FIELDS: Final = tuple(field.name for field in fields(GroupLag))


class PerRound(Generic[T]):
    """What is made of a view is made once a round, however often it is asked for."""

    def __init__(self, make: Callable[[ClusterView], T]) -> None:
        self._make = make
        self._made: dict[str, tuple[ClusterView, T]] = {}

    def __call__(self, view: ClusterView) -> T:
        """What is made of this view."""
        known = self._made.get(view.name)
        if known is not None and known[0] is view:
            return known[1]
        made = self._make(view)
        self._made[view.name] = view, made
        return made


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
        **{name: getattr(group.row, name) for name in _LAG_FIELDS},
        "type": group.type,
        "coordinator": group.coordinator,
        "members": group.member_count,
        "topics": list(group.topics),
        "since": group.since,
        "loss_in_seconds": group.loss_in_seconds,
        "loss": group.loss,
        "worst": asdict(group.worst) if group.worst else None,
    }


group_rows: Final = PerRound(lambda view: [group_row(g) for g in (view.groups or {}).values()])
"""A row for every group. Not to be changed."""
topic_rows: Final = PerRound(lambda view: [topic_row(t) for t in (view.topics or {}).values()])
"""A row for every topic. Not to be changed."""


progress_rows: Final = PerRound(move_progress)
"""A row for every move. Not to be changed."""
suffering_rows: Final = PerRound(
    lambda view: [group_row(g) for g in suffering_groups((view.groups or {}).values())]
)
"""Rows of groups that deserve a look, the worst first. Not to be changed."""
causes: Final = PerRound(broken)
"""What is broken, a sentence each."""


def _leftovers(view: ClusterView) -> list[Body]:
    """Replicas on the disks of topics that the cluster does not name: being deleted, or left
    behind; those with the most bytes first."""
    found: dict[str, Body] = {}
    for broker, dirs in (view.dirs or {}).items():
        for replica in (r for d in dirs for r in d.replicas):
            if view.topics is not None and replica.topic not in view.topics:
                row = found.setdefault(
                    replica.topic,
                    {"topic": replica.topic, "replicas": 0, "bytes": 0, "brokers": set()},
                )
                row["replicas"] += 1
                row["bytes"] += replica.size
                row["brokers"].add(broker)
    rows = [{**row, "brokers": sorted(row["brokers"])} for row in found.values()]
    return sorted(rows, key=lambda row: -row["bytes"])


leftover_rows: Final = PerRound(_leftovers)
"""Topics that are on disks alone. Not to be changed."""


def bytes_by_broker(view: ClusterView, topic: str) -> dict[int, int] | None:
    """Bytes of a topic on each broker that has any; None where a broker did not say."""
    dirs = view.dirs
    if not dirs or {int(str(row["id"])) for row in view.brokers} - dirs.keys():
        return None
    found = {
        broker: sum(r.size for d in described for r in d.replicas if r.topic == topic)
        for broker, described in dirs.items()
        if any(r.topic == topic for d in described for r in d.replicas)
    }
    return found or None


def bytes_by_partition(view: ClusterView, topic: str) -> dict[int, int]:
    """Bytes of the largest replica of each partition of a topic that a broker described."""
    found: dict[int, int] = {}
    for described in (view.dirs or {}).values():
        for replica in (r for d in described for r in d.replicas if r.topic == topic):
            found[replica.partition] = max(found.get(replica.partition, 0), replica.size)
    return found


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
    body = group_alone(watched, name)
    if body is not None:
        body["rows"] = partition_rows(watched.rows(name))
    return body


def group_alone(watched: WatchedCluster, name: str) -> Body | None:
    """A group with its members; None for an unknown one."""
    group = (watched.view.groups or {}).get(name)
    if group is None:
        return None
    return {
        **group_row(group),
        "member_list": [_member(m) for m in group.members],
        "topology": None if group.topology is None else [p._asdict() for p in group.topology],
    }


def _member(member: MemberDescription) -> Body:
    tasks = {
        name: [task._asdict() for task in getattr(member, name)]
        for name in ("tasks", "target_tasks")
    }
    return {**member._asdict(), **tasks}


def partition_rows(rows: Iterable[LagRow]) -> list[Body]:
    """Partitions of a group."""
    return [{f: getattr(row, f) for f in _ROW_FIELDS} for row in rows]


def quorum_body(view: ClusterView) -> Body | None:
    """The quorum of controllers; None on ZooKeeper, and where nobody told."""
    quorum = view.quorum
    if quorum is None:
        return None
    leader, rows = leader_of(quorum), []
    for role, r in by_role(quorum):
        known = leader is not None and r.end >= 0
        timed = leader is not None and min(leader.caught_up_at, r.caught_up_at) >= 0
        rows.append({
            "id": r.id,
            "role": role.lower(),
            "end": r.end if r.end >= 0 else None,
            "lag": max(0, leader.end - r.end) if leader and known else None,
            "behind_seconds":
                max(0, leader.caught_up_at - r.caught_up_at) / 1000 if leader and timed else None,
            "addresses": [f"{e.listener}://{e.host}:{e.port}"
                          for e in quorum.addresses.get(r.id, ())],
        })  # fmt: skip
    return {
        "leader": quorum.leader if quorum.leader >= 0 else None,
        "epoch": quorum.epoch,
        "high_watermark": quorum.high_watermark,
        "replicas": rows,
    }


def probe_rows(service: Service, cluster: str) -> list[Body]:
    """The probes of a cluster; [] where there are none."""
    return service.probes.rows(cluster) if service.probes is not None else []


def move_rows(view: ClusterView) -> list[Body]:
    """Moves under way, [] also where nobody listed them."""
    moves = view.moves or {}
    return [{"topic": t, "partition": n, **m._asdict()} for (t, n), m in moves.items()]
