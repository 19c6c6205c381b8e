"""The partitions that are meant, who leads them, and what an election would change."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework import partition_words
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.commands.leader_election.election import cluster, named
from pykafka_ops.commands.leader_election.election_file import read_file
from pykafka_ops.errors import UsageError
from pykafka_ops.wire.codes import ErrorCode

NO_LEADER, ELSEWHERE, DOWN, BEHIND = (
    "no leader", "not preferred", "preferred is down", "preferred is behind",
)  # fmt: skip
COLUMNS = (
    *PLACE,
    *numbers("leader", "preferred"),
    Column("replicas"),
    Column("isr"),
    Column("state", bad=lambda value: value == NO_LEADER),
)
Row = dict[str, object]
Wanted = dict[str, set[int] | None]
"""Partitions by topic, None: all of them."""


def wanted_of(words: Sequence[str]) -> Wanted:
    """``orders``, ``orders:0,3``; UsageError."""
    return {
        topic: None if numbers is None else set(numbers)
        for topic, numbers in partition_words.parse(words).items()
    }


def wanted(run: Run) -> Wanted:
    """What the words or ``--file`` mean; none: all. UsageError."""
    args = run.args
    if not args.has("file"):
        return wanted_of(args.texts("topic"))
    if args.has("topic"):
        raise UsageError("either --file or TOPIC...")
    found = of_pairs(read_file(args.text("file") or ""))
    if not found:
        raise UsageError(f"{args.text('file')} names no partition")
    return found


def of_pairs(partitions: Sequence[Partition]) -> Wanted:
    """From a file's partitions."""
    found: dict[str, set[int]] = {}
    for topic, index in partitions:
        found.setdefault(topic, set()).add(index)
    return {**found}


def partitions_of(run: Run, meant: Wanted) -> tuple[dict[Partition, Row], list[ItemError]]:
    """Every partition meant (all, where none is named) with its row, errors for what is not there.

    ``state`` is "" where the preferred replica leads.
    """
    answering = cluster(run)
    topics = {t.name: t for t in all_topics(answering)}
    live = set(answering.nodes)
    errors = [missing_topic(name, topics) for name in meant if name not in topics]
    rows: dict[Partition, Row] = {}
    for name, topic in topics.items():
        numbers = meant.get(name) if meant else None
        if meant and name not in meant:
            continue
        for p in topic.partitions:
            if numbers is None or p.number in numbers:
                preferred = p.replicas[0] if p.replicas else -1
                leader = None if p.leader < 0 else p.leader
                state = _state(p.leader, preferred, p.isr, live)
                cells = (name, p.number, leader, preferred, p.replicas, p.isr, state)
                (rows[name, p.number],) = rows_of(COLUMNS, [cells])
        gone = (numbers or set()) - {p.number for p in topic.partitions}
        errors += [_no_partition(name, n) for n in sorted(gone)]
    return rows, errors


def _no_partition(topic: str, number: int) -> ItemError:
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ItemError(named((topic, number)), code.name, "there is no such partition", code)


def _state(leader: int, preferred: int, isr: Sequence[int], live: set[int]) -> str:
    if leader < 0:
        return NO_LEADER
    if leader == preferred:
        return ""
    if preferred not in live:
        return DOWN
    return ELSEWHERE if preferred in isr else BEHIND
