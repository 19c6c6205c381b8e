"""``pko leader-election preferred``: elect the first replicas where it makes a change."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election.partitions import (
    COLUMNS,
    elect,
    partitions_of,
    results_table,
    wanted,
)


def preferred(run: Run) -> Table | None:
    """Elect the first replicas; both forms start here."""
    if run.args.has("zookeeper"):
        from pykafka_ops.commands.leader_election.zookeeper import elect as leave_a_wish

        return leave_a_wish(run)
    if run.args.flags:
        from pykafka_ops.commands.leader_election.kafka_text import elect as elect_as_kafka

        return elect_as_kafka(run)
    rows, errors = partitions_of(run, wanted(run))
    doomed = [p for p, row in rows.items() if row["state"]]
    if run.args.has("dry-run"):
        shown = [rows[p] for p in doomed]
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors,
                     notes=["dry run: nothing was elected"])  # fmt: skip
    results = elect(run, "PREFERRED", doomed) if doomed else {}
    notes = () if doomed or errors else ("the preferred replicas lead already",)
    return results_table("PREFERRED", results, errors, notes)
