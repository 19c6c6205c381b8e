"""``reassign-partitions list`` and ``--list``: the moves under way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client.reassignments import Reassignment, list_reassignments
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions.text import Partition, joined, named

COLUMNS = (
    Column("topic"),
    Column("partition", right=True),
    Column("replicas"),
    Column("adding"),
    Column("removing"),
)


def list_moves(run: Run) -> Table:
    """Every move under way, by topic and partition."""
    found = list_reassignments(run.cluster())
    return Table("reassignments", COLUMNS, rows_of(found), kafka=_kafka_text(found))


def rows_of(moves: Mapping[Partition, Reassignment]) -> list[dict[str, object]]:
    """A row of COLUMNS for each."""
    return [
        {"topic": topic, "partition": number, **move._asdict()}
        for (topic, number), move in sorted(moves.items())
    ]


def _kafka_text(found: Mapping[Partition, Reassignment]) -> Iterator[str]:
    if not found:
        yield "No partition reassignments found.\n"
        return
    yield "Current partition reassignments:\n"
    for partition, move in sorted(found.items()):
        adding = f" adding: {joined(move.adding)}." if move.adding else ""
        removing = f" removing: {joined(move.removing)}." if move.removing else ""
        yield f"{named(partition)}: replicas: {joined(move.replicas)}.{adding}{removing}\n"
