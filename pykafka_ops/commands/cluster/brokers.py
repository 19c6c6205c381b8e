"""``pko cluster brokers`` and kafka-cluster list-endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from pykafka_ops.client.members import BROKERS, CONTROLLERS, ClusterMembers, describe_members
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run

COLUMNS = (
    Column("id", right=True),
    Column("host"),
    Column("port", right=True),
    Column("rack"),
    Column("controller", optional=True),
)


def members(run: Run) -> ClusterMembers:
    """The brokers, or with ``--bootstrap-controller`` the controllers."""
    controllers = run.args.has("bootstrap-controller")
    return describe_members(run.cluster(), endpoints=CONTROLLERS if controllers else BROKERS)


def brokers(run: Run) -> Table:
    """The live brokers, or the controllers where those were named."""
    found = members(run)
    rows = rows_of(
        COLUMNS, ((n.id, n.host, n.port, n.rack, n.id == found.controller) for n in found.nodes)
    )
    controllers = run.args.has("bootstrap-controller")
    kafka = _endpoints(found, controllers=controllers)
    return Table("controllers" if controllers else "brokers", COLUMNS, rows, kafka=kafka)


def _endpoints(found: ClusterMembers, *, controllers: bool) -> Iterator[str]:
    """As Kafka 4's ClusterTool prints them."""
    host = max((len(n.host) for n in found.nodes), default=100)
    rack = max((len(n.rack) for n in found.nodes if n.rack), default=10)
    rows = [("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE")]
    kind = "controller" if controllers else "broker"
    rows += [
        (str(n.id), n.host, str(n.port), n.rack or "null", "unfenced", kind) for n in found.nodes
    ]
    for id_, name, port, place, state, end in rows:
        middle = "" if controllers else f"{state:10} "
        yield f"{id_:10} {name:{host}} {port:10} {place:{rack}} {middle}{end:15}\n"
