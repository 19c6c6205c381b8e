"""A ZooKeeper and N brokers as processes of one directory: what runs of them."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.local.cluster import LocalCluster
    from pykafka_ops.local.process import LocalProcess


def directory(args: Args) -> Path:
    """``--dir``, or the one that is meant without it."""
    given = args.text("dir")
    if given is None:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        given = os.path.join(base, "pko", "cluster")
    return Path(given).absolute()


def existing(args: Args) -> LocalCluster:
    """The cluster of the directory; UsageError where there is none."""
    from pykafka_ops.local.cluster import LocalCluster

    cluster = LocalCluster(directory(args))
    if not cluster.exists:
        raise UsageError(
            f"no cluster in {cluster.directory}: start one with {command('start', cluster)}"
        )
    return cluster


def command(verb: str, cluster: LocalCluster) -> str:
    """The command line of a verb for this cluster, to be copied into a shell."""
    return f"pko cluster {verb} --dir {shlex.quote(str(cluster.directory))}"


def states(cluster: LocalCluster) -> list[dict[str, object]]:
    """A row for ZooKeeper, then one for each broker."""
    zookeeper = cluster.zookeeper
    runs = zookeeper.pid is not None
    rows = [_state("zookeeper", zookeeper, zookeeper.connect if runs else None, ready=runs)]
    for broker in cluster.brokers:
        ready = broker.is_ready
        address = broker.bootstrap_servers if ready else None
        rows.append(_state(broker.what, broker, address, ready=ready))
    return rows


def _state(name: str, part: LocalProcess, address: str | None, *, ready: bool) -> dict[str, object]:
    pid = part.pid
    return {
        "process": name,
        "state": "stopped" if pid is None else "running" if ready else "starting",
        "pid": pid,
        "address": address,
        "log": str(part.log),
    }


def table(cluster: LocalCluster, notes: list[str] | None = None) -> Table:
    """The processes; exit code 4 unless all run."""
    rows = states(cluster)
    for row in rows:
        row["bootstrap_servers"] = cluster.bootstrap_servers
    running = all(row["state"] == "running" for row in rows)
    document = {
        "dir": str(cluster.directory),
        "state": "running" if running else "incomplete" if _any_runs(rows) else "stopped",
        "bootstrap_servers": cluster.bootstrap_servers,
        "zookeeper_connect": rows[0]["address"],
        "processes": [{k: v for k, v in r.items() if k != "bootstrap_servers"} for r in rows],
    }
    return Table(
        "LocalCluster",
        [
            Column("process"),
            Column("state", bad=lambda state: state != "running"),
            Column("pid", right=True),
            Column("address"),
            Column("log", wide=True),
        ],
        rows,
        items=[document],
        name="bootstrap_servers",
        notes=notes or (),
        exit_code=0 if running else 4,
    )


def _any_runs(rows: list[dict[str, object]]) -> bool:
    return any(row["pid"] is not None for row in rows)
