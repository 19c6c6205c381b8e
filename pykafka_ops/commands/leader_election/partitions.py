"""The partitions that are meant, who leads them, what an election would change, and did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.analysis.elections import NO_LEADER, preferred_state
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import PREFERRED, UNCLEAN, elect_leaders
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.absent import no_partition
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topics, partitions_by_topic
from pykafka_ops.commands.leader_election.election_file import read_file
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

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
        for topic, numbers in partitions_by_topic(words).items()
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
    errors = missing_topics(answering, [name for name in meant if name not in topics], topics)
    rows: dict[Partition, Row] = {}
    for name, topic in topics.items():
        numbers = meant.get(name) if meant else None
        if meant and name not in meant:
            continue
        for p in topic.partitions:
            if numbers is None or p.number in numbers:
                preferred = p.replicas[0] if p.replicas else -1
                leader = None if p.leader < 0 else p.leader
                state = preferred_state(p.leader, preferred, p.isr, live)
                cells = (name, p.number, leader, preferred, p.replicas, p.isr, state)
                (rows[name, p.number],) = rows_of(COLUMNS, [cells])
        gone = (numbers or set()) - {p.number for p in topic.partitions}
        count = len(topic.partitions)
        errors += [
            ItemError.of(named((name, n)), no_partition(name, n, count)) for n in sorted(gone)
        ]
    return rows, errors


# --- elections -----------------------------------------------------------------------------------

API_SECONDS = 30.0
REQUEST_SECONDS = 15.0
KINDS = {"PREFERRED": PREFERRED, "UNCLEAN": UNCLEAN}
Results = dict[Partition, KafkaError | None]
RESULTS = (*PLACE, Column("election"), Column("result", bad=lambda value: value == "failed"))
ELECTED, IDLE, FAILED = "elected", "not needed", "failed"


def cluster(run: Run) -> Cluster:
    """The cluster; unless the user sets them, a call takes 30 s at most and a request 15 s."""
    made = run.cluster()
    given = run.properties()
    if "request.timeout.ms" not in given:
        made.config.request_timeout = REQUEST_SECONDS
    if "default.api.timeout.ms" not in given:
        made.config.api_timeout = API_SECONDS
        made.config.patience = min(made.config.patience, API_SECONDS)
    return made


def elect(run: Run, kind: str, partitions: Iterable[Partition] | None) -> Results:
    """Elect; per partition None or its error. KafkaError, CallTimeoutError."""
    return elect_leaders(cluster(run), KINDS[kind], partitions)


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"


def results_table(
    kind: str, results: Results, errors: Iterable[ItemError] = (), notes: Sequence[str] = ()
) -> Table:
    """A row per partition; what failed is an error as well, behind ``errors``."""
    rows, failed = [], [*errors]
    for (topic, index), error in sorted(results.items()):
        state = ELECTED
        if error is not None and error.code == ErrorCode.ELECTION_NOT_NEEDED:
            state = IDLE
        elif error is not None:
            state = FAILED
            failed.append(item_error(named((topic, index)), error))
        rows.append((topic, index, kind.lower(), state))
    return Table("leader-election", RESULTS, rows_of(RESULTS, rows), errors=failed, notes=notes)
