"""``pko leader-election list``."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election.partitions import COLUMNS, partitions_of, wanted_of


def list_partitions(run: Run) -> Table:
    """The partitions that the preferred replica does not lead."""
    rows, errors = partitions_of(run, wanted_of(run.args.texts("topic")))
    shown = [row for row in rows.values() if row["state"]]
    return Table("leaders-elsewhere", COLUMNS, shown, errors=errors)
