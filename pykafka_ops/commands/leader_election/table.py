"""What came of an election, as rows."""

from __future__ import annotations

from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.leader_election.asking import Results, named
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (
    Column("topic"),
    Column("partition", right=True),
    Column("election"),
    Column("result", bad=lambda value: value == "failed"),
)
ELECTED, IDLE, FAILED = "elected", "not needed", "failed"


def results_table(kind: str, results: Results, notes: tuple[str, ...] = ()) -> Table:
    """A row per partition; what failed is an error as well."""
    rows = []
    errors = []
    for (topic, index), error in sorted(results.items()):
        state = ELECTED
        if error is not None and error.code == ErrorCode.ELECTION_NOT_NEEDED:
            state = IDLE
        elif error is not None:
            state = FAILED
            errors.append(item_error(named((topic, index)), error))
        rows.append({"topic": topic, "partition": index, "election": kind.lower(), "result": state})
    return Table("leader-election", COLUMNS, rows, errors=errors, notes=notes)
