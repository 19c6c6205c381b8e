"""``pko groups seek``: the plan as a table, a question, the commit, and a way back."""

from __future__ import annotations

import sys
from typing import NoReturn

from pykafka_ops.analysis.offset_reset import Partition, moves
from pykafka_ops.client import seek_notes
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, describe_groups
from pykafka_ops.client.group_offsets import delete_offsets
from pykafka_ops.client.seeking import OffsetPlan, commit, committed_by
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table, write
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka import SCENARIOS, ScopeError
from pykafka_ops.commands.groups.reset_plan import Planner
from pykafka_ops.commands.groups.reset_rows import (
    COLUMNS,
    in_use,
    move_rows,
    plan_rows,
    say_clamped,
)
from pykafka_ops.errors import KafkaError, PkoError, UsageError


def seek(run: Run) -> Table | int:
    """Move one group; nothing happens while it has members or the answer is no."""
    args = run.args
    group = args.text("group") or ""
    cluster = select.cluster(run)
    exists = _check_idle(cluster, group)
    path = seek_notes.note_path(run.env, cluster.cluster_id, group)
    if args.has("undo"):
        if any(args.has(s) for s in SCENARIOS):
            raise UsageError("--undo goes back to the offsets before; give nothing else with it")
        return _undo(run, cluster, group, seek_notes.last(path, group))
    plan = _plan(run, cluster, group)
    if not plan.offsets:
        _nothing_to_move(cluster, group, exists=exists)
    say_clamped(plan, flags=False)
    rows = [r for r in plan_rows(group, plan) if r["current_offset"] != r["new_offset"]]
    table = Table("offset-resets", COLUMNS, rows)
    if not rows:
        run.note(f"pko: group {group} is there already")
        return table
    if args.has("dry-run"):
        return table
    if not _agreed(run, table, group, len(rows)):
        return 1
    changed = {p: o for p, o in plan.offsets.items() if plan.committed.get(p) != o}
    seek_notes.keep(path, seek_notes.SeekNote({p: plan.committed.get(p) for p in changed}, changed))
    errors = _commit(cluster, group, changed)
    run.note(f"pko: done; pko groups seek {group} --undo goes back")
    return Table(table.kind, COLUMNS, rows, errors=errors)


def _check_idle(cluster: Cluster, group: str) -> bool:
    """Whether the group exists; the cluster id is known afterwards. Raises KafkaError for a group
    that has members."""
    found = describe_groups(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    if found.state not in (EMPTY, DEAD):
        raise KafkaError(in_use(found).code, f"group {group}: {in_use(found).message}")
    return found.state != DEAD


def _plan(run: Run, cluster: Cluster, group: str) -> OffsetPlan:
    args = run.args
    if sum(args.has(s) for s in SCENARIOS) != 1:
        raise UsageError(f"where to? give one of {', '.join('--' + s for s in SCENARIOS)}")
    if not args.has("topic") and not args.has("from-file"):
        args.values["all-topics"] = []
    try:
        plan = Planner(cluster, args, [group]).plan(group)
    except ScopeError as error:
        raise UsageError(str(error)) from None
    if not plan.found:
        raise UsageError(f"--from-file: it does not name group {group}")
    return plan


def _nothing_to_move(cluster: Cluster, group: str, *, exists: bool) -> NoReturn:
    if not exists:
        (missing,) = select.missing_groups(cluster, [group])
        raise KafkaError(missing.code, missing.message)
    raise UsageError(f"group {group} has no committed offsets: name the topics with --topic")


def _agreed(run: Run, table: Table, group: str, count: int) -> bool:
    if sys.stdin.isatty() and not run.args.has("yes"):
        write(table, "table", flags=False, out=sys.stderr)
    return run.confirm(f"move {count} offsets of group", [group])


def _commit(cluster: Cluster, group: str, offsets: dict[Partition, int]) -> list[ItemError]:
    failed = commit(cluster, group, offsets)
    return [item_error(f"{t}-{p}", error) for (t, p), error in failed.items()]


def _undo(run: Run, cluster: Cluster, group: str, note: seek_notes.SeekNote) -> Table | int:
    """Back to where it was, unless somebody has committed since."""
    committed = committed_by(cluster, group)
    if any(committed.get(p) != o for p, o in note.after.items()):
        raise seek_notes.NothingToUndoError(
            f"group {group} has committed other offsets since: seek to what you want instead"
        )
    back = {p: o for p, o in note.before.items() if o is not None}
    gone = [p for p, o in note.before.items() if o is None]
    rows = move_rows(group, moves(back, committed))
    table = Table("offset-resets", COLUMNS, rows)
    if not _agreed(run, table, group, len(note.before)):
        return 1
    errors = _commit(cluster, group, back)
    if gone:
        removed = delete_offsets(cluster, group, gone)
        if isinstance(removed, PkoError):
            raise removed
        errors += [ItemError.of(f"{t}-{p}", e) for (t, p), e in removed.items() if e is not None]
    if not errors:
        seek_notes.forget(seek_notes.note_path(run.env, cluster.cluster_id, group))
    return Table(table.kind, COLUMNS, rows, errors=errors)
