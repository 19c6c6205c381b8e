"""``pko cluster id`` and kafka-cluster cluster-id."""

from __future__ import annotations

from pykafka_ops.commands.cluster.brokers import members
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run

COLUMNS = (Column("cluster_id"),)
NO_ID = "No cluster ID found. The Kafka version is probably too old."


def cluster_id(run: Run) -> Table:
    """The cluster's id, and which node says so."""
    found = members(run).cluster_id
    said = f"Cluster ID: {found}" if found else NO_ID
    rows = [{"cluster_id": found}] if found else []
    errors: list[str] = [] if found or run.args.flags else [NO_ID]
    return Table("cluster-id", COLUMNS, rows, kafka=[f"{said}\n"], notes=errors,
                 exit_code=0 if found or run.args.flags else 1)  # fmt: skip
