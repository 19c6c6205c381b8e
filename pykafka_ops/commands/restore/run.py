"""``pko restore``."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.backup.chain import StoredPartition, total_of
from pykafka_ops.backup.restore.check import Compared
from pykafka_ops.backup.restore.look import look
from pykafka_ops.backup.restore.plan import (
    CONFLICT,
    RestorePlan,
    RestoreWishes,
    TopicRestore,
    make_plan,
)
from pykafka_ops.backup.restore.run import Restore, group_of
from pykafka_ops.commands.backup.place import chain_at, opened, topics_meant
from pykafka_ops.commands.backup.run import kept_text, meant
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table, numbers
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.renaming import renaming
from pykafka_ops.commands.framework.run import Run

_COLUMNS = (
    Column("topic"),
    Column("target"),
    *numbers("partitions"),
    Column("replication_factor", "REPLICAS", right=True),
    *numbers("records"),
    Column("stored_bytes", "BYTES", right=True),
    Column("state", bad=lambda value: value in ("conflict", "differs", "failed")),
)


def restore(run: Run) -> Table:
    """A row for each topic, with what became of it."""
    store = opened(run)
    chain = chain_at(run, store)
    topics, errors = topics_meant(run, chain)
    cluster = run.cluster()
    newest = chain.newest
    assert newest is not None
    wishes = _wishes(run, topics)
    names = [wishes.named(topic) for topic in topics]
    plan = make_plan(chain, wishes, look(cluster, names, group_of(newest.cluster_id)))
    errors += [ItemError(one.topic.name, "CONFLICT", one.why) for one in _conflicts(plan)]
    errors += [ItemError(f"group {g.group.id}", "IN_USE", g.why) for g in plan.groups if g.why]
    stored = chain.by_topic()
    if run.args.has("dry-run"):
        rows = [_row(one, stored.get(one.topic.name, []), one.action) for one in plan.topics]
        return Table("restore", _COLUMNS, rows, errors=errors, notes=_planned(plan))
    with ProgressBar(0, "restored", unit="offsets") as bar:
        done = Restore(store, chain, plan, cluster).run(
            check=not run.args.has("no-check"),
            bytes_per_second=run.args.size("limit") or 0,
            progress=bar.reach,
        )
    errors += [ItemError("restore", "FAILED", text) for text in done.problems]
    errors += [_differs(one) for one in done.compared if one.problem is not None]
    states = _states(plan, done.compared)
    rows = [_row(one, stored.get(one.topic.name, []), states[one.target]) for one in plan.topics]
    checked = sum(1 for one in done.compared if one.problem is None)
    written = [one for one in plan.groups if not one.why]
    notes = [
        f"{done.records:,} records written, "
        f"{kept_text(plan.restored, written, plan.rules, plan.quotas)}",
        *plan.notes,
    ]
    if done.compared:
        notes[1:1] = [f"{checked} of {len(done.compared)} partitions hold what the backup holds"]
    return Table("restore", _COLUMNS, rows, errors=errors, notes=notes)


def _wishes(run: Run, topics: list[str]) -> RestoreWishes:
    words = run.args.given("group")
    rest = not run.args.has("topics-only")
    group: Callable[[str], bool] = (
        meant(words, run.args.has("regex")) if words else lambda name: rest
    )
    copies = run.args.number("replication-factor") or 0
    return RestoreWishes(topics, renaming(run.args), group, copies, rest)


def _conflicts(plan: RestorePlan) -> list[TopicRestore]:
    return [one for one in plan.topics if one.action == CONFLICT]


def _planned(plan: RestorePlan) -> list[str]:
    groups = [one for one in plan.groups if not one.why]
    return [
        f"nothing was changed; a restore of run {plan.run.number} writes "
        f"{kept_text(plan.restored, groups, plan.rules, plan.quotas)}",
        *plan.notes,
    ]


def _states(plan: RestorePlan, compared: list[Compared]) -> dict[str, str]:
    states = {
        one.target: "conflict" if one.action == CONFLICT else "restored" for one in plan.topics
    }
    for found in compared:
        topic = found.target[0]
        if found.problem is not None:
            states[topic] = "differs"
        elif states[topic] == "restored":
            states[topic] = "compared"
    return states


def _differs(one: Compared) -> ItemError:
    return ItemError(f"{one.target[0]}-{one.target[1]}", "DIFFERS", one.problem or "")


def _row(one: TopicRestore, stored: list[StoredPartition], state: str) -> Cells:
    return {
        "topic": one.topic.name,
        "target": one.target,
        "partitions": one.topic.partitions,
        "replication_factor": one.replication_factor,
        "records": total_of(p.records for p in stored),
        "stored_bytes": sum(p.size for p in stored),
        "state": state,
    }
