"""``pko cluster start``."""

from __future__ import annotations

import time
from collections.abc import Mapping

from pykafka_ops.commands.cluster.processes import command, directory, states, table
from pykafka_ops.commands.configs.known import BROKERS, say_near
from pykafka_ops.commands.framework.output import Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.local.cluster import LocalCluster
from pykafka_ops.settings.broker_own import METRICS_LISTEN


def start(run: Run) -> Table:
    """Start what does not run of it, and wait until all know each other."""
    began = time.monotonic()
    given = run.args.pairs("override")
    say_near(BROKERS, given)
    settings = {METRICS_LISTEN: "127.0.0.1:0"} | given
    cluster = LocalCluster(
        directory(run.args), run.args.number("brokers"), settings, secure=run.args.has("secure")
    )
    before = sum(state["state"] == "running" for state in states(cluster))
    ports = {broker.what: broker.port for broker in cluster.brokers}
    try:
        cluster.start()
    except KeyboardInterrupt:
        run.note(f"what was started goes on; {command('stop', cluster)} ends it")
        raise
    took = time.monotonic() - began
    ready = "runs already" if before == len(cluster.brokers) + 1 else f"ready in {took:.1f} s"
    return table(
        cluster,
        notes=[
            *_moved(cluster, ports),
            f"{counted(cluster.brokers, 'broker')} and ZooKeeper in {cluster.directory}: {ready}",
            f"export PKO_BOOTSTRAP_SERVER={cluster.bootstrap_servers}",
            *_way_in(cluster),
        ],
    )


def _moved(cluster: LocalCluster, ports: Mapping[str, int]) -> list[str]:
    """A line for each broker whose address of before was taken."""
    return [
        f"{broker.what}: port {ports[broker.what]} is taken, it listens on {broker.port} now"
        for broker in cluster.brokers
        if ports[broker.what] not in (0, broker.port)
    ]


def _way_in(cluster: LocalCluster) -> list[str]:
    """How its owner gets in, where not everybody does."""
    if cluster.setup is None:
        return []
    return [f"export PKO_COMMAND_CONFIG={cluster.setup.client_file}"]
