"""``pko reassign-partitions rollback``: put replicas back to where they were before a plan."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import plan_file
from pykafka_ops.commands.reassign_partitions.facts import facts_of
from pykafka_ops.commands.reassign_partitions.limits import limit_of
from pykafka_ops.commands.reassign_partitions.moving import check, move, settled, stale_of
from pykafka_ops.commands.reassign_partitions.text import named
from pykafka_ops.errors import UsageError


def rollback(run: Run) -> Table:
    """Make the moves of the file backwards, those that were made."""
    path = run.args.text("reassignment-json-file") or ""
    limit = limit_of(run.args)
    plan = plan_file.read(path)
    before = plan.before
    if before is None:
        kept = plan_file.beside(path)
        if not os.path.exists(kept):
            raise UsageError(
                f"{path} does not tell what was before, and there is no {kept} that run has written"
            )
        before = plan_file.read(kept).after
    facts = facts_of(run.cluster())
    missing = [key for key in before if key not in plan.after]
    if missing:
        raise UsageError(
            f"{plan_file.beside(path)} is not of this plan: it has {named(missing[0])}"
        )
    check(run, plan, facts)
    facts = settled(run.cluster(), plan.after, before, facts)
    stale = stale_of(plan.after, before, facts)
    return move(run, {k: plan.after[k] for k in before}, before, facts, limit, stale)
