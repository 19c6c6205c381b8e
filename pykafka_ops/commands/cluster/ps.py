"""``pko cluster ps``."""

from __future__ import annotations

from pykafka_ops.commands.cluster.processes import existing, table
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run


def processes(run: Run) -> Table:
    """A row for each process; exit code 4 unless all run."""
    return table(existing(run.args))
