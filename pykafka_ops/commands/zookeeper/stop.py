"""``pko zookeeper stop``."""

from __future__ import annotations

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.process import zookeeper_of
from pykafka_ops.errors import PkoError


def stop(run: Run) -> int:
    """Stop the ZooKeeper of a directory, and wait until it has."""
    zookeeper = zookeeper_of(run.args)
    pid = zookeeper.stop()
    if pid is None:
        raise PkoError(f"no ZooKeeper runs on {zookeeper.directory}")
    run.note(f"zookeeper (pid {pid}) stopped")
    return 0
