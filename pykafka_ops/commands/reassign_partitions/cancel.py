"""``--cancel``: stop the moves of a reassignment file, back to the replicas of before."""

from __future__ import annotations

from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document, log_dirs
from pykafka_ops.commands.reassign_partitions.execute import refused
from pykafka_ops.commands.reassign_partitions.text import (
    Partition,
    Talk,
    TerseError,
    item_lines,
    names_of,
    plural,
)
from pykafka_ops.commands.reassign_partitions.verify import clear_all

COLUMNS = (Column("topic"), Column("partition", right=True))


def cancel(run: Run) -> Table | None:
    """Cancel what moves, send replicas back to their directories, take the throttles away.

    Kafka's tool of 3.7 to 3.9 leaves moves that only add replicas running, and takes away their
    throttle; before it cancelled them, and so does this.
    """
    args = run.args
    wanted = document.wanted_of(document.read_file(args.text("reassignment-json-file") or ""))
    timeout_ms = args.number("timeout") or 0
    cluster, talk = run.cluster(), Talk(run)
    under_way = sorted(list_reassignments(cluster, wanted.replicas))
    errors = refused(cluster, dict.fromkeys(under_way)) if under_way else {}
    if errors:
        what = plural("partition reassignment", len(errors))
        raise TerseError(f"Error cancelling {what} for:\n{item_lines(errors)}")
    talk.say(_cancelled(under_way))
    moving = {
        key: state.dirs.current
        for key, state in log_dirs.states_of(cluster, wanted.dirs).items()
        if state.active and state.dirs.current is not None
    }
    if moving:
        log_dirs.start(cluster, moving, timeout_ms, talk)
    else:
        talk.say(
            "None of the specified partition moves are active.", end="" if args.flags else "\n"
        )
    if not args.has("preserve-throttles"):
        clear_all(cluster, wanted, talk)
    if talk.plain:
        return None
    rows = [{"topic": topic, "partition": number} for topic, number in under_way]
    return Table("cancelled-reassignments", COLUMNS, rows)


def _cancelled(partitions: list[Partition]) -> str:
    if not partitions:
        return "None of the specified partition reassignments are active."
    what = plural("partition reassignment", len(partitions))
    return f"Successfully cancelled {what} for: {names_of(partitions)}"
