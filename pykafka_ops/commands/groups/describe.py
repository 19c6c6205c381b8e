"""``pko groups describe``: offsets and lag, members or state of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.group_rows import Partition, Reader, Standing, partitions_of, standings
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, Group, describe_groups
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import kafka_text, select
from pykafka_ops.errors import KafkaError, PkoError

OFFSETS = (
    Column("group"),
    Column("topic"),
    Column("partition", right=True),
    Column("current_offset", "CURRENT", right=True),
    Column("log_end_offset", "END", right=True),
    Column("lag", right=True),
    Column("client_id", optional=True),
    Column("host", optional=True),
    Column("member_id", wide=True),
)
MEMBERS = (
    Column("group"),
    Column("client_id"),
    Column("host"),
    Column("instance_id", optional=True),
    Column("partition_count", "PARTITIONS", right=True),
    Column("assignment"),
    Column("member_id", wide=True),
)
STATE = (
    Column("group"),
    Column("state"),
    Column("type", optional=True),
    Column("coordinator"),
    Column("assignor"),
    Column("member_count", "MEMBERS", right=True),
)


class Described(NamedTuple):
    """A group and, where offsets were asked for, its rows."""

    group: Group
    rows: list[Standing]


def describe(run: Run) -> Table:
    """The view asked for; groups that are not there are told on their own."""
    args = run.args
    names = sorted(select.wanted(run))
    cluster = select.cluster(run)
    if args.has("members") or args.has("state"):
        groups = describe_groups(cluster, names)
        found = {n: g if isinstance(g, PkoError) else Described(g, []) for n, g in groups.items()}
    else:
        found = with_offsets(cluster, names)
    if args.flags:
        for value in found.values():
            if isinstance(value, PkoError):
                raise value
        described = [d for d in found.values() if isinstance(d, Described)]
        return Table("groups", (), [], kafka=kafka_text.described(described, cluster, args))
    return _ours(run, found, cluster)


def with_offsets(cluster: Cluster, names: Sequence[str]) -> dict[str, Described | PkoError]:
    """Each group with its offsets and lags, in a handful of requests for all groups together."""
    groups = describe_groups(cluster, names)
    alive = [n for n, g in groups.items() if isinstance(g, Group) and g.state != DEAD]
    commits = fetch_offsets(cluster, alive)
    readers = {n: _readers(g) for n, g in groups.items() if isinstance(g, Group)}
    committed: dict[str, dict[Partition, int]] = {}
    for name in alive:
        found = commits[name]
        if not isinstance(found, PkoError):
            committed[name] = {p: c.offset for p, c in found.items() if isinstance(c, Committed)}
    ends = end_offsets(
        cluster, {p for n in committed for p in partitions_of(readers[n], committed[n])}
    )
    result: dict[str, Described | PkoError] = {}
    for name, group in groups.items():
        error = commits.get(name)
        if isinstance(group, PkoError):
            result[name] = group
        elif isinstance(error, PkoError):
            result[name] = error
        else:
            result[name] = Described(group, standings(readers[name], committed.get(name, {}), ends))
    return result


def end_offsets(cluster: Cluster, partitions: set[Partition]) -> dict[Partition, int]:
    """Log end offsets; partitions that cannot tell theirs (a deleted topic) are left out."""
    found = offsets.known_offsets(cluster, sorted(partitions), offsets.LATEST)
    return {p: o.offset for p, o in found.items()}


def _readers(group: Group) -> list[Reader]:
    return [Reader(m.id, m.host, m.client_id, m.assigned) for m in group.members]


# --- our tongue ----------------------------------------------------------------------------------


def _ours(run: Run, found: Mapping[str, Described | PkoError], cluster: Cluster) -> Table:
    errors, alive = [], []
    for name, value in found.items():
        if isinstance(value, KafkaError):
            errors.append(ItemError.of(name, value))
        elif isinstance(value, PkoError):
            raise value
        elif value.group.state == DEAD:
            errors.append(ItemError.of(name, select.not_there(name)))
        else:
            alive.append(value)
    if run.args.has("members"):
        rows = [row for d in alive for row in _members(d.group)]
        return Table("group-members", MEMBERS, rows, errors=errors)
    if run.args.has("state"):
        states = [_state(d.group, cluster) for d in alive]
        return Table("group-states", STATE, states, errors=errors)
    rows = [_offset(d.group, row) for d in alive for row in d.rows]
    notes = [f"group {d.group.id} has no committed offsets" for d in alive if not d.rows]
    return Table("group-offsets", OFFSETS, rows, errors=errors, notes=notes)


def _offset(group: Group, row: Standing) -> dict[str, object]:
    reader = row.reader
    return {
        "group": group.id,
        "topic": row.topic,
        "partition": row.partition,
        "current_offset": row.current,
        "log_end_offset": row.end,
        "lag": row.lag,
        "client_id": reader.client_id if reader else None,
        "host": reader.host.lstrip("/") if reader else None,
        "member_id": reader.id if reader else None,
    }


def _members(group: Group) -> list[dict[str, object]]:
    ordered = sorted(group.members, key=lambda m: (m.client_id, m.id))
    return [
        {
            "group": group.id,
            "client_id": m.client_id,
            "host": m.host.lstrip("/"),
            "instance_id": m.instance_id,
            "partition_count": len(m.assigned),
            "assignment": [f"{topic}-{index}" for topic, index in sorted(m.assigned)],
            "member_id": m.id,
        }
        for m in ordered
    ]


def _state(group: Group, cluster: Cluster) -> dict[str, object]:
    node = cluster.nodes.get(group.coordinator)
    return {
        "group": group.id,
        "state": group.state,
        "type": group.type,
        "coordinator": f"{node.host}:{node.port} ({node.id})" if node else None,
        "assignor": group.assignor or None,
        "member_count": len(group.members),
    }
