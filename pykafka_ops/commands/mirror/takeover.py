"""``pko mirror takeover``: a link goes on where a stopped MirrorMaker 2 was."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.mirror.moving import Move, moved, the_link
from pykafka_ops.mirror.failover.checks import MoveStep
from pykafka_ops.mirror.mm2.takeover import TakenPartition, begin, checks_of, look
from pykafka_ops.mirror.run.clients import at
from pykafka_ops.mirror.run.worker import now_ms


def takeover(run: Run) -> Table | int:
    """Check, show the plan, ask, give the link its positions and its map."""
    one = the_link(run)
    try:
        with at(one.link.source):
            one.source.metadata([])
        with at(one.link.target):
            one.target.metadata([])
        found = look(
            one.link,
            one.source,
            one.target,
            offsets_topic=run.args.text("offsets-topic"),
            still_seconds=(run.args.span("still") or 0) / 1000,
        )
        move = Move(
            f"take over from MirrorMaker 2, which must stay stopped, with {one.link.name}",
            checks_of(found),
            [_step(part) for part in found.partitions],
            lambda: begin(found, one.target, now_ms()),
            "pko mirror run goes on from there",
        )
        return moved(run, one.link, move)
    finally:
        one.source.close()
        one.target.close()


def _step(part: TakenPartition) -> MoveStep:
    how = f"from offset {part.position} on"
    if part.position > part.said:
        how += f" ({part.position - part.said} more were copied than noted)"
    if part.known_from >= 0:
        how += f", groups are exact from {part.known_from} on"
    return MoveStep("take", f"{part.source[0]}-{part.source[1]}", how)
