"""A ZooKeeper and N brokers as processes of one directory: what runs of them."""

from __future__ import annotations

import shlex
from pathlib import Path

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.profile import default_dir
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.local.children import LocalProcess
    from pykafka_ops.local.cluster import LocalCluster

COLUMNS = (
    Column("process"),
    Column("state", bad=lambda state: state != "running"),
    Column("pid", right=True),
    Column("address"),
    Column("log", wide=True),
)


def directory(args: Args) -> Path:
    """``--dir``, or the one that is meant without it."""
    given = args.text("dir")
    return Path(default_dir("cluster") if given is None else given).absolute()


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
    servers = cluster.bootstrap_servers
    idle = all(row["pid"] is None for row in rows)
    running = all(row["state"] == "running" for row in rows)
    document = {
        "dir": str(cluster.directory),
        "state": "running" if running else "stopped" if idle else "incomplete",
        "bootstrap_servers": servers,
        "zookeeper_connect": rows[0]["address"],
        "processes": rows,
    }
    return Table(
        "LocalCluster",
        COLUMNS,
        [{**row, "bootstrap_servers": servers} for row in rows],
        items=[document],
        name="bootstrap_servers",
        notes=notes or (),
        exit_code=0 if running else 4,
    )
