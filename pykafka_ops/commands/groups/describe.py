"""``pko groups describe``: offsets and lag, members or state of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.analysis.lag.standing import Standing
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_describe import (
    DEAD,
    STREAMS,
    GroupDescription,
    TaskDescription,
    describe_groups,
)
from pykafka_ops.commands.framework.failures import java_text
from pykafka_ops.commands.framework.output import Column, ItemError, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import kafka_text, select
from pykafka_ops.commands.groups.described import STANDING, GroupStandings, with_offsets
from pykafka_ops.commands.groups.kafka4 import ToldError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

UNREADY = "its topology is not known: topics are missing or do not fit"
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
    Column("tasks", optional=True),
    Column("member_id", wide=True),
    Column("member_epoch", "EPOCH", wide=True, right=True),
)
TOPOLOGY = (
    Column("group"),
    Column("subtopology"),
    Column("sources"),
    Column("repartitions"),
    Column("changelogs"),
    Column("sinks", wide=True),
)
STATE = (
    Column("group"),
    Column("state"),
    Column("type", optional=True),
    Column("coordinator"),
    Column("assignor"),
    Column("member_count", "MEMBERS", right=True),
    Column("group_epoch", wide=True, right=True),
    Column("assignment_epoch", wide=True, right=True),
)


def describe(run: Run) -> Table:
    """The view asked for; an error for each group that does not exist."""
    args = run.args
    names = sorted(select.wanted(run))
    cluster = select.cluster(run)
    every_kind = not args.flags
    if any(args.has(view) for view in ("members", "state", "topology")):
        groups = describe_groups(cluster, names, every_kind=every_kind)
        found = {
            n: g if isinstance(g, PkoError) else GroupStandings(g, []) for n, g in groups.items()
        }
    else:
        found = with_offsets(cluster, names, every_kind=every_kind)
    if args.flags:
        for name, value in found.items():
            if isinstance(value, PkoError):
                raise value
            if value.group.state == DEAD and is_kafka_4(cluster):
                error = KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {name} not found.")
                raise ToldError(java_text(error))
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
    if run.args.has("topology"):
        return _topologies(alive, errors)
    rows = rows_of(OFFSETS, (_offset(d.group, row) for d in alive for row in d.rows))
    errors += [
        ItemError.of(f"{d.group.id} {topic}-{index}", error)
        for d in alive
        for (topic, index), error in d.refused.items()
    ]
    notes = [f"group {d.group.id} has no committed offsets" for d in alive if not d.rows]
    return Table("group-offsets", OFFSETS, rows, errors=errors, notes=notes)


def _offset(group: GroupDescription, row: Standing) -> tuple[object, ...]:
    m = row.reader
    who = (m.client_id, m.host.lstrip("/"), m.id) if m else (None, None, None)
    return group.id, row.topic, row.partition, row.current, row.end, row.lag, *who


def _topologies(alive: Sequence[GroupStandings], errors: list[ItemError]) -> Table:
    """What streams groups consist of; the others have no topology."""
    rows = []
    for group, *_ in alive:
        if group.type != STREAMS:
            text = f"it is a {group.type.lower()} group: only streams groups have a topology"
            errors.append(ItemError(group.id, "NO_TOPOLOGY", text))
        elif group.topology is None:
            errors.append(ItemError(group.id, "TOPOLOGY_UNKNOWN", UNREADY))
        else:
            rows += [
                (group.id, part.id, *map(list, (part.sources, part.repartitions, part.changelogs,
                                                part.sinks)))
                for part in group.topology
            ]  # fmt: skip
    return Table("group-topology", TOPOLOGY, rows_of(TOPOLOGY, rows), errors=errors)


def _members(group: GroupDescription) -> Iterator[tuple[object, ...]]:
    for m in sorted(group.members, key=lambda m: (m.client_id, m.id)):
        assigned = [f"{topic}-{index}" for topic, index in sorted(m.assigned)]
        host = m.host.lstrip("/")
        tasks = [str(t) for t in _in_order(m.tasks)] if group.type == STREAMS else None
        count = len(assigned)
        yield group.id, m.client_id, host, m.instance_id, count, assigned, tasks, m.id, m.epoch


def _in_order(tasks: Sequence[TaskDescription]) -> list[TaskDescription]:
    """Tasks by role as they are told, within that by number."""
    roles = list(dict.fromkeys(t.role for t in tasks))
    return sorted(tasks, key=lambda t: (roles.index(t.role), t.subtopology, t.partition))


def _state(group: GroupDescription, cluster: Cluster) -> tuple[object, ...]:
    node = cluster.nodes.get(group.coordinator)
    where = f"{node.host}:{node.port} ({node.id})" if node else None
    facts = (group.id, group.state, group.type, where, group.assignor or None, len(group.members))
    return *facts, group.epoch, group.target_epoch
