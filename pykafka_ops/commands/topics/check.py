"""``pko topics check``: partitions in trouble."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.described import (
    COLUMNS,
    partition_row,
    wanted_topics,
    with_settings,
)


def check(run: Run) -> Table:
    """Partitions in trouble; exit code 4 where there are any."""
    found, errors = wanted_topics(run)
    live = set(run.cluster().brokers())
    rows = []
    for d in with_settings(run.cluster(), found, slim=True):
        parts = [partition_row(d, p, live) for p in d.topic.partitions]
        rows += [row for row in parts if row["problems"]]
    notes = [] if rows else [f"{counted(found, 'topic')}, no partition in trouble"]
    return Table(
        "topic-problems", COLUMNS, rows, errors=errors, notes=notes,
        exit_code=4 if rows else None,
    )  # fmt: skip
