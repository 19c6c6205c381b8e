"""``pko groups describe``: offsets and lag, members or state of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.analysis.lag.standing import Standing
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, GroupDescription, describe_groups
from pykafka_ops.commands.framework.output import Column, ItemError, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import kafka_text, select
from pykafka_ops.commands.groups.described import STANDING, GroupStandings, with_offsets
from pykafka_ops.errors import KafkaError, PkoError

OFFSETS = (
    *STANDING,
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


def describe(run: Run) -> Table:
    """The view asked for; an error for each group that does not exist."""
    args = run.args
    names = sorted(select.wanted(run))
    cluster = select.cluster(run)
    if args.has("members") or args.has("state"):
        groups = describe_groups(cluster, names)
        found = {
            n: g if isinstance(g, PkoError) else GroupStandings(g, []) for n, g in groups.items()
        }
    else:
        found = with_offsets(cluster, names)
    if args.flags:
        for value in found.values():
            if isinstance(value, PkoError):
                raise value
        described = [d for d in found.values() if isinstance(d, GroupStandings)]
        return Table("groups", (), [], kafka=kafka_text.described(described, cluster, args))
    return _ours(run, found, cluster)


def _ours(run: Run, found: Mapping[str, GroupStandings | PkoError], cluster: Cluster) -> Table:
    errors, alive, missing = [], [], []
    for name, value in found.items():
        if isinstance(value, KafkaError):
            errors.append(ItemError.of(name, value))
        elif isinstance(value, PkoError):
            raise value
        elif value.group.state == DEAD:
            missing.append(name)
        else:
            alive.append(value)
    errors += select.missing_groups(cluster, missing)
    if run.args.has("members"):
        rows = rows_of(MEMBERS, (row for d in alive for row in _members(d.group)))
        return Table("group-members", MEMBERS, rows, errors=errors)
    if run.args.has("state"):
        rows = rows_of(STATE, (_state(d.group, cluster) for d in alive))
        return Table("group-states", STATE, rows, errors=errors)
    rows = rows_of(OFFSETS, (_offset(d.group, row) for d in alive for row in d.rows))
    notes = [f"group {d.group.id} has no committed offsets" for d in alive if not d.rows]
    return Table("group-offsets", OFFSETS, rows, errors=errors, notes=notes)


def _offset(group: GroupDescription, row: Standing) -> tuple[object, ...]:
    m = row.reader
    who = (m.client_id, m.host.lstrip("/"), m.id) if m else (None, None, None)
    return group.id, row.topic, row.partition, row.current, row.end, row.lag, *who


def _members(group: GroupDescription) -> Iterator[tuple[object, ...]]:
    for m in sorted(group.members, key=lambda m: (m.client_id, m.id)):
        assigned = [f"{topic}-{index}" for topic, index in sorted(m.assigned)]
        host = m.host.lstrip("/")
        yield group.id, m.client_id, host, m.instance_id, len(assigned), assigned, m.id


def _state(group: GroupDescription, cluster: Cluster) -> tuple[object, ...]:
    node = cluster.nodes.get(group.coordinator)
    where = f"{node.host}:{node.port} ({node.id})" if node else None
    return group.id, group.state, group.type, where, group.assignor or None, len(group.members)
