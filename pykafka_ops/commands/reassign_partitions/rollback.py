"""``pko reassign-partitions rollback``: put replicas back to where they were before a plan."""

from __future__ import annotations

import os

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import plan_file
from pykafka_ops.commands.reassign_partitions.facts import facts_of
from pykafka_ops.commands.reassign_partitions.limits import limit_of
from pykafka_ops.commands.reassign_partitions.moving import check, gone_of, move, settled, stale_of
from pykafka_ops.commands.reassign_partitions.text import named
from pykafka_ops.errors import UsageError


def rollback(run: Run) -> Table:
    """Make the moves of the file backwards, those that were made."""
    path = run.args.text("reassignment-json-file") or ""
    limit = limit_of(run.args)
    plan = plan_file.read(path)
    before, topics = plan.before, plan.topics
    if before is None:
        kept = plan_file.beside(path)
        if not os.path.exists(kept):
            raise UsageError(
                f"{path} does not say what was before, and there is no {kept} that run has written"
            )
        noted = plan_file.read(kept)
        before, topics = noted.after, noted.topics
    facts = facts_of(run.cluster())
    missing = [key for key in before if key not in plan.after]
    if missing:
        raise UsageError(
            f"{plan_file.beside(path)} is not of this plan: it has {named(missing[0])}"
        )
    check(run, plan, facts)
    gone = gone_of(plan._replace(topics=topics), facts)
    left = {error.item for error in gone}
    before = {key: ids for key, ids in before.items() if named(key) not in left}
    now = {key: plan.after[key] for key in before}
    facts = settled(run.cluster(), now, before, facts)
    stale = stale_of(now, before, facts, "it is left there")
    return move(run, now, before, facts, limit, [*gone, *stale])
