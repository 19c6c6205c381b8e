"""The tables of kafka-consumer-groups, column for column.

3.8 and 3.9 print some of them without line ends (mended in 4.0); ours end every line, as 3.7 and
4.x do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pykafka_ops.analysis.lag.standing import AssignedMember, Standing
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_describe import DEAD, EMPTY, GroupDescription, MemberDescription
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.groups import kafka4_text
from pykafka_ops.commands.groups.described import GroupStandings
from pykafka_ops.errors import PkoError

REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")


def described(found: Sequence[GroupStandings], cluster: Cluster, args: Args) -> Iterator[str]:
    """``--describe`` of all groups, one table each."""
    if found and is_kafka_4(cluster):
        yield from _as_kafka_4(found, cluster, args)
        return
    for group, rows, _ in found:
        if args.has("members"):
            yield from _note(group)
            yield from _members(group, verbose=args.has("verbose"))
            continue
        yield from _note(group)
        if group.state == DEAD:
            continue
        if args.has("state"):
            yield from _state(group, cluster)
        elif rows:
            yield from _offsets(group.id, rows)


def _as_kafka_4(found: Sequence[GroupStandings], cluster: Cluster, args: Args) -> Iterator[str]:
    verbose = args.has("verbose")
    for group, rows, _ in found:
        yield from _note(group)
        if args.has("members"):
            yield from kafka4_text.members(group, verbose=verbose)
        elif args.has("state") and group.state != DEAD:
            yield from kafka4_text.state(group, cluster, verbose=verbose)
        elif rows and group.state != DEAD:
            epochs = _epochs(cluster, group.id) if verbose else None
            yield from kafka4_text.offsets(group.id, rows, epochs)


def _epochs(cluster: Cluster, name: str) -> dict[Partition, int]:
    """Leader epochs of what a group has committed, where they are known."""
    found = fetch_offsets(cluster, [name])[name]
    if isinstance(found, PkoError):
        raise found
    commits = {p: c for p, c in found.items() if isinstance(c, Committed)}
    return {p: c.leader_epoch for p, c in commits.items() if c.leader_epoch >= 0}


def _note(group: GroupDescription) -> Iterator[str]:
    """What there is to say about the state: on stdout that it is missing, else on stderr."""
    if group.state == DEAD:
        yield f"\nError: Consumer group '{group.id}' does not exist.\n"
    elif group.state == EMPTY:
        say(f"\nConsumer group '{group.id}' has no active members.")
    elif group.state in REBALANCING:
        say(f"\nWarning: Consumer group '{group.id}' is rebalancing.")


def _width(texts: Iterable[str], least: int = 15) -> int:
    return max([least, *map(len, texts)])


def _offsets(name: str, rows: Sequence[Standing]) -> Iterator[str]:
    readers = [r.reader for r in rows if r.reader]
    widths = (
        _width([name]), _width({r.topic for r in rows}), 10, 15, 15, 15,
        _width(m.id for m in readers), _width(m.host for m in readers), 0,
    )  # fmt: skip
    form = _form(widths)
    titles = "\n" + form % (
        "GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG",
        "CONSUMER-ID", "HOST", "CLIENT-ID",
    )  # fmt: skip
    lines = [titles]
    for topic, partition, current, end, lag, m in rows:
        cells = (name, topic, partition, current, end, lag, *_who(m))
        lines.append(form % (_dashed(cells) if None in cells else cells))
    yield "".join(lines)


def _who(reader: AssignedMember | None) -> tuple[str, str, str]:
    return (reader.id, reader.host, reader.client_id) if reader else ("-", "-", "-")


def _line(widths: Sequence[int], *cells: object) -> str:
    return _form(tuple(widths)) % _dashed(cells)


def _dashed(cells: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(["-" if c is None else c for c in cells])


@lru_cache(maxsize=16)  # tables of many groups look alike
def _form(widths: tuple[int, ...]) -> str:
    return " ".join(f"%-{w}s" if w else "%s" for w in widths) + "\n"


def _members(group: GroupDescription, *, verbose: bool) -> Iterator[str]:
    members = sorted(group.members, key=lambda m: len(m.assigned), reverse=True)
    static = any(m.instance_id for m in members)
    widths = [_width([group.id]) if members else 15, _width(m.id for m in members)]
    titles = ["GROUP", "CONSUMER-ID"]
    if static:
        widths.append(_width((m.instance_id or "" for m in members), 17))
        titles.append("GROUP-INSTANCE-ID")
    widths += [_width(m.host for m in members), _width(m.client_id for m in members), 15, 0]
    titles += ["HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT" if verbose else ""]
    yield "\n" + _line(widths, *titles)
    for m in members:
        cells: list[object] = [group.id, m.id]
        cells += [m.instance_id] if static else []
        cells += [m.host, m.client_id, len(m.assigned), _assignment(m) if verbose else ""]
        yield _line(widths, *cells)


def _assignment(member: MemberDescription) -> str:
    """3.9 leaves out the topics' names; 3.7 has them."""
    by_topic: dict[str, list[str]] = {}
    for topic, index in member.assigned:
        by_topic.setdefault(topic, []).append(str(index))
    parts = [f"{topic}({','.join(sorted(found))})" for topic, found in sorted(by_topic.items())]
    return ", ".join(parts) or "-"


def _state(group: GroupDescription, cluster: Cluster) -> Iterator[str]:
    where = kafka4_text.coordinator(group, cluster) or "-"
    widths = (max(25, len(where)), 25, 20, 15, 0)
    yield "\n" + _line(
        widths, "GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"
    )
    yield _line(widths, group.id, where, group.assignor, group.state, len(group.members))
