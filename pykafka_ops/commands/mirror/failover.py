"""``pko mirror failover``: the work moves to the target of a link."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.moving import Move, MovedLink, moved, the_link
from pykafka_ops.mirror.failover.checks import checks_of, steps_of
from pykafka_ops.mirror.failover.facts import LinkFacts, look, look_without_source
from pykafka_ops.mirror.failover.failover import fail_over
from pykafka_ops.mirror.naming import Naming
from pykafka_ops.mirror.run.clients import at
from pykafka_ops.mirror.run.worker import now_ms


def failover(run: Run) -> Table | int:
    """Check, show the plan, ask, move."""
    one = the_link(run)
    seconds = (run.args.span("still") or 0) / 1000
    lost = run.args.has("source-lost")
    try:
        facts = _facts(one, seconds, lost=lost)
        move = Move(
            f"move the work from {one.link.source} to {one.link.target}",
            checks_of(facts, seconds),
            steps_of(facts),
            lambda: fail_over(facts, None if lost else one.source, one.target, now_ms()),
            _after(facts),
        )
        return moved(run, one.link, move)
    finally:
        one.source.close()
        one.target.close()


def _facts(one: MovedLink, seconds: float, *, lost: bool) -> LinkFacts:
    if lost:
        with at(one.link.target):
            return look_without_source(one.link, one.target)
    with at(one.link.source):
        one.source.metadata([])
    with at(one.link.target):
        one.target.metadata([])
    return look(one.link, one.source, one.target, still_seconds=seconds)


def _after(facts: LinkFacts) -> str:
    link = facts.link
    name = Naming.of(link).target_topic("orders")
    topics = "topics have the same names" if name == "orders" else f"orders is {name} there"
    return f"start producers and consumers at {link.target}, where {topics}"
