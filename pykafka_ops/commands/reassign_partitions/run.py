"""``pko reassign-partitions run``: make the moves of a file, a few at a time."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, plan_file
from pykafka_ops.commands.reassign_partitions.facts import ClusterFacts, facts_of
from pykafka_ops.commands.reassign_partitions.limits import limit_of
from pykafka_ops.commands.reassign_partitions.moving import check, gone_of, move, settled, stale_of
from pykafka_ops.commands.reassign_partitions.text import Partition, ReassignError


def run(run: Run) -> Table:
    """Make the moves of the file."""
    path = run.args.text("reassignment-json-file") or ""
    limit = limit_of(run.args)
    plan = plan_file.read(path)
    facts = facts_of(run.cluster())
    check(run, plan, facts)
    for error in gone_of(plan, facts):
        raise ReassignError(f"{error.item}: {error.message}; make a new plan")
    before, text, kept = plan.before, None, plan_file.beside(path)
    if before is None:
        before = _noted(kept, plan)
    if before is None:
        before = {key: _present(facts, key) for key in plan.after}
        cluster_id = run.cluster().cluster_id
        text = plan_file.text_of(plan.after, before, cluster_id, facts.ids)
    facts = settled(run.cluster(), before, plan.after, facts)
    stale = stale_of(before, plan.after, facts, "make a new plan")
    return move(run, before, plan.after, facts, limit, stale, note=(kept, text))


def _noted(kept: str, plan: plan_file.PlanFile) -> plan_file.Replicas | None:
    """What was before, as an earlier run noted it beside a file that does not say so."""
    if os.path.exists(kept):
        old = plan_file.read(kept).after
        if old.keys() == plan.after.keys():
            return old
        raise document.DocumentError(f"{kept} is of another plan: move it away")
    return None


def _present(facts: ClusterFacts, key: Partition) -> tuple[int, ...]:
    """Replicas of a partition; without those that a move under way adds."""
    moving = facts.moving.get(key)
    replicas = facts.partitions[key].replicas
    return tuple(i for i in replicas if moving is None or i not in moving.adding)
