"""Whom to ask: brokers, or the controllers that the command line names."""

from __future__ import annotations

from pykafka_ops.client.cluster import ANY, CONTROLLER, Cluster
from pykafka_ops.client.members import go_by_controllers
from pykafka_ops.commands.framework.run import Run


def enter(run: Run) -> tuple[Cluster, int]:
    """The cluster, and ANY broker or the active one of ``--bootstrap-controller``."""
    cluster = run.cluster()
    if not run.args.has("bootstrap-controller"):
        return cluster, ANY
    go_by_controllers(cluster)
    return cluster, CONTROLLER
