"""``pko groups seek``: the plan as a table, a question, the commit, and a way back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from pykafka_ops.analysis.offset_reset import Partition, moves
from pykafka_ops.client import seek_notes
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import (
    DEAD,
    EMPTY,
    SHARE,
    GroupDescription,
    describe_groups,
)
from pykafka_ops.client.group_offsets import delete_offsets
from pykafka_ops.client.seeking import OffsetPlan, commit, committed_by, share_starts
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table, counted, write
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

NO_WAY_BACK = "it had no start before: delete-offsets forgets whole topics of a share group"


def seek(run: Run) -> Table | int:
    """Move one group; nothing happens while it has members or the answer is no."""
    args = run.args
    group = args.text("group") or ""
    cluster = select.cluster(run)
    found = _check_idle(cluster, group)
    shared = found.type == SHARE
    path = seek_notes.note_path(run.env, cluster.cluster_id, group)
    if args.has("undo"):
        if any(args.has(s) for s in SCENARIOS):
            raise UsageError("--undo goes back to the offsets before; give nothing else with it")
        return _undo(run, cluster, found, path)
    plan = _plan(run, cluster, found)
    if not plan.offsets:
        _nothing_to_move(cluster, group, exists=found.state != DEAD)
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
    seek_notes.keep(path, _note(plan, changed))
    failed = commit(cluster, group, changed, shared=shared)
    moved = {p: o for p, o in changed.items() if p not in failed}
    if failed:
        _note_failures(path, plan, moved)
    if moved:
        some = f" but for {counted(list(failed), 'partition')}" if failed else ""
        run.note(f"pko: done{some}; pko groups seek {group} --undo goes back")
    rows = [r for r in rows if (r["topic"], r["partition"]) in moved]
    return Table(table.kind, COLUMNS, rows, errors=_errors(failed))


def _note(plan: OffsetPlan, moved: dict[Partition, int]) -> seek_notes.SeekNote:
    return seek_notes.SeekNote({p: plan.committed.get(p) for p in moved}, moved)


def _note_failures(path: Path, plan: OffsetPlan, moved: dict[Partition, int]) -> None:
    """Only what was moved can be taken back."""
    if moved:
        seek_notes.keep(path, _note(plan, moved))
    else:
        seek_notes.forget(path)


def _check_idle(cluster: Cluster, group: str) -> GroupDescription:
    """The group, in state Dead where it does not exist; the cluster id is known afterwards. Raises
    KafkaError for a group that has members."""
    found = describe_groups(cluster, [group], every_kind=True)[group]
    if isinstance(found, PkoError):
        raise found
    if found.state not in (EMPTY, DEAD):
        raise KafkaError(in_use(found).code, f"group {group}: {in_use(found).message}")
    return found


def _plan(run: Run, cluster: Cluster, found: GroupDescription) -> OffsetPlan:
    args, group = run.args, found.id
    if sum(args.has(s) for s in SCENARIOS) != 1:
        raise UsageError(f"where to? give one of {', '.join('--' + s for s in SCENARIOS)}")
    if not args.has("topic") and not args.has("from-file"):
        args.values["all-topics"] = []
    try:
        shared = [group] if found.type == SHARE else []
        plan = Planner(cluster, args, [group], shared).plan(group)
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


def _known(starts: Mapping[Partition, int | None]) -> dict[Partition, int]:
    return {p: offset for p, offset in starts.items() if offset is not None}


def _errors(failed: Mapping[Partition, PkoError | None]) -> list[ItemError]:
    return [item_error(f"{t}-{p}", error) for (t, p), error in failed.items() if error is not None]


def _undo(run: Run, cluster: Cluster, found: GroupDescription, path: Path) -> Table | int:
    """Back to where it was, unless somebody has committed since."""
    group, shared = found.id, found.type == SHARE
    note = seek_notes.last(path, group)
    committed = _known(share_starts(cluster, group)) if shared else committed_by(cluster, group)
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
    errors = _errors(commit(cluster, group, back, shared=shared))
    if gone and shared:
        errors += [ItemError(f"{t}-{p}", "NO_WAY_BACK", NO_WAY_BACK) for t, p in gone]
    elif gone:
        removed = delete_offsets(cluster, group, gone)
        if isinstance(removed, PkoError):
            raise removed
        errors += _errors(removed)
    if not errors:
        seek_notes.forget(path)
    return Table(table.kind, COLUMNS, rows, errors=errors)
