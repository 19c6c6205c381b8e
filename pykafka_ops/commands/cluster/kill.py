"""``pko cluster kill``."""

from __future__ import annotations

from pykafka_ops.commands.cluster.processes import command, existing
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError


def kill(run: Run) -> int:
    """kill -9 of one broker, to see what the others and the clients do."""
    cluster = existing(run.args)
    number = run.args.number("id")
    broker = cluster.broker(-1 if number is None else number)
    if broker.pid is None:
        raise PkoError(f"broker {number} of {cluster.directory} does not run")
    broker.kill()
    run.note(f"broker {number} killed; {command('start', cluster)} starts it again")
    return 0
