"""``pko leader-election unclean``: elect from outside the ISR where nobody leads."""

from __future__ import annotations

from pykafka_ops.analysis.elections import NO_LEADER
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election.partitions import (
    COLUMNS,
    elect,
    named,
    partitions_of,
    results_table,
    wanted,
)
from pykafka_ops.errors import UsageError


def unclean(run: Run) -> Table:
    """Elect from outside the ISR, after a question, only where there is no leader."""
    meant = wanted(run)
    if bool(meant) == run.args.has("all-topic-partitions"):
        raise UsageError("which partitions? name TOPIC[:N,N]... or give --all-topic-partitions")
    rows, errors = partitions_of(run, meant)
    doomed = [p for p, row in rows.items() if row["state"] == NO_LEADER]
    if run.args.has("dry-run") or not doomed:
        shown = [rows[p] for p in doomed]
        dry = "dry run: nothing was elected" if doomed else "every partition meant has a leader"
        notes = [dry] if rows else []
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors, notes=notes)
    question = "elect leaders outside of the ISR, losing what only the ISR has, for"
    if not run.confirm(question, [named(p) for p in doomed]):
        return Table("leader-election", COLUMNS, [], errors=errors, exit_code=1,
                     notes=["nothing was elected"])  # fmt: skip
    return results_table("UNCLEAN", elect(run, "UNCLEAN", doomed), errors)
