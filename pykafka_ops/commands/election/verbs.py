"""``pko leader-election preferred|unclean``: see who leads, then elect where it makes a change."""

from __future__ import annotations

from pykafka_ops.commands.election import asking
from pykafka_ops.commands.election.asking import named
from pykafka_ops.commands.election.election_file import read_file
from pykafka_ops.commands.election.listing import (
    COLUMNS,
    NO_LEADER,
    Wanted,
    of_pairs,
    partitions_of,
    wanted_of,
)
from pykafka_ops.commands.election.table import results_table
from pykafka_ops.commands.framework.context import Context
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.errors import UsageError


def preferred(ctx: Context) -> Table | None:
    """Elect the first replicas; both tongues start here."""
    if ctx.args.has("zookeeper"):
        from pykafka_ops.commands.election.zookeeper import elect as leave_a_wish

        return leave_a_wish(ctx)
    if ctx.args.flags:
        from pykafka_ops.commands.election.kafka import elect

        return elect(ctx)
    rows, errors = partitions_of(ctx, _wanted(ctx))
    doomed = [p for p, row in rows.items() if row["state"]]
    if ctx.args.has("dry-run"):
        shown = [rows[p] for p in doomed]
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors,
                     notes=["dry run: nothing was elected"])  # fmt: skip
    results = asking.elect(ctx, "PREFERRED", doomed) if doomed else {}
    notes = () if doomed else ("the preferred replicas lead already",)
    table = results_table("PREFERRED", results, notes)
    table.errors = (*errors, *table.errors)
    return table


def unclean(ctx: Context) -> Table:
    """Elect from outside the ISR, after a question, only where there is no leader."""
    wanted = _wanted(ctx)
    if bool(wanted) == ctx.args.has("all-topic-partitions"):
        raise UsageError("which partitions? name TOPIC[:N,N]... or give --all-topic-partitions")
    rows, errors = partitions_of(ctx, wanted)
    doomed = [p for p, row in rows.items() if row["state"] == NO_LEADER]
    if ctx.args.has("dry-run") or not doomed:
        shown = [rows[p] for p in doomed]
        dry = "dry run: nothing was elected" if doomed else "every partition meant has a leader"
        return Table("leaders-elsewhere", COLUMNS, shown, errors=errors, notes=[dry])
    question = "elect leaders outside of the ISR, losing what only the ISR has, for"
    if not ctx.confirm(question, [named(p) for p in doomed]):
        return Table("leader-election", COLUMNS, [], errors=errors, exit_code=1,
                     notes=["nothing was elected"])  # fmt: skip
    table = results_table("UNCLEAN", asking.elect(ctx, "UNCLEAN", doomed))
    table.errors = (*errors, *table.errors)
    return table


def _wanted(ctx: Context) -> Wanted:
    """What the words or the file mean; none: all."""
    args = ctx.args
    if not args.has("path-to-json-file"):
        return wanted_of(args.texts("topic"))
    if args.has("topic"):
        raise UsageError("either --path-to-json-file or TOPIC...")
    found = of_pairs(read_file(args.text("path-to-json-file") or ""))
    if not found:
        raise UsageError(f"{args.text('path-to-json-file')} names no partition")
    return found
