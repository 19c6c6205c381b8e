"""``pko quorum remove-voter`` and kafka-metadata-quorum remove-controller."""

from __future__ import annotations

from pykafka_ops.client.quorum import remove_voter as remove
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.spoken import say
from pykafka_ops.errors import UsageError, WireError
from pykafka_ops.wire.types import parse_uuid


def remove_voter(run: Run) -> int:
    """Take the vote of a controller; with ``--dry-run`` only say so."""
    args = run.args
    controller = args.number("controller-id") or 0
    directory = args.text("controller-directory-id") or ""
    try:
        directory_id = parse_uuid(directory)
    except WireError:
        raise UsageError(
            f"--controller-directory-id {directory}: give 22 characters, as quorum replication does"
        ) from None
    what = f"KRaft controller {controller} with directory id {directory}"
    if args.has("dry-run"):
        say(run, f"DRY RUN of removing  {what}" if args.flags else f"would remove {what}")
        return 0
    if not run.confirm("take the vote of controller", [f"{controller} ({directory})"]):
        return 1
    cluster, to = enter(run)
    remove(cluster, controller, directory_id, to=to)
    say(run, f"Removed {what}" if args.flags else f"removed {what}")
    return 0
