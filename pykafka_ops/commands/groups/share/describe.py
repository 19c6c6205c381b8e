"""``kafka-share-groups --describe``, as ShareGroupCommand of Kafka 4.3 prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import (
    DEAD,
    EMPTY,
    SHARE,
    GroupDescription,
    MemberDescription,
    describe_kind,
)
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.share_offsets import ShareStart, fetch_share_offsets
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.output import Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import meant, told
from pykafka_ops.commands.groups.kafka4_text import assignment, coordinator, table
from pykafka_ops.errors import PkoError

View = Callable[[GroupDescription], Iterator[str]]


def describe(run: Run) -> Table:
    """Groups by name: where they begin, their members or their state."""
    args, cluster = run.args, select.cluster(run)
    verbose = args.has("verbose")
    names = sorted(meant(run, SHARE))
    with told():
        found = describe_kind(cluster, names, SHARE) if names else {}
        groups = _all(found.values())
    show: View
    if args.has("members"):
        show = lambda g: _members(g, verbose=verbose)  # noqa: E731
    elif args.has("state"):
        show = lambda g: _state(g, cluster, verbose=verbose)  # noqa: E731
    else:
        with told(caught=True):
            starts = starts_of(cluster, names)
        show = lambda g: _offsets(g.id, starts[g.id], verbose=verbose)  # noqa: E731
    return Table("groups", (), [], kafka=(line for g in groups for line in show(g)))


def _all(found: Iterable[GroupDescription | PkoError]) -> list[GroupDescription]:
    every = list(found)
    raise_first(g for g in every if isinstance(g, PkoError))
    return [g for g in every if isinstance(g, GroupDescription)]


def starts_of(cluster: Cluster, names: Sequence[str]) -> dict[str, dict[Partition, ShareStart]]:
    """Where each group begins. Raises the first error, that of a partition, too."""
    result = {}
    for name, found in (fetch_share_offsets(cluster, names) if names else {}).items():
        if isinstance(found, PkoError):
            raise found
        raise_first(s for s in found.values() if isinstance(s, PkoError))
        result[name] = {p: s for p, s in found.items() if isinstance(s, ShareStart)}
    return result


def _offsets(name: str, starts: dict[Partition, ShareStart], *, verbose: bool) -> Iterator[str]:
    known = sorted(starts.items())
    if not known:
        yield f"\nShare group '{name}' has no offset information.\n"
        return
    widths = [max(15, len(name)), max(15, *(len(topic) for (topic, _), _ in known)), 10]
    titles = ["GROUP", "TOPIC", "PARTITION", "START-OFFSET", "LAG"]
    if verbose:
        titles.insert(3, "LEADER-EPOCH")
    widths += [13] * (len(titles) - 4)
    rows: list[Sequence[object]] = []
    for (topic, index), at in known:
        epoch = [at.epoch if at.start is not None else None] if verbose else []
        rows.append((name, topic, index, *epoch, at.start, at.lag))
    yield from table(widths, titles, rows)


def _state(group: GroupDescription, cluster: Cluster, *, verbose: bool) -> Iterator[str]:
    yield from _note(group)
    where = coordinator(group, cluster)
    widths = [max(15, len(group.id)), max(25, len(where or "")), 15]
    titles = ["GROUP", "COORDINATOR (ID)", "STATE", "#MEMBERS"]
    cells: list[object] = [group.id, where, group.state, len(group.members)]
    if verbose:
        widths += [12, 17]
        titles[3:3] = ["GROUP-EPOCH", "ASSIGNMENT-EPOCH"]
        cells[3:3] = [group.epoch, group.target_epoch]
    yield from table(widths, titles, [cells])


def _members(group: GroupDescription, *, verbose: bool) -> Iterator[str]:
    yield from _note(group)
    members = sorted(group.members, key=lambda m: m.id)
    if group.state == DEAD or not members:
        return
    widths = [max(15, len(group.id))]
    widths += [max(15, *map(len, found)) for found in zip(*map(_who, members), strict=True)]
    widths.append(12)
    titles = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT"]
    if verbose:
        widths.append(13)
        titles.insert(5, "MEMBER-EPOCH")
    yield from table(
        widths,
        titles,
        [
            (
                group.id,
                *_who(m),
                len(m.assigned),
                *([m.epoch] if verbose else ()),
                assignment(m.assigned) or "",
            )
            for m in members
        ],
    )


def _who(member: MemberDescription) -> tuple[str, str, str]:
    return member.id, member.host, member.client_id


def _note(group: GroupDescription) -> Iterator[str]:
    if group.state == DEAD:
        yield f"\nError: Share group '{group.id}' does not exist.\n"
    elif group.state == EMPTY:
        say(f"\nShare group '{group.id}' has no active members.")
