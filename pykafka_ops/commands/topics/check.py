"""``pko topics check``: partitions in trouble."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table, counted
from pykafka_ops.commands.framework.run import MAY_SEE, Run
from pykafka_ops.commands.topics import described


def check(run: Run) -> Table:
    """Partitions in trouble; exit code 4 where there are any."""
    found, errors = described.wanted_topics(run)
    live = set(run.cluster().brokers())
    rows = []
    for d in described.with_settings(run.cluster(), found, slim=True):
        parts = [described.partition_row(d, p, live) for p in d.topic.partitions]
        rows += [row for row in parts if row["problems"]]
    seen = MAY_SEE if run.is_known and not found else ""
    notes = [] if rows or errors else [f"{counted(found, 'topic')}{seen}, no partition in trouble"]
    return Table(
        "topic-problems", described.COLUMNS, rows, errors=errors, notes=notes,
        exit_code=4 if rows else None,
    )  # fmt: skip
