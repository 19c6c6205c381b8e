"""``pko mirror failback``: a link is made ready that brings back what came after a failover."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.moving import Move, moved, the_link
from pykafka_ops.mirror.failover.failback import back_checks, back_steps, fail_back, look_back
from pykafka_ops.mirror.run.clients import at
from pykafka_ops.mirror.run.worker import now_ms
from pykafka_ops.mirror.settings.model import IDENTITY


def failback(run: Run) -> Table | int:
    """Check, show the plan, ask, give the link its positions and its map."""
    one = the_link(run)
    link = one.link
    try:
        with at(link.source):
            one.source.metadata([])
        with at(link.target):
            one.target.metadata([])
        facts = look_back(link, one.source, one.target)
        after = f"start consumers at {link.target}, which read on in their old topics"
        if link.naming == IDENTITY:
            after = (
                f"pko mirror run brings the records of {link.source}; "
                f"then pko mirror failover --link '{link.name}'"
            )
        move = Move(
            f"make {link.name} bring the work back to {link.target}",
            back_checks(facts),
            back_steps(facts),
            lambda: fail_back(facts, one.target, now_ms()),
            after,
        )
        return moved(run, link, move)
    finally:
        one.source.close()
        one.target.close()
