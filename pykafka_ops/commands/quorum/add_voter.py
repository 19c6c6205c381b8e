"""``pko quorum add-voter`` and kafka-metadata-quorum add-controller."""

from __future__ import annotations

from pykafka_ops.client.quorum import QuorumEndpoint
from pykafka_ops.client.quorum import add_voter as add
from pykafka_ops.commands.framework.controllers import enter
from pykafka_ops.commands.framework.profile import read_properties
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.quorum.controller_file import controller_to_add
from pykafka_ops.commands.quorum.spoken import say
from pykafka_ops.errors import UsageError
from pykafka_ops.wire.types import parse_uuid

_WITHOUT_FILE = (
    "You must supply the configuration file of the controller you are adding when using "
    "add-controller."
)


def add_voter(run: Run) -> int:
    """Give a vote to the controller of a properties file; with ``--dry-run`` only say so."""
    args = run.args
    path = args.text("controller-properties") or args.text("command-config")
    if path is None:
        raise UsageError(_WITHOUT_FILE if args.flags else "which controller? give its properties")
    found = controller_to_add(read_properties(path))
    places = ", ".join(map(_place, found.endpoints))
    what = f"controller {found.id} with directory id {found.directory} and endpoints: {places}"
    if args.has("dry-run"):
        say(run, f"DRY RUN of adding {what}" if args.flags else f"would add {what}")
        return 0
    if not run.confirm("give a vote to controller", [f"{found.id} ({found.directory}), {places}"]):
        return 1
    cluster, to = enter(run)
    add(cluster, found.id, parse_uuid(found.directory), found.endpoints, to=to)
    say(run, f"Added {what}" if args.flags else f"added {what}")
    return 0


def _place(endpoint: QuorumEndpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{endpoint.listener}://{host}:{endpoint.port}"
