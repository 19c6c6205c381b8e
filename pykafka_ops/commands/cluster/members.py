"""``pko cluster id|brokers|unregister``, kafka-cluster's cluster-id, list-endpoints, unregister."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.members import (
    BROKERS,
    CONTROLLERS,
    Members,
    describe_members,
    unregister_broker,
)
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

COLUMNS = (
    Column("id", right=True),
    Column("host"),
    Column("port", right=True),
    Column("rack"),
    Column("controller", optional=True),
)
NO_ID = "No cluster ID found. The Kafka version is probably too old."
NO_UNREGISTER = "The target cluster does not support the broker unregistration API."


def _members(run: Run) -> Members:
    controllers = run.args.has("bootstrap-controller")
    return describe_members(run.cluster(), endpoints=CONTROLLERS if controllers else BROKERS)


def cluster_id(run: Run) -> Table:
    """The cluster's id, and which node says so."""
    found = _members(run).cluster_id
    said = f"Cluster ID: {found}" if found else NO_ID
    rows = [{"cluster_id": found}] if found else []
    errors: list[str] = [] if found or run.args.flags else [NO_ID]
    return Table("cluster-id", (Column("cluster_id"),), rows, kafka=[f"{said}\n"], notes=errors,
                 exit_code=0 if found or run.args.flags else 1)  # fmt: skip


def brokers(run: Run) -> Table:
    """The live brokers, or the controllers where those were named."""
    members = _members(run)
    rows: list[dict[str, object]] = [
        {
            "id": node.id,
            "host": node.host,
            "port": node.port,
            "rack": node.rack,
            "controller": node.id == members.controller,
        }
        for node in members.nodes
    ]
    controllers = run.args.has("bootstrap-controller")
    kafka = _endpoints(members, controllers=controllers)
    return Table("controllers" if controllers else "brokers", COLUMNS, rows, kafka=kafka)


def _endpoints(members: Members, *, controllers: bool) -> Iterator[str]:
    """As Kafka 4's ClusterTool prints them."""
    host = max((len(n.host) for n in members.nodes), default=100)
    rack = max((len(n.rack) for n in members.nodes if n.rack), default=10)
    rows = [("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE")]
    kind = "controller" if controllers else "broker"
    rows += [
        (str(n.id), n.host, str(n.port), n.rack or "null", "unfenced", kind) for n in members.nodes
    ]
    for id_, name, port, place, state, end in rows:
        middle = "" if controllers else f"{state:10} "
        yield f"{id_:10} {name:{host}} {port:10} {place:{rack}} {middle}{end:15}\n"


def unregister(run: Run) -> int:
    """Forget a broker of a KRaft cluster; exit code 1 in our tongue where that cannot be."""
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
