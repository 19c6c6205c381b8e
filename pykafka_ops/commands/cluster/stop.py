"""``pko cluster stop``."""

from __future__ import annotations

from pykafka_ops.commands.cluster.processes import existing
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError


def stop(run: Run) -> int:
    """Stop the brokers one after the other, then ZooKeeper; or one broker alone."""
    cluster = existing(run.args)
    number = run.args.number("id")
    if number is not None:
        broker = cluster.broker(number)
        if broker.stop() is None:
            raise PkoError(f"broker {number} of {cluster.directory} does not run")
        run.note(f"broker {number} stopped")
        return 0
    stopped = cluster.stop()
    if not stopped:
        raise PkoError(f"nothing runs in {cluster.directory}")
    run.note(f"{stopped} process{'' if stopped == 1 else 'es'} in {cluster.directory} stopped")
    return 0
