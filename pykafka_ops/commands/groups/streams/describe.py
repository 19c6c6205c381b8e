"""``kafka-streams-groups --describe``, as StreamsGroupCommand of Kafka 4.3 prints it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import (
    DEAD,
    EMPTY,
    STREAMS,
    GroupDescription,
    TaskDescription,
    describe_kind,
)
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import offsets_at
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import by_hash, meant, told
from pykafka_ops.commands.groups.kafka4_text import coordinator, row
from pykafka_ops.errors import PkoError

_ROLES = (("active", "ACTIVE"), ("standby", "STANDBY"), ("warm-up", "WARMUP"))


class _Lag(NamedTuple):
    """How far a group is in a partition; None where it has committed nothing."""

    current: int | None
    epoch: int | None
    end: int
    lag: int


def described(cluster: Cluster, name: str) -> GroupDescription:
    """One group. Raises PkoError."""
    found = describe_kind(cluster, [name], STREAMS)[name]
    if isinstance(found, PkoError):
        raise found
    return found


def sources(group: GroupDescription, *, internal: bool = False) -> set[str]:
    """The topics that the topology begins with; those it sends to itself, too (``internal``)."""
    topics = {t for part in group.topology or () for t in part.sources}
    if internal:
        topics.update(t for part in group.topology or () for t in part.repartitions)
    return topics


def committed(cluster: Cluster, name: str, *, internal: bool) -> dict[Partition, Committed]:
    """The offsets that a group has committed of its ``sources``. Raises PkoError."""
    topics = sources(described(cluster, name), internal=internal)
    return {p: c for p, c in every_commit(cluster, name).items() if p[0] in topics}


def every_commit(cluster: Cluster, name: str) -> dict[Partition, Committed]:
    """All offsets of a group. Raises PkoError."""
    found = fetch_offsets(cluster, [name])[name]
    if isinstance(found, PkoError):
        raise found
    return {p: c for p, c in found.items() if isinstance(c, Committed)}


def describe(run: Run) -> None:
    """Group by group: lag, members or state."""
    args, cluster = run.args, select.cluster(run)
    verbose = args.has("verbose")
    for name in meant(run, STREAMS):
        with told():
            group = described(cluster, name)
            if args.has("members"):
                lines = _members(group, verbose=verbose)
            elif args.has("state"):
                lines = _state(group, cluster, verbose=verbose)
            else:
                lines = _offsets(group, _lags(cluster, group), verbose=verbose)
        sys.stdout.writelines(lines)


def _lags(cluster: Cluster, group: GroupDescription) -> dict[Partition, _Lag]:
    """Of every partition that an active task reads. Raises PkoError."""
    topics = {p.id: (*p.sources, *p.repartitions) for p in group.topology or ()}
    places = {
        (topic, task.partition)
        for member in group.members
        for task in member.tasks
        if task.role == "active"
        for topic in topics.get(task.subtopology, ())
    }
    starts = offsets_at(cluster, sorted(places), offsets.EARLIEST)
    ends = offsets_at(cluster, sorted(places), offsets.LATEST)
    with told(caught=True):
        commits = committed(cluster, group.id, internal=True)
    found = {}
    for place in places:
        at, end = commits.get(place), ends[place]
        if at is None:
            found[place] = _Lag(None, None, end, end - starts[place])
        else:
            epoch = at.leader_epoch if at.leader_epoch >= 0 else None
            found[place] = _Lag(at.offset, epoch, end, end - at.offset)
    return found


def _offsets(
    group: GroupDescription, lags: Mapping[Partition, _Lag], *, verbose: bool
) -> Iterator[str]:
    if group.state == DEAD or not group.members:
        return
    widths = [max(15, len(group.id)), max([15, *(len(topic) for topic, _ in lags)]), 10]
    titles = ["GROUP", "TOPIC", "PARTITION", "OFFSET-LAG"]
    if verbose:
        widths += [15] * 4
        titles[3:] = ["CURRENT-OFFSET", "LEADER-EPOCH", "LOG-END-OFFSET", "OFFSET-LAG"]
    rows = [
        (group.id, topic, index, *(at if verbose else (at.lag,)))
        for (topic, index), at in by_hash(lags)
    ]
    yield from _table(widths, titles, rows)


def _state(group: GroupDescription, cluster: Cluster, *, verbose: bool) -> Iterator[str]:
    yield from _note(group)
    where = coordinator(group, cluster, " ")
    widths = [max(15, len(group.id)), max(25, len(where or "")), 25]
    titles = ["GROUP", "COORDINATOR (ID)", "STATE", "#MEMBERS"]
    cells: list[object] = [group.id, where, group.state, len(group.members)]
    if verbose:
        widths += [15, 25]
        titles[3:3] = ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"]
        cells[3:3] = [group.epoch, group.target_epoch]
    yield from _table(widths, titles, [cells])


def _note(group: GroupDescription) -> Iterator[str]:
    what = {DEAD: "does not exist", EMPTY: "has no active members"}.get(group.state)
    if what:
        yield f"\nError: Streams group '{group.id}' {what}.\n"


def _members(group: GroupDescription, *, verbose: bool) -> Iterator[str]:
    members = group.members
    if group.state == DEAD or not members:
        return
    yield from _note(group)
    name = max(15, len(group.id))
    ids = max(15, *(len(m.id) for m in members))
    processes = max(15, *(len(m.process) for m in members))
    clients = max(15, *(len(m.client_id) for m in members))
    if not verbose:
        rows = [(group.id, m.id, m.process, m.client_id, _tasks(m.tasks)) for m in members]
        titles = ("GROUP", "MEMBER", "PROCESS", "CLIENT-ID", "ASSIGNMENTS")
        yield from _table((name, ids, processes, clients), titles, rows)
        return
    lines: list[tuple[object, ...]] = [
        ("GROUP", "TARGET-ASSIGNMENT-EPOCH", "TOPOLOGY-EPOCH", "MEMBER", "MEMBER-PROTOCOL",
         "MEMBER-EPOCH", "PROCESS", "CLIENT-ID", "ASSIGNMENTS")
    ]  # fmt: skip
    lines += [
        (
            group.id, group.target_epoch, group.topology_epoch, m.id,
            "classic" if m.is_classic else "streams", m.epoch, m.process, m.client_id,
            _tasks(m.tasks) + _tasks(m.target_tasks, "TARGET-"),
        )
        for m in members
    ]  # fmt: skip
    # the third column has no space behind it, as in the tool
    form = f"%-{name}s %-25s %-15s%-{ids}s %-15s %-15s %-{processes}s %-{clients}s %s\n"
    yield from (form % cells for cells in lines)


def _tasks(tasks: Iterable[TaskDescription], lead: str = "") -> str:
    """Tasks by role and subtopology, each list with a semicolon behind it."""
    found = list(tasks)
    text = ""
    for role, title in _ROLES:
        parts: dict[str, list[str]] = {}
        for task in found:
            if task.role == role:
                parts.setdefault(task.subtopology, []).append(str(task.partition))
        if parts:
            text += f"{lead}{title}: "
            text += "".join(f"{part}:[{','.join(numbers)}]; " for part, numbers in parts.items())
    return text


def _table(
    widths: Sequence[int], titles: Sequence[str], rows: Iterable[Sequence[object]]
) -> Iterator[str]:
    for cells in (titles, *rows):
        yield row(widths, cells) + "\n"
