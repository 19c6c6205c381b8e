"""``pko cluster unregister`` and kafka-cluster unregister."""

from __future__ import annotations

import sys

from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.members import unregister_broker
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

NO_UNREGISTER = "The target cluster does not support the broker unregistration API."


def unregister(run: Run) -> int:
    """Forget a broker of a KRaft cluster; exit code 1 in pko's form where that cannot be."""
    broker = run.args.number("id") or 0
    if not run.confirm("forget broker", [str(broker)]):
        return 1
    try:
        unregister_broker(
            run.cluster(), broker, of_controllers=run.args.has("bootstrap-controller")
        )
    except UnsupportedVersionError:
        if not run.args.flags:
            raise PkoError(f"{NO_UNREGISTER} A cluster on ZooKeeper forgets by itself.") from None
        sys.stdout.write(f"{NO_UNREGISTER}\n")
        return 0
    if run.args.flags:
        sys.stdout.write(f"Broker {broker} is no longer registered.\n")
    else:
        run.note(f"forgotten: broker {broker}")
    return 0
