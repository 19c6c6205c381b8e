"""``pko leader-election preferred|unclean``: see who leads, then elect where it makes a change."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election import asking
from pykafka_ops.commands.leader_election.asking import named
from pykafka_ops.commands.leader_election.election_file import read_file
from pykafka_ops.commands.leader_election.listing import (
    COLUMNS,
    NO_LEADER,
    Wanted,
    of_pairs,
    partitions_of,
    wanted_of,
)
from pykafka_ops.commands.leader_election.table import results_table
from pykafka_ops.errors import UsageError


def preferred(run: Run) -> Table | None:
    """Elect the first replicas; both tongues start here."""
    if run.args.has("zookeeper"):
        from pykafka_ops.commands.leader_election.zookeeper import elect as leave_a_wish

        return leave_a_wish(run)
    if run.args.flags:
        from pykafka_ops.commands.leader_election.kafka_text import elect

        return elect(run)
    rows, errors = partitions_of(run, _wanted(run))
    doomed = [p for p, row in rows.items() if row["state"]]
    if run.args.has("dry-run"):
        shown = [rows[p] for p in doomed]
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors,
                     notes=["dry run: nothing was elected"])  # fmt: skip
    results = asking.elect(run, "PREFERRED", doomed) if doomed else {}
    notes = () if doomed else ("the preferred replicas lead already",)
    table = results_table("PREFERRED", results, notes)
    table.errors = (*errors, *table.errors)
    return table


def unclean(run: Run) -> Table:
    """Elect from outside the ISR, after a question, only where there is no leader."""
    wanted = _wanted(run)
    if bool(wanted) == run.args.has("all-topic-partitions"):
        raise UsageError("which partitions? name TOPIC[:N,N]... or give --all-topic-partitions")
    rows, errors = partitions_of(run, wanted)
    doomed = [p for p, row in rows.items() if row["state"] == NO_LEADER]
    if run.args.has("dry-run") or not doomed:
        shown = [rows[p] for p in doomed]
        dry = "dry run: nothing was elected" if doomed else "every partition meant has a leader"
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors, notes=[dry])
    question = "elect leaders outside of the ISR, losing what only the ISR has, for"
    if not run.confirm(question, [named(p) for p in doomed]):
        return Table("leader-election", COLUMNS, [], errors=errors, exit_code=1,
                     notes=["nothing was elected"])  # fmt: skip
    table = results_table("UNCLEAN", asking.elect(run, "UNCLEAN", doomed))
    table.errors = (*errors, *table.errors)
    return table


def _wanted(run: Run) -> Wanted:
    """What the words or the file mean; none: all."""
    args = run.args
    if not args.has("path-to-json-file"):
        return wanted_of(args.texts("topic"))
    if args.has("topic"):
        raise UsageError("either --path-to-json-file or TOPIC...")
    found = of_pairs(read_file(args.text("path-to-json-file") or ""))
    if not found:
        raise UsageError(f"{args.text('path-to-json-file')} names no partition")
    return found
