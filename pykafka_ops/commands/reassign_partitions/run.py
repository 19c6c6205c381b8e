"""``pko reassign-partitions run``: make the moves of a file, a few at a time."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, plan_file
from pykafka_ops.commands.reassign_partitions.facts import ClusterFacts, facts_of
from pykafka_ops.commands.reassign_partitions.limits import limit_of
from pykafka_ops.commands.reassign_partitions.moving import check, move, settled, stale_of
from pykafka_ops.commands.reassign_partitions.text import Partition


def run(run: Run) -> Table:
    """Make the moves of the file."""
    path = run.args.text("reassignment-json-file") or ""
    limit = limit_of(run.args)
    plan = plan_file.read(path)
    facts = facts_of(run.cluster())
    check(run, plan, facts)
    before = plan.before
    if before is None:
        before = _kept(run, path, plan, facts)
    facts = settled(run.cluster(), before, plan.after, facts)
    stale = stale_of(before, plan.after, facts)
    return move(run, before, plan.after, facts, limit, stale)


def _kept(run: Run, path: str, plan: plan_file.PlanFile, facts: ClusterFacts) -> plan_file.Replicas:
    """What was before, of a file that does not say so: kept beside it for rollback."""
    kept = plan_file.beside(path)
    if os.path.exists(kept):
        old = plan_file.read(kept).after
        if old.keys() == plan.after.keys():
            return old
        raise document.DocumentError(f"{kept} is of another plan: move it away")
    before = {key: _present(facts, key) for key in plan.after}
    plan_file.write(kept, plan_file.text_of(plan.after, before, run.cluster().cluster_id))
    return before


def _present(facts: ClusterFacts, key: Partition) -> tuple[int, ...]:
    """Replicas of a partition; without those that a move under way adds."""
    moving = facts.moving.get(key)
    replicas = facts.partitions[key].replicas
    return tuple(i for i in replicas if moving is None or i not in moving.adding)
