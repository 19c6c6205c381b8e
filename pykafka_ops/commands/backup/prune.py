"""``pko backup prune``."""

from __future__ import annotations

import time

from pykafka_ops.analysis.counted import counted
from pykafka_ops.backup.prune import Prunable, PruneRules, prune
from pykafka_ops.commands.backup.place import opened
from pykafka_ops.commands.framework.output import PLACE, Cells, Column, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

_COLUMNS = (
    *PLACE,
    Column("life", wide=True, right=True),
    *numbers("segments", "first_offset", "last_offset"),
    Column("freed_bytes", "BYTES", right=True),
)


def prune_backup(run: Run) -> Table | int:
    """A row for each partition of which something goes."""
    store = opened(run)
    span = run.args.span("older-than")
    older = None if span is None else time.time_ns() // 1_000_000 - span
    rules = PruneRules(older, run.args.has("gone"), run.args.has("old-lives"))
    if rules == PruneRules(None, False, False):
        raise UsageError("what is to go? --older-than SPAN, --gone or --old-lives")
    wanted = prune(store, rules, dry_run=True)
    if not run.args.has("dry-run") and wanted:
        names = [f"{one.stored.topic}-{one.stored.partition}" for one in wanted]
        if not run.confirm("delete records from the backup of", names):
            return 1
        wanted = prune(store, rules, dry_run=False)
    rows = [_row(one) for one in wanted]
    size = sum(segment.size for one in wanted for segment in one.segments)
    goes = "would be" if run.args.has("dry-run") else "were"
    note = f"{size:,} bytes of {counted(wanted, 'partition')} {goes} given back"
    return Table("backup-pruned", _COLUMNS, rows, notes=[note])


def _row(one: Prunable) -> Cells:
    return {
        "topic": one.stored.topic,
        "partition": one.stored.partition,
        "life": one.stored.life,
        "segments": len(one.segments),
        "first_offset": one.segments[0].base,
        "last_offset": one.segments[-1].next - 1,
        "freed_bytes": sum(segment.size for segment in one.segments),
    }
