"""``pko broker status``."""

from __future__ import annotations

import time

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of, running
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run

COLUMNS = (
    Column("state"),
    Column("broker_id", "BROKER", right=True),
    Column("pid", right=True),
    Column("listeners"),
    Column("uptime_s", "UPTIME(s)", right=True),
    Column("code", optional=True),
    Column("cluster_id", "CLUSTER", wide=True),
    Column("metrics", optional=True),
    Column("data_dir", "DATA-DIR"),
)


def status(run: Run) -> Table:
    """One row about the broker of a data directory; exit code 4 if none runs. ``code`` says whether
    its path of usual requests is compiled or pure Python."""
    data_dir = data_dir_of(run.args, properties_of(run.args))
    found = running(data_dir)
    compiled = found.get("compiled") if found else None
    row = {
        "data_dir": str(data_dir),
        "state": "running" if found else "stopped",
        "pid": found["pid"] if found else None,
        "broker_id": found.get("broker_id") if found else None,
        "cluster_id": found.get("cluster_id") if found else None,
        "listeners": ",".join(found.get("listeners", [])) if found else None,
        "metrics": found.get("metrics") if found else None,
        "code": None if compiled is None else "compiled" if compiled else "pure-python",
        "uptime_s": round(time.time() - found["started_ms"] / 1000) if found else None,
    }
    return Table(
        "BrokerStatus",
        COLUMNS,
        [row],
        name="state",
        exit_code=0 if found else 4,
    )
